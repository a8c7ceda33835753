"""Steps on masks, class maps and heatmaps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
)

from devproc.dialects.nn.base import Properties, require
from devproc.dialects.pipe.base.layout import describe_value, layout_of, with_layout
from devproc.dialects.pipe.base.step import PipeOp, UnaryStep
from devproc.dialects.pipe.boxes import numbers_of
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, is_float, tensor


@op_definition
class ThresholdOp(UnaryStep):
    """Whether each element is above a number, which is rounded to the values' dtype;
    false for NaN.

    `%r = pipe.threshold %x above [0.5] : (tensor<4x5xf32>) -> tensor<4x5xi1>`
    """

    name = "pipe.threshold"

    value = prop_def(DenseArrayBase)

    assembly_format = (
        "$operand `above` custom<Floats>($value) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        numbers_of("value", properties["value"], 1)
        require(
            is_float(x.element_type),
            f"threshold takes floating-point values, got {describe_value(x)}",
        )
        return [with_layout(tensor("bool", x.get_shape()), layout_of(x))]


@op_definition
class PaletteOp(PipeOp):
    """The colour of each class, uint8 (n, 3): a last axis C is added.

    A negative class counts from the end of the palette (-1 is the last); classes are
    then clamped.

    ```mlir
    %r = pipe.palette %x colors %p : (tensor<4x5xi64, #pipe.axes<"HW">>, tensor<21x3xui8>)
      -> tensor<4x5x3xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.palette"

    operand = operand_def(TensorType)
    colors = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `colors` $colors attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, colors = operands
        shape, layout = x.get_shape(), layout_of(x)
        require(
            x.element_type in (DTYPES["int32"], DTYPES["int64"])
            and "C" not in (layout or ""),
            f"palette takes classes (int32, int64) without channels, got"
            f" {describe_value(x)}",
        )
        require(
            colors.element_type == DTYPES["uint8"]
            and len(colors.get_shape()) == 2
            and colors.get_shape()[1] == 3
            and colors.get_shape()[0] > 0,
            f"a palette is uint8 (colors, 3), got {describe_value(colors)}",
        )
        result = tensor("uint8", (*shape, 3))
        return [with_layout(result, layout + "C" if layout else None)]


@op_definition
class DecodeKeypointsOp(PipeOp):
    """Keypoints (x, y) in pixels of heatmaps and their scores: the first maximum of
    each, moved by a quarter towards the higher neighbour along each axis
    (`get_final_preds` of HRNet and Simple Baselines, without its affine map).

    Heatmaps (b, k, h, w). A keypoint in the first two or the last row or column is not
    moved; it is (0, 0) if no score is above 0.

    ```mlir
    %p, %s = pipe.decode_keypoints %x
      : (tensor<1x17x8x6xf32>) -> (tensor<1x17x2xf32>, tensor<1x17xf32>)
    ```
    """

    name = "pipe.decode_keypoints"

    operand = operand_def(TensorType)
    places = result_def(TensorType)
    scores = result_def(TensorType)

    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        shape = x.get_shape()
        require(
            x.element_type == DTYPES["float32"] and len(shape) == 4 and 0 not in shape,
            f"decode_keypoints takes float32 heatmaps (b, k, h, w), got"
            f" {describe_value(x)}",
        )
        return [tensor("float32", (*shape[:2], 2)), tensor("float32", shape[:2])]


OPS: Sequence[type[IRDLOperation]] = (DecodeKeypointsOp, PaletteOp, ThresholdOp)
