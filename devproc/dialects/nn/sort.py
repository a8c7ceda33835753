"""Ops that put elements in order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.directives import Int
from devproc.dialects.nn.base import NNOp, Properties, flag_of, int_attr, require
from devproc.ir.types import DTYPES, AnyTensor, tensor


@irdl_op_definition
class SortOp(NNOp):
    """The last axis in ascending (or descending) order, and the index that each element
    had (`aten.sort.stable`).

    A primitive because a composition of comparisons and choices takes far more passes
    over the data.

    Stable: equal elements keep their order, ascending and descending. NaN is larger than
    every number, -0.0 equals 0.0, False is smaller than True.

    ```mlir
    %v, %i = nn.sort %x descending 0 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
    ```
    """

    name = "nn.sort"

    operand = operand_def(TensorType)
    descending = prop_def(IntegerAttr)
    values = result_def(TensorType)
    indices = result_def(TensorType)

    assembly_format = (
        "$operand `descending` custom<Int>($descending) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = operands[0].get_shape()
        flag_of("descending", properties["descending"])
        require(len(shape) > 0, "nn.sort needs an axis, got a tensor of rank 0")
        return [operands[0], tensor(DTYPES["int64"], shape)]

    @classmethod
    def last_axis(cls, operand: SSAValue, descending: bool) -> SortOp:
        """The sorted last axis of `operand`."""
        return cls.build_op([operand], {"descending": int_attr(int(descending))})


OPS: Sequence[type[IRDLOperation]] = (SortOp,)
