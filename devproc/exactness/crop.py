"""Bounds of the family `crop`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, exact

REFERENCES = {
    ("crop", ""): "numpy slicing",
    ("center_crop", ""): "torchvision.transforms.v2.functional.center_crop",
    ("flip", ""): "numpy.flip",
    ("rotate", ""): "numpy.rot90",
    ("pad", "constant"): "numpy.pad",
    ("pad", "reflect"): "numpy.pad",
    ("pad", "edge"): "numpy.pad",
}
"""Step and mode -> what it equals, whatever the dtype."""

BOUNDS: Mapping[Key, Bound] = {
    **{
        Key(step, "", mode, dtype): exact(reference)
        for (step, mode), reference in REFERENCES.items()
        for dtype in ("uint8", "float32")
    },
    Key("letterbox", "opencv", "bilinear", "uint8"): exact(
        "Ultralytics' LetterBox: cv2.resize, cv2.copyMakeBorder"
    ),
}
"""Step, form and dtype -> bound."""
