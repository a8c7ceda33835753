"""Steps that select boxes, and decode the heads of detectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, f64
from xdsl.ir import Attribute

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.pipe.detection import (
    DecodeDetrOp,
    FillPaddingOp,
    NmsOp,
    TakeRowsOp,
)
from devproc.dialects.pipe.yolo import DecodeYoloOp
from devproc.frontends.dsl.axes import AxesSteps
from devproc.frontends.dsl.boxes import BoxSteps
from devproc.frontends.dsl.values.detections import Detections
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import (
    choice,
    fail,
    floats,
    integer,
    integers,
    number,
    text,
)

YOLOV5_ANCHORS = (
    ((10, 13), (16, 30), (33, 23)),
    ((30, 61), (62, 45), (59, 119)),
    ((116, 90), (156, 198), (373, 326)),
)
"""(width, height) in pixels for each map, as YOLOv5 is trained."""


LOWEST = -3.4028234663852886e38
"""The lowest number of float32."""


class DetectionSteps(BoxSteps, AxesSteps):
    """Steps that select boxes, and decode the heads of detectors.

    Libraries suppress, scale and clip in different orders, which affects boxes near an edge
    of the image. Ultralytics suppresses in pixels of the letterboxed image, then scales to
    the source, then clips: `decode_yolo`, `nms`, `map_boxes`. torchvision's detectors decode
    and clip to the resized image, drop low scores, suppress, and scale to the source last,
    without clipping again: `decode_boxes`, `clip_boxes`, `nms`, `map_boxes(clip=False)`. A
    DETR neither suppresses nor clips: `decode_detr` drops low scores and scales to the source.
    """

    def nms(
        self,
        boxes: Value,
        scores: Value,
        iou_threshold: float,
        score_threshold: float = 0.0,
        max_n: int = 100,
        classes: Value | None = None,
        *,
        class_agnostic: bool = False,
        multi_label: bool = True,
        overlap: str = "iou",
    ) -> Detections:
        """Non-maximum suppression: the boxes that are kept, by decreasing score.

        Boxes `(n, 4)` are corners, scores `(n)`, or `(n, c)` for each class; with a batch
        `(b, n, 4)` and `(b, n)` or `(b, n, c)`, or a box for each class `(b, n, c, 4)`; all
        float32. The result has boxes `(max_n, 4)`, scores, classes (int64) and rows (int64)
        `(max_n)`, and their count (int64), each after the batch. Scores that are not above
        `score_threshold`, and NaN, are ignored. A box is suppressed if it overlaps one of
        its class with a higher score by more than `iou_threshold`, as in
        `torchvision.ops.nms`; equal scores keep their order. `classes` (int64) are those of
        scores `(n)`. With `multi_label=False`, a box has only its highest class; with
        `class_agnostic=True`, classes are ignored. At most `max_n` boxes are kept.
        `overlap` is "iou", the intersection over the union, or "iom", over the smaller area
        of both (MTCNN's "Min"), which also drops a box within a larger one.
        """
        thresholds = (
            number("nms", "iou_threshold", iou_threshold),
            number("nms", "score_threshold", score_threshold),
        )
        operands = [boxes, scores] if classes is None else [boxes, scores, classes]
        properties: dict[str, Attribute] = {
            "thresholds": DenseArrayBase.from_list(f64, thresholds),
            "max_n": int_attr(integer("nms", "max_n", max_n)),
            "agnostic": int_attr(int(bool(class_agnostic))),
            "multi_label": int_attr(int(bool(multi_label))),
        }
        if choice("nms", "overlap", overlap, ("iou", "iom")) == "iom":
            properties["iom"] = int_attr(1)
        remedy = (
            "give float32 boxes and their scores, thresholds in range, and max_n > 0"
        )
        found = self.steps(NmsOp, operands, properties, remedy)
        kept, kept_scores, kept_classes, rows, count = found
        return Detections(kept, kept_scores, kept_classes, count, rows)

    def merge_detections(
        self, found: Sequence[Detections], scales: Sequence[float] | None = None
    ) -> tuple[Value, Value, Value]:
        """The concatenated boxes `(..., n, 4)`, scores and classes `(..., n)` of several
        detections, of an image at several sizes or by several models, as operands of one
        more `nms`; the dtypes are those that `nms` gives.

        With `scales`, the boxes of each are multiplied by its scale. Rows past a count get
        the lowest score of float32, which `nms` ignores.
        """
        step, remedy = "merge_detections", "give a list of what nms returns"
        if not isinstance(found, list | tuple) or not found:
            fail(step, f"{found!r} is no list of detections", remedy)
        for one in found:
            if not isinstance(cast(object, one), Detections):
                fail(step, f"{one!r} is no detections", remedy)
        numbers = [1.0] * len(found)
        if scales is not None:
            numbers = [number(step, "a scale", scale) for scale in scales]
        if len(numbers) != len(found):
            problem = f"{len(found)} detections have {len(numbers)} scales"
            fail(step, problem, "give one for each, or none")
        scaled = [
            one.boxes if scale == 1 else self.scale_boxes(one.boxes, scale)
            for one, scale in zip(found, numbers, strict=True)
        ]
        axis = len(found[0].count.shape)
        parts = (
            [self.fill_padding(boxes) for boxes in scaled],
            [self.fill_padding(one.scores, LOWEST) for one in found],
            [self.fill_padding(one.classes, -1) for one in found],
        )
        boxes, scores, classes = (self.concat(part, axis) for part in parts)
        return boxes, scores, classes

    def decode_yolo(
        self,
        maps: Sequence[Value],
        version: str = "v8",
        strides: Sequence[int] = (8, 16, 32),
        bins: int = 16,
        anchors: Sequence[Sequence[Sequence[float]]] = YOLOV5_ANCHORS,
    ) -> tuple[Value, Value]:
        """Corners `(b, n, 4)` in pixels of the model's input, and scores `(b, n, c)`, from
        the undecoded feature maps of a YOLO's head, one for each stride; all float32.

        "v8" (also v9, v11): maps `(b, 4 * bins + c, h, w)`. "v5" (also v3, v7): maps
        `(b, a * (5 + c), h, w)` and anchors (width, height) in pixels, a for each map.
        `strides` are in pixels.
        """
        step = "decode_yolo"
        if isinstance(maps, Value):
            fail(step, f"maps is {maps!r}", "give a list of feature maps")
        flat = [v for map_ in anchors for pair in map_ for v in pair]
        is_v5 = text(step, "version", version) == "v5"
        properties = {
            "version": StringAttr(version),
            "strides": int_array(integers(step, "strides", strides)),
            "bins": int_attr(integer(step, "bins", bins)),
            "anchors": floats(step, "anchors", flat if is_v5 else [], 0),
        }
        remedy = "give the maps that the head's convolutions return, in strides' order"
        boxes, scores = self.steps(DecodeYoloOp, maps, properties, remedy)
        return boxes, scores

    def decode_detr(
        self,
        logits: Value,
        boxes: Value,
        size: Sequence[float],
        threshold: float = 0.5,
    ) -> Detections:
        """The detections of a DETR or YOLOS in an image of `size` (height, width) pixels, in
        the order of its queries, `(b, q, ...)`: from logits `(b, q, classes + 1)` and boxes
        `(b, q, 4)`, centre and size from 0 to 1, both float32.

        Equal to `post_process_object_detection` of transformers.
        """
        step = "decode_detr"
        properties = {
            "threshold": floats(step, "threshold", threshold, 1),
            "size": floats(step, "size", size, 2),
        }
        remedy = "give logits and boxes of the model, and (height, width)"
        found = self.steps(DecodeDetrOp, [logits, boxes], properties, remedy)
        return Detections(*found)

    def take_rows(self, x: Value, detections: Detections) -> Value:
        """The rows of `x` `(..., n, ...)`, of any dtype, that belong to detections: mask
        coefficients, features; `(..., max_n, ...)`. Rows past the count are 0.
        """
        rows = getattr(detections, "rows", None)
        if rows is None:
            fail("take_rows", f"{detections!r} has no rows", "give what nms returns")
        remedy = "give a value with a row for each box that nms was given"
        return self.step(TakeRowsOp, [x, rows], {}, remedy)

    def fill_padding(self, x: Value, value: float = 0.0) -> Value:
        """A bounded value with a number in the rows past its count, for steps and models
        that take rows without a count. Shape and dtype, a numeric one, stay.
        """
        properties = {"value": floats("fill_padding", "value", value, 1)}
        remedy = "give a part of detections, such as their boxes"
        return self.step(FillPaddingOp, [x], properties, remedy)
