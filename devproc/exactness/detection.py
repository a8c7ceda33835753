"""Bounds of the family `detection`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, exact, relative

BOUNDS: Mapping[Key, Bound] = {
    Key("decode_detr", "", "", "float32"): relative(
        4e-7, "transformers' DetrImageProcessor.post_process_object_detection"
    ),
    Key("fill_padding", "", "", ANY): exact("numpy.where"),
    Key("nms", "", "", "float32"): exact(
        "torchvision.ops.nms of each class, its CPU kernel as a loop in NumPy"
    ),
    Key("take_rows", "", "", ANY): exact("numpy.take_along_axis"),
}
"""Step, form and dtype -> bound."""
