"""The name of the host, which every other device is attached to."""

from __future__ import annotations

HOST = "cpu"
"""The device that runs the host program; a program's inputs and outputs are in its memory."""
