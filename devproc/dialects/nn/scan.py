"""Ops that combine each element with all before it along one axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import IntegerAttr, TensorType
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
    int_attr,
    int_of,
    normalize_axis,
    require,
)
from devproc.ir.directives import Int
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_bool, is_float, tensor


class ScanOp(NNOp):
    """A running combination along one axis, keeping shape and dtype."""

    operand = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `axis` custom<Int>($axis) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        element, shape = operands[0].element_type, operands[0].get_shape()
        require(not is_bool(element), f"{cls.name} does not take a bool operand")
        normalize_axis(int_of(properties["axis"]), len(shape))
        return [operands[0]]

    @classmethod
    def along(cls, operand: SSAValue, axis: int) -> Self:
        """The running combination of `operand` along an axis."""
        return cls.build_op([operand], {"axis": int_attr(axis)})


@op_definition
class CumsumOp(ScanOp):
    """The sum of each element and those before it along one axis (`aten.cumsum`).

    Floats are summed up in float64, each sum rounded once; integers wrap.

    A primitive because only a loop that carries its result reads each element once.

    `%r = nn.cumsum %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.cumsum"


@op_definition
class CumprodOp(ScanOp):
    """The product of each element and those before it along one axis (`aten.cumprod`).

    Floats are multiplied in float64, each product rounded once; integers wrap.

    A primitive because only a loop that carries its result reads each element once.
    """

    name = "nn.cumprod"


@op_definition
class LogcumsumexpOp(ScanOp):
    """log(exp(a) + exp(b) + ...) of each element and those before it along one axis
    (`aten.logcumsumexp`), in float64, each result rounded once.

    A primitive because only a loop that carries its result reads each element once.
    """

    name = "nn.logcumsumexp"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        is_known = is_float(operands[0].element_type)
        require(is_known, f"{cls.name} takes a floating-point operand")
        return super().infer(operands, properties)


class ExtremeScanOp(ScanOp):
    """The extreme so far, and the index of its last occurrence."""

    # Repeated, because fields of a base class come after those of the class.
    result = result_def(TensorType)
    indices = result_def(TensorType)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        values = super().infer(operands, properties)
        return [*values, tensor("int64", operands[0].get_shape())]


@op_definition
class CummaxOp(ExtremeScanOp):
    """The largest of each element and those before it along one axis, and its index
    (int64), the last of equal ones (`aten.cummax`). NaN is larger than every number.

    A primitive because only a loop that carries its result reads each element once.

    `%v, %i = nn.cummax %x axis 1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)`
    """

    name = "nn.cummax"


@op_definition
class CumminOp(ExtremeScanOp):
    """The smallest of each element and those before it along one axis, and its index
    (int64), the last of equal ones (`aten.cummin`). NaN is smaller than every number.

    A primitive because only a loop that carries its result reads each element once.
    """

    name = "nn.cummin"


OPS: Sequence[type[IRDLOperation]] = (
    CummaxOp,
    CumminOp,
    CumprodOp,
    CumsumOp,
    LogcumsumexpOp,
)
