"""Steps on boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log
from typing import TypeVar

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, f64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.pipe.base.layout import image_size
from devproc.dialects.pipe.base.step import PipeOp, source_map_between
from devproc.dialects.pipe.boxes import (
    ClipBoxesOp,
    ConvertBoxesOp,
    DecodeBoxesOp,
    DecodeDflOp,
    ScaleBoxesOp,
)
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import of_integers
from devproc.frontends.dsl.values.detections import Detections
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import change_of, fail, floats, number
from devproc.ir.types import tensor_of

Boxes = TypeVar("Boxes", Value, Detections)
"""Boxes alone, or with their scores and classes."""

LARGEST_GROWTH = log(1000 / 16)
"""torchvision's limit of the logarithm of a box's growth."""

_REMEDY = "give float32 boxes whose last axis is their four numbers"


class BoxSteps(StepBuilder):
    """Steps on boxes: `(..., 4)` float32, by default the corners (x1, y1, x2, y2).

    Applied to detections, they change the boxes and keep the rest.
    """

    def convert_boxes(self, boxes: Boxes, change: str) -> Boxes:
        """Boxes `(..., 4)`, float32, in another format: `"cxcywh->xyxy"`; also "xywh" (corner
        and size).

        Equal to `torchvision.ops.box_convert`.
        """
        source, target = change_of("convert_boxes", change, "of boxes", "cxcywh->xyxy")
        properties = {"source": StringAttr(source), "target": StringAttr(target)}
        return self._moved(ConvertBoxesOp, boxes, properties)

    def scale_boxes(
        self,
        boxes: Boxes,
        scale: float | Sequence[float],
        offset: float | Sequence[float] = 0.0,
    ) -> Boxes:
        """Corners `(..., 4)`, or points `(..., 2)`, float32, times a scale plus an offset in
        pixels: a number, or (x, y).
        """
        properties = {
            "scale": floats("scale_boxes", "scale", scale, 2),
            "offset": floats("scale_boxes", "offset", offset, 2),
        }
        return self._moved(ScaleBoxesOp, boxes, properties)

    def clip_boxes(self, boxes: Boxes, size: Sequence[float]) -> Boxes:
        """Corners `(..., 4)`, or points `(..., 2)`, float32, clipped to an image of `size`
        (height, width) pixels.

        Equal to `torchvision.ops.clip_boxes_to_image`.
        """
        properties = {"size": floats("clip_boxes", "size", size, 2)}
        return self._moved(ClipBoxesOp, boxes, properties)

    def map_boxes(
        self, boxes: Boxes, *, image: Value, source: Value, clip: bool = True
    ) -> Boxes:
        """Maps corners `(..., 4)`, or points `(..., 2)`, float32, from pixels of `image` to
        pixels of `source`, from which resizes, letterboxes, crops, paddings and flips made
        the image; by default clipped to the source.
        """
        step = "map_boxes"
        given = [self.ssa(step, x) for x in (image, source)]
        try:
            found = source_map_between(*given)
            size = image_size(step, tensor_of(given[1]))
        except VerifyException as error:
            fail(step, str(error), "give an image that steps made of the source")
        x, y = found.horizontal, found.vertical
        boxes = self.scale_boxes(boxes, (x.scale, y.scale), (x.offset, y.offset))
        return self.clip_boxes(boxes, size) if clip else boxes

    def decode_boxes(
        self,
        deltas: Value,
        anchors: object,
        weights: float | Sequence[float] = 1.0,
        clip: float = LARGEST_GROWTH,
    ) -> Value:
        """Corners of boxes `(..., n, 4)` from deltas of this shape relative to anchors
        `(n, 4)` or `(..., n, 4)`, also corners; all float32.

        Equal to torchvision's `BoxCoder(weights, clip)`: Faster R-CNN has weights
        (10, 10, 5, 5), RetinaNet 1; for variances such as SSD's (0.1, 0.1, 0.2, 0.2), give
        their reciprocals. `anchors` are an array, or a value such as proposals.
        """
        if not isinstance(anchors, Value):
            anchors = self.array("decode_boxes", "anchors", anchors, "float32")
        growth = number("decode_boxes", "clip", clip)
        properties = {
            "weights": floats("decode_boxes", "weights", weights, 4),
            "clip": DenseArrayBase.from_list(f64, [growth]),
        }
        remedy = "give float32 deltas (..., n, 4) and anchors (n, 4) of the same n"
        return self.step(DecodeBoxesOp, [deltas, anchors], properties, remedy)

    def decode_dfl(self, x: Value, bins: int = 16, axis: int = 1) -> Value:
        """Expected values of distributions over bins, float32: an axis of the shape with
        4 * bins numbers becomes 4 (distribution focal loss, as YOLOv8 decodes its sides).
        """
        properties = of_integers("decode_dfl", bins=bins, axis=axis)
        remedy = "give the model's number of bins and the axis of 4 * bins numbers"
        return self.step(DecodeDflOp, [x], properties, remedy)

    def _moved(
        self,
        op_class: type[PipeOp],
        boxes: Boxes,
        properties: Mapping[str, Attribute],
    ) -> Boxes:
        if isinstance(boxes, Detections):
            moved = self.step(op_class, [boxes.boxes], properties, _REMEDY)
            return replace(boxes, boxes=moved)
        return self.step(op_class, [boxes], properties, _REMEDY)
