"""Steps on scores, such as those of a classifier."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
)

from devproc.dialects.nn import reduction
from devproc.dialects.nn.base import (
    Properties,
    int_attr,
    int_of,
    normalize_axis,
    require,
)
from devproc.dialects.pipe.base.layout import describe_value, layout_of, with_layout
from devproc.dialects.pipe.base.step import AxisStep, PipeOp, UnaryStep
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_float, tensor


@op_definition
class SoftmaxOp(AxisStep):
    """exp(x - max) / sum along one axis.

    `%r = pipe.softmax %x axis -1 : (tensor<1x10xf32>) -> tensor<1x10xf32>`
    """

    name = "pipe.softmax"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (result,) = reduction.SoftmaxOp.infer(operands, properties)
        return [with_layout(result, layout_of(operands[0]))]


@op_definition
class ArgmaxOp(AxisStep):
    """Index (int64) of the first maximum along one axis, which is removed.

    `%r = pipe.argmax %x axis -1 : (tensor<1x10xf32>) -> tensor<1xi64>`
    """

    name = "pipe.argmax"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        nn_properties = argmax_properties(properties)
        (result,) = reduction.ArgmaxOp.infer(operands, nn_properties)
        layout = layout_of(x)
        if layout is not None:
            axis = normalize_axis(int_of(properties["axis"]), len(layout))
            layout = layout[:axis] + layout[axis + 1 :]
        return [with_layout(result, layout)]


@op_definition
class SigmoidOp(UnaryStep):
    """1 / (1 + exp(-x)).

    `%r = pipe.sigmoid %x : (tensor<1x10xf32>) -> tensor<1x10xf32>`
    """

    name = "pipe.sigmoid"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (x,) = operands
        require(
            is_float(x.element_type),
            f"sigmoid takes floating-point values, got {describe_value(x)}",
        )
        return [x]


@op_definition
class TopKOp(PipeOp):
    """The k largest elements along an axis in descending order, and their indices
    (int64) (`torch.topk`). Equal elements keep their order; NaN is the largest.

    `%v, %i = pipe.top_k %x k 3 axis -1 : (tensor<1x10xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>)`
    """

    name = "pipe.top_k"

    operand = operand_def(TensorType)
    k = prop_def(IntegerAttr)
    axis = prop_def(IntegerAttr)
    values = result_def(TensorType)
    indices = result_def(TensorType)

    assembly_format = (
        "$operand `k` custom<Int>($k) `axis` custom<Int>($axis) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (x,) = operands
        k, shape = int_of(properties["k"]), list(x.get_shape())
        axis = normalize_axis(int_of(properties["axis"]), len(shape))
        require(
            0 < k <= shape[axis],
            f"k must be from 1 to {shape[axis]}, the size of axis {axis} of"
            f" {describe_value(x)}, got {k}",
        )
        shape[axis] = k
        layout = layout_of(x)
        return [
            with_layout(tensor(x.element_type, shape), layout),
            with_layout(tensor("int64", shape), layout),
        ]


def argmax_properties(properties: Properties) -> Properties:
    """The properties of the `nn.argmax` that a `pipe.argmax` stands for."""
    return {**properties, "keep": int_attr(0)}


OPS: Sequence[type[IRDLOperation]] = (ArgmaxOp, SigmoidOp, SoftmaxOp, TopKOp)
