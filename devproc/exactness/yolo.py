"""Bounds of the family `yolo`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, relative

BOUNDS: Mapping[Key, Bound] = {
    Key("decode_yolo", "", version, "float32"): relative(
        4e-7, f"the formula of Ultralytics' {name} in float64"
    )
    for version, name in (("v5", "YOLOv5 Detect"), ("v8", "YOLOv8 Detect"))
}
"""Step, form and dtype -> bound."""
