"""Bounds of the family `boxes`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, exact, relative

BOUNDS: Mapping[Key, Bound] = {
    Key("clip_boxes", "", "", "float32"): exact("torchvision.ops.clip_boxes_to_image"),
    Key("convert_boxes", "", "", "float32"): exact("torchvision.ops.box_convert"),
    Key("decode_boxes", "", "", "float32"): relative(
        2e-7, "torchvision.models.detection._utils.BoxCoder.decode_single"
    ),
    Key("decode_dfl", "", "", "float32"): relative(
        5e-7, "Ultralytics' DFL: torch.softmax, torch.nn.functional.conv2d"
    ),
    Key("scale_boxes", "", "", "float32"): exact("torch.mul, torch.add"),
}
"""Step, form and dtype -> bound."""
