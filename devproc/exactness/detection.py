"""Bounds of the family `detection`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, exact, relative

BOUNDS: Mapping[Key, Bound] = {
    Key("decode_detr", "", "", "float32"): relative(
        4e-7, "transformers' DetrImageProcessor.post_process_object_detection"
    ),
    Key("nms", "", "", "float32"): exact(
        "torchvision.ops.nms of each class, its CPU kernel as a loop in NumPy"
    ),
}
"""Step, form and dtype -> bound."""
