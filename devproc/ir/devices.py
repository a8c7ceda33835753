"""The names of the host, which every other device is attached to."""

from __future__ import annotations

HOST = "cpu"
"""The device that runs the host program; a program's inputs and outputs are in its memory."""

FALLBACK = "host"
"""The device whose ops PyTorch runs, in the memory of the host."""
