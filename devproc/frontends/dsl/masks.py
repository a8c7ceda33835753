"""Steps on masks, maps of classes and heatmaps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr

from devproc.dialects.nn.base import int_array
from devproc.dialects.nn.resampling.filters import PLAIN
from devproc.dialects.pipe.axes import LayoutOp
from devproc.dialects.pipe.geometry import ResizeOp
from devproc.dialects.pipe.masks import DecodeKeypointsOp, PaletteOp, ThresholdOp
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import floats, sizes_of

LAYOUTS = {2: "HW", 3: "NHW", 4: "NCHW"}
"""Rank -> the layout of a mask without one."""


class MaskSteps(StepBuilder):
    """Steps on masks, maps of classes and heatmaps."""

    def resize_mask(self, x: Value, size: Sequence[int]) -> Value:
        """Masks or scores `(..., h, w)`, uint8 or float32, resized to `size` (height, width)
        pixels: bilinear, as `torch.nn.functional.interpolate` without antialiasing.

        `argmax(resize_mask(logits, size), axis=1)` equals transformers'
        `post_process_semantic_segmentation`.
        """
        step = "resize_mask"
        rank = len(x.shape) if self.ssa(step, x) else 0
        if x.layout is None and rank in LAYOUTS:
            names = StringAttr(LAYOUTS[rank])
            change = {"source": names, "target": names}
            x = self.step(LayoutOp, [x], change, "give masks (h, w) or (n, c, h, w)")
        properties = {
            "size": int_array(sizes_of(step, "size", size)),
            "mode": StringAttr(f"bilinear{PLAIN}"),
            "like": StringAttr("torchvision"),
        }
        remedy = "give masks (..., h, w) and their new (height, width)"
        return self.step(ResizeOp, [x], properties, remedy)

    def threshold(self, x: Value, value: float) -> Value:
        """Whether each float is above a number, as bool of the same shape; false for NaN."""
        properties = {"value": floats("threshold", "value", value, 1)}
        return self.step(ThresholdOp, [x], properties, "threshold scores, not classes")

    def palette(self, x: Value, colors: object) -> Value:
        """The colour of each class: int32 or int64 `(...)` becomes uint8 `(..., 3)`.

        `colors` are `(n, 3)` from 0 to 255. Class -1 has the last colour; classes out of
        range have the nearest one.
        """
        table = self.array("palette", "colors", colors, "uint8")
        remedy = "give classes, as argmax returns them, and a row (r, g, b) for each"
        return self.step(PaletteOp, [x, table], {}, remedy)

    def decode_keypoints(self, heatmaps: Value) -> tuple[Value, Value]:
        """Keypoints `(b, k, 2)`, as (x, y) in pixels of heatmaps `(b, k, h, w)`, and scores
        `(b, k)`, all float32: each maximum, shifted by a quarter pixel towards its higher
        neighbour, as in HRNet.
        """
        remedy = "give float32 heatmaps (batch, keypoints, height, width)"
        places, scores = self.steps(DecodeKeypointsOp, [heatmaps], {}, remedy)
        return places, scores
