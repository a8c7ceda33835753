"""Ops that combine all elements along some axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    flag_of,
    int_array,
    int_attr,
    int_of,
    ints,
    normalize_axis,
    require,
)
from devproc.ir.directives import Int, Ints
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_bool, is_float, tensor


def reduced_shape(
    shape: Sequence[int], axes: Sequence[int], keep: bool
) -> tuple[int, ...]:
    """The shape after reducing `axes`, which remain with size 1 if `keep` is set."""
    return tuple(
        1 if axis in axes else size
        for axis, size in enumerate(shape)
        if keep or axis not in axes
    )


class ReduceOp(NNOp):
    """A reduction over `axes` (sorted, distinct, not negative), keeping the dtype."""

    operand = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    keep = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `axes` custom<Ints>($axes) `keep` custom<Int>($keep) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (
        Int,
        Ints,
    )

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape, axes = operands[0].get_shape(), ints(properties["axes"])
        require(
            not is_bool(operands[0].element_type),
            f"{cls.name} does not take a bool operand",
        )
        require(
            list(axes) == sorted(set(axes)),
            f"axes {list(axes)} must be sorted and distinct",
        )
        require(
            all(0 <= a < len(shape) for a in axes),
            f"axes {list(axes)} are out of range for rank {len(shape)}",
        )
        keep = flag_of("keep", properties["keep"])
        return [tensor(operands[0].element_type, reduced_shape(shape, axes, keep))]

    @classmethod
    def over(cls, operand: SSAValue, axes: Sequence[int], keep: bool) -> IRDLOperation:
        """The reduction of `operand` over `axes`."""
        return cls.build_op(
            [operand], {"axes": int_array(sorted(axes)), "keep": int_attr(int(keep))}
        )


@op_definition
class ReduceSumOp(ReduceOp):
    """Sum over axes; 0 for an empty reduction (`aten.sum.dim_IntList`).

    A primitive because only a loop that carries its result reads each element once.

    `%r = nn.reduce_sum %x axes [1] keep 0 : (tensor<2x3xf32>) -> tensor<2xf32>`
    """

    name = "nn.reduce_sum"


@op_definition
class ReduceProdOp(ReduceOp):
    """Product over axes; 1 for an empty reduction (`aten.prod.dim_int`).

    A primitive because only a loop that carries its result reads each element once.
    """

    name = "nn.reduce_prod"


@op_definition
class ReduceMaxOp(ReduceOp):
    """Maximum over axes; NaN propagates (`aten.amax`). The reduction must not be empty.

    A primitive because only a loop that carries its result reads each element once.
    """

    name = "nn.reduce_max"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        result = super().infer(operands, properties)
        shape = operands[0].get_shape()
        require(
            all(shape[a] > 0 for a in ints(properties["axes"])),
            "nn.reduce_max over an empty dimension has no value",
        )
        return result


@op_definition
class ArgmaxOp(NNOp):
    """Index (int64) of the first maximum along one axis, or of the first NaN
    (`aten.argmax`).

    A primitive because one pass has to carry the index together with the maximum.

    `%r = nn.argmax %x axis 1 keep 0 : (tensor<2x3xf32>) -> tensor<2xi64>`
    """

    name = "nn.argmax"

    operand = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    keep = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `axis` custom<Int>($axis) `keep` custom<Int>($keep) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = operands[0].get_shape()
        require(
            not is_bool(operands[0].element_type),
            "nn.argmax does not take a bool operand",
        )
        axis = normalize_axis(int_of(properties["axis"]), len(shape))
        require(shape[axis] > 0, "nn.argmax over an empty dimension has no value")
        keep = flag_of("keep", properties["keep"])
        return [tensor("int64", reduced_shape(shape, [axis], keep))]


class SoftmaxBase(NNOp):
    """A softmax-like op: normalizes elements along one axis, keeping the shape."""

    operand = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = "$operand `axis` custom<Int>($axis) attr-dict `:` functional-type(operands, results)"

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        element, shape = operands[0].element_type, operands[0].get_shape()
        require(is_float(element), f"{cls.name} takes a floating-point operand")
        normalize_axis(int_of(properties["axis"]), len(shape))
        return [tensor(element, shape)]

    @classmethod
    def along(cls, operand: SSAValue, axis: int) -> Self:
        """The softmax of `operand` along an axis."""
        return cls.build_op([operand], {"axis": int_attr(axis)})


@op_definition
class LogSoftmaxOp(SoftmaxBase):
    """x - max - log(sum(exp(x - max))) along one axis (`aten.log_softmax.int`).

    `%r = nn.log_softmax %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.log_softmax"


@op_definition
class SoftmaxOp(SoftmaxBase):
    """exp(x - max) / sum along one axis (`aten.softmax.int`).

    `%r = nn.softmax %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.softmax"


OPS: Sequence[type[IRDLOperation]] = (
    ArgmaxOp,
    LogSoftmaxOp,
    ReduceMaxOp,
    ReduceProdOp,
    ReduceSumOp,
    SoftmaxOp,
)
