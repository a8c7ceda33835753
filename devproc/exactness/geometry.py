"""Bounds of the family `geometry`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, exact

_PILLOW = ("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos")

BOUNDS: Mapping[Key, Bound] = {
    Key("resize", "pillow", mode, dtype): exact("PIL.Image.Image.resize")
    for mode in _PILLOW
    for dtype in ("uint8", "float32")
}
"""Step, form and dtype -> bound."""
