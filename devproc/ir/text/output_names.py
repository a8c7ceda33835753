"""The names of a program's outputs: `found.boxes` is the part `boxes` of `found`."""

from __future__ import annotations

PART = "."
"""Separates the name of an output from that of its part."""
