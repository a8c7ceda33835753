"""Steps that select boxes; their results are bounded and have a count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)

from devproc.dialects.nn import detection as nn
from devproc.dialects.nn.base import Properties, flag_of, int_of, require
from devproc.dialects.pipe.base.layout import (
    bounded_axis,
    describe_value,
    require_value,
    with_bound,
)
from devproc.dialects.pipe.base.step import PipeOp
from devproc.dialects.pipe.boxes import numbers_of, require_boxes
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, is_bool, tensor


def detections(
    images: Sequence[int], most: int, with_rows: bool = True
) -> Sequence[AnyTensor]:
    """Types of boxes, scores, classes, (rows,) and count of so many detections."""
    axis = len(images)
    shapes = [("float32", (4,)), ("float32", ()), ("int64", ())]
    if with_rows:
        shapes.append(("int64", ()))
    bounded = [
        with_bound(tensor(dtype, (*images, most, *rest)), axis)
        for dtype, rest in shapes
    ]
    return [*bounded, tensor("int64", images)]


@op_definition
class NmsOp(PipeOp):
    """The boxes that greedy non-maximum suppression keeps (see `nn.nms`), by descending
    score: boxes, scores, classes, the original rows, and their count.

    Boxes (n, 4) have scores (n) or (n, c); with a batch (b, n, 4) and (b, n) or (b, n,
    c), or a box for each class, (b, n, c, 4) and (b, n, c). Boxes of one class only
    suppress each other; `classes` gives them for scores without c. With `multi_label` 0
    only the highest class of each box is considered; with `agnostic` 1 boxes of all
    classes suppress each other; with `iom` 1 overlaps are relative to the smaller box.

    Padding: boxes and scores 0, classes and rows -1.

    ```mlir
    %b, %s, %c, %r, %n = pipe.nms %boxes, %scores thresholds [0.5, 0.05] max_n 10
      agnostic 0 multi_label 1
      : (tensor<9x4xf32>, tensor<9x3xf32>) -> (tensor<10x4xf32, #pipe.bounded<0>>,
         tensor<10xf32, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>,
         tensor<10xi64, #pipe.bounded<0>>, tensor<i64>)
    ```
    """

    name = "pipe.nms"

    boxes = operand_def(TensorType)
    scores = operand_def(TensorType)
    classes = opt_operand_def(TensorType)
    thresholds = prop_def(DenseArrayBase)
    max_n = prop_def(IntegerAttr)
    agnostic = prop_def(IntegerAttr)
    multi_label = prop_def(IntegerAttr)
    iom = opt_prop_def(IntegerAttr)
    kept_boxes = result_def(TensorType)
    kept_scores = result_def(TensorType)
    kept_classes = result_def(TensorType)
    rows = result_def(TensorType)
    count = result_def(TensorType)

    assembly_format = (
        "$boxes `,` $scores (`classes` $classes^)? `thresholds`"
        " custom<Floats>($thresholds) `max_n` custom<Int>($max_n)"
        " `agnostic` custom<Int>($agnostic) `multi_label` custom<Int>($multi_label)"
        " (`iom` $iom^)? attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        boxes, scores, *classes = operands
        images, n, k, c = nms_sizes(boxes, scores)
        for x in classes:
            require(
                x.element_type == DTYPES["int64"]
                and x.get_shape() == scores.get_shape() == (*images, n),
                f"classes are int64 of the shape of scores without classes, got"
                f" {describe_value(x)} for {describe_value(scores)}",
            )
        flag_of("multi_label", properties["multi_label"])
        nn.NmsOp.infer(
            [tensor(boxes.element_type, (1, n, k, 4)), tensor("float32", (1, n, c))],
            nms_properties(properties),
        )
        return detections(images, int_of(properties["max_n"]))


def nms_sizes(
    boxes: AnyTensor, scores: AnyTensor
) -> tuple[tuple[int, ...], int, int, int]:
    """The batch (or none), and the numbers of boxes, boxes per score, and classes."""
    shape, found = boxes.get_shape(), scores.get_shape()
    require_boxes("nms", boxes)
    images, n, classes = shape[:-2][:1], shape[-2:-1], found[len(shape[:-1]) :]
    if len(shape) == 4:
        n, classes = shape[1:2], shape[2:3]
    require(
        2 <= len(shape) <= 4
        and scores.element_type == DTYPES["float32"]
        and found == (*images, *n, *classes)
        and len(classes) <= 1
        and 0 not in (*n, *classes),
        "scores are float32 (n) or (n, c) for boxes (n, 4), (b, n) or (b, n, c) for"
        " (b, n, 4), and (b, n, c) for (b, n, c, 4); got boxes"
        f" {describe_value(boxes)} and scores {describe_value(scores)}",
    )
    c = classes[0] if classes else 1
    return images, n[0], c if len(shape) == 4 else 1, c


def nms_properties(properties: Properties) -> Properties:
    """The properties of the `nn.nms` that a `pipe.nms` stands for."""
    return {k: v for k, v in properties.items() if k != "multi_label"}


@op_definition
class DecodeDetrOp(PipeOp):
    """The detections of a DETR or YOLOS model, in query order, as in
    `post_process_object_detection` of transformers.

    Logits (b, q, c + 1), the last class meaning no object, and boxes (b, q, 4), centre
    and size from 0 to 1, become corners in an image of (height, width), scores
    (softmax) and classes of the queries whose best class scores above the threshold.
    Padding: boxes and scores 0, classes -1.

    ```mlir
    %b, %s, %c, %n = pipe.decode_detr %logits, %boxes threshold [0.5] size [480.0, 640.0]
      : (tensor<1x9x4xf32>, tensor<1x9x4xf32>) -> (tensor<1x9x4xf32, #pipe.bounded<1>>,
         tensor<1x9xf32, #pipe.bounded<1>>, tensor<1x9xi64, #pipe.bounded<1>>,
         tensor<1xi64>)
    ```
    """

    name = "pipe.decode_detr"

    logits = operand_def(TensorType)
    boxes = operand_def(TensorType)
    threshold = prop_def(DenseArrayBase)
    size = prop_def(DenseArrayBase)
    kept_boxes = result_def(TensorType)
    kept_scores = result_def(TensorType)
    kept_classes = result_def(TensorType)
    count = result_def(TensorType)

    assembly_format = (
        "$logits `,` $boxes `threshold` custom<Floats>($threshold)"
        " `size` custom<Floats>($size) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        logits, boxes = operands
        shape = logits.get_shape()
        require_boxes("decode_detr", boxes)
        require(
            len(shape) == 3
            and shape[2] > 1
            and logits.element_type == DTYPES["float32"]
            and boxes.get_shape() == (*shape[:2], 4),
            "decode_detr takes float32 logits (b, q, classes + 1) and boxes (b, q, 4),"
            f" got {describe_value(logits)} and {describe_value(boxes)}",
        )
        numbers_of("threshold", properties["threshold"], 1)
        size = numbers_of("size", properties["size"], 2)
        require(min(size) > 0, f"an image has no size {list(size)}")
        return detections(shape[:1], shape[1], with_rows=False)


@op_definition
class TakeRowsOp(PipeOp):
    """Gathers the rows of a tensor that belong to detections: mask coefficients,
    features, keypoints. Padding is 0.

    ```mlir
    %r = pipe.take_rows %x at %rows count %n
      : (tensor<9x32xf32>, tensor<10xi64, #pipe.bounded<0>>, tensor<i64>)
      -> tensor<10x32xf32, #pipe.bounded<0>>
    ```
    """

    name = "pipe.take_rows"

    operand = operand_def(TensorType)
    rows = operand_def(TensorType)
    count = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `at` $rows `count` $count attr-dict"
        " `:` functional-type(operands, results)"
    )

    TAKES_COUNT: ClassVar[bool] = True

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, rows, _ = operands
        shape, wanted = x.get_shape(), rows.get_shape()
        axis = len(wanted) - 1
        require(
            bounded_axis(rows) == axis
            and bounded_axis(x) is None
            and rows.element_type == DTYPES["int64"]
            and len(shape) > axis
            and shape[:axis] == wanted[:axis]
            and 0 not in shape,
            f"take_rows takes values (..., n, ...) at bounded int64 rows (..., m), got"
            f" {describe_value(x)} at {describe_value(rows)}",
        )
        return [with_bound(tensor(x.element_type, (*wanted, *shape[axis + 1 :])), axis)]


@op_definition
class FillPaddingOp(PipeOp):
    """A bounded value as a plain one, with rows from the count on set to a number, for
    steps that do not take a count.

    ```mlir
    %r = pipe.fill_padding %b with [0.0] count %n
      : (tensor<10x4xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x4xf32>
    ```
    """

    name = "pipe.fill_padding"

    operand = operand_def(TensorType)
    value = prop_def(DenseArrayBase)
    count = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `with` custom<Floats>($value) `count` $count attr-dict"
        " `:` functional-type(operands, results)"
    )

    TAKES_COUNT: ClassVar[bool] = True

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        (value,) = numbers_of("value", properties["value"], 1)
        require_value("fill_padding", x, value)
        require(
            bounded_axis(x) is not None and not is_bool(x.element_type),
            f"fill_padding takes a bounded value of numbers, got {describe_value(x)}",
        )
        return [with_bound(x, None)]


OPS: Sequence[type[IRDLOperation]] = (DecodeDetrOp, FillPaddingOp, NmsOp, TakeRowsOp)
