"""Steps on boxes: conversion of formats and coordinates, and decoding.

Boxes have any leading axes; the last one holds the four numbers, float32. Bounded boxes
(`pipe.bounded`) are used with their count, and their padding stays 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    TensorType,
    f64,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
)

from devproc.dialects.nn.base import (
    Properties,
    floats,
    int_of,
    normalize_axis,
    require,
    text_of,
)
from devproc.dialects.pipe.base.layout import bounded_axis, describe_value, with_bound
from devproc.dialects.pipe.base.step import PipeOp, UnaryStep
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor

FORMATS = ("xyxy", "xywh", "cxcywh")
"""Two corners; the first corner and the size; the centre and the size."""


def require_boxes(step: str, x: AnyTensor, *, or_points: bool = False) -> AnyTensor:
    """Require float32 boxes (..., 4), or points (..., 2)."""
    sizes = ((4,), (2,)) if or_points else ((4,),)
    require(
        x.element_type == DTYPES["float32"] and x.get_shape()[-1:] in sizes,
        f"{step} takes float32 boxes (..., 4){' or points (..., 2)' * or_points}, got"
        f" {describe_value(x)}",
    )
    return with_bound(x, bounded_axis(x))


def numbers_of(what: str, attribute: Attribute, count: int) -> tuple[float, ...]:
    """The numbers of a property; requires `count` finite ones."""
    values = floats(attribute)
    require(
        cast(DenseArrayBase, attribute).elt_type == f64
        and len(values) == count
        and all(map(isfinite, values)),
        f"{what} must be {count} finite numbers, got {list(values)}",
    )
    return values


class BoxesStep(PipeOp):
    """A step on each box or point, bounded or not."""

    operand = operand_def(TensorType)
    count = opt_operand_def(TensorType)
    result = result_def(TensorType)

    TAKES_COUNT: ClassVar[bool] = True


@op_definition
class ConvertBoxesOp(BoxesStep):
    """Boxes in another format, in float32 as `torchvision.ops.box_convert`.

    ```mlir
    %r = pipe.convert_boxes %b from "cxcywh" to "xyxy" : (tensor<9x4xf32>) -> tensor<9x4xf32>
    ```
    """

    name = "pipe.convert_boxes"

    source = prop_def(StringAttr)
    target = prop_def(StringAttr)

    assembly_format = (
        "$operand `from` custom<Text>($source) `to` custom<Text>($target)"
        " (`count` $count^)? attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        for side in ("source", "target"):
            text_of("box format", properties[side], FORMATS)
        return [require_boxes("convert_boxes", operands[0])]


@op_definition
class ScaleBoxesOp(BoxesStep):
    """Corners (x1, y1, x2, y2) or points (x, y) times a scale plus an offset, both
    (x, y), in float32.

    ```mlir
    %r = pipe.scale_boxes %b by [2.0, 1.5] from [0.0, -8.0]
      : (tensor<9x4xf32>) -> tensor<9x4xf32>
    ```
    """

    name = "pipe.scale_boxes"

    scale = prop_def(DenseArrayBase)
    offset = prop_def(DenseArrayBase)

    assembly_format = (
        "$operand `by` custom<Floats>($scale) `from` custom<Floats>($offset)"
        " (`count` $count^)? attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        for name in ("scale", "offset"):
            numbers_of(name, properties[name], 2)
        return [require_boxes("scale_boxes", operands[0], or_points=True)]


@op_definition
class ClipBoxesOp(BoxesStep):
    """Corners or points clamped to an image of (height, width), from 0 to the size, as
    `torchvision.ops.clip_boxes_to_image`; NaN is preserved.

    ```mlir
    %r = pipe.clip_boxes %b to [480.0, 640.0] : (tensor<9x4xf32>) -> tensor<9x4xf32>
    ```
    """

    name = "pipe.clip_boxes"

    size = prop_def(DenseArrayBase)

    assembly_format = (
        "$operand `to` custom<Floats>($size) (`count` $count^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        size = numbers_of("size", properties["size"], 2)
        require(min(size) >= 0, f"an image has no size {list(size)}")
        return [require_boxes("clip_boxes", operands[0], or_points=True)]


@op_definition
class DecodeBoxesOp(PipeOp):
    """Corners of boxes that a model describes by their distance from anchors, as
    torchvision's `BoxCoder.decode_single` (Faster R-CNN, RetinaNet, SSD).

    Deltas (..., n, 4) are (dx, dy, dw, dh), anchors (n, 4) or (..., n, 4) corners.
    Deltas are divided by the four weights (SSD: the reciprocals of its variances), then
    dw and dh are limited to `clip`. The centre is dx * width + centre, the size
    exp(dw) * width.

    ```mlir
    %r = pipe.decode_boxes %d, %a weights [10.0, 10.0, 5.0, 5.0] clip [4.135]
      : (tensor<2x9x4xf32>, tensor<9x4xf32>) -> tensor<2x9x4xf32>
    ```
    """

    name = "pipe.decode_boxes"

    deltas = operand_def(TensorType)
    anchors = operand_def(TensorType)
    weights = prop_def(DenseArrayBase)
    clip = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = (
        "$deltas `,` $anchors `weights` custom<Floats>($weights)"
        " `clip` custom<Floats>($clip) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        weights = numbers_of("weights", properties["weights"], 4)
        require(min(weights) > 0, f"weights must be positive, got {list(weights)}")
        numbers_of("clip", properties["clip"], 1)
        deltas, anchors = (require_boxes("decode_boxes", x) for x in operands)
        shape, rank = deltas.get_shape(), len(anchors.get_shape())
        require(
            2 <= rank <= len(shape) and anchors.get_shape() == shape[-rank:],
            f"anchors {describe_value(anchors)} do not fit deltas"
            f" {describe_value(deltas)}",
        )
        return [deltas]


@op_definition
class DecodeDflOp(UnaryStep):
    """Expected values of distributions (distribution focal loss, YOLOv8's four sides):
    the sum of k * softmax(x)[k] over the bins.

    The axis of 4 * bins numbers becomes one of 4; `axis` counts it.

    ```mlir
    %r = pipe.decode_dfl %x bins 16 axis 1 : (tensor<1x64x9xf32>) -> tensor<1x4x9xf32>
    ```
    """

    name = "pipe.decode_dfl"

    bins = prop_def(IntegerAttr)
    axis = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `bins` custom<Int>($bins) `axis` custom<Int>($axis) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, bins = operands[0], int_of(properties["bins"])
        shape = list(x.get_shape())
        axis = normalize_axis(int_of(properties["axis"]), len(shape))
        require(
            bins > 0
            and shape[axis] == 4 * bins
            and x.element_type == DTYPES["float32"],
            f"decode_dfl takes float32 with 4 * {bins} numbers along axis {axis}, got"
            f" {describe_value(x)}",
        )
        shape[axis] = 4
        return [tensor("float32", shape)]


OPS: Sequence[type[IRDLOperation]] = (
    ClipBoxesOp,
    ConvertBoxesOp,
    DecodeBoxesOp,
    DecodeDflOp,
    ScaleBoxesOp,
)
