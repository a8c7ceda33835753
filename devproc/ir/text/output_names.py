"""The names of a program's outputs: `found.boxes` is the part `boxes` of `found`."""

from __future__ import annotations

PART = "."
"""Between the name of an output and that of its part."""
