"""Ops that sort elements, or select them by rank."""

from __future__ import annotations

from collections.abc import Sequence

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
    describe,
    flag_of,
    int_attr,
    require,
)
from devproc.ir.directives import Int
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor


@op_definition
class SortOp(NNOp):
    """The last axis sorted in ascending (or descending) order, and the original index
    of each element (`aten.sort.stable`).

    A primitive because a composition of comparisons and selects needs far more passes
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


@op_definition
class KthValueOp(NNOp):
    """Elements of given ranks in the ascending order of the last axis, and their
    original indices (`aten.kthvalue`, `aten.median`).

    A primitive because a full sort takes several times as long.

    The order is that of `nn.sort`. Ranks count from 0 and are clamped; each row may
    have several.

    ```mlir
    %v, %i = nn.kth_value %x at %k
      : (tensor<2x9xf32>, tensor<2x1xi64>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
    ```
    """

    name = "nn.kth_value"

    operand = operand_def(TensorType)
    ranks = operand_def(TensorType)
    values = result_def(TensorType)
    indices = result_def(TensorType)

    assembly_format = (
        "$operand `at` $ranks attr-dict `:` functional-type(operands, results)"
    )

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, ranks = operands
        shape = x.get_shape()
        require(
            len(shape) > 0 and shape[-1] > 0,
            f"nn.kth_value needs an axis with elements, got {describe(x)}",
        )
        require(
            ranks.element_type == DTYPES["int64"]
            and ranks.get_num_dims() == len(shape)
            and ranks.get_shape()[:-1] == shape[:-1],
            f"ranks must be int64 for each row of {describe(x)}, got {describe(ranks)}",
        )
        return [tensor(x.element_type, ranks.get_shape()), ranks]

    @classmethod
    def at(cls, operand: SSAValue, ranks: SSAValue) -> KthValueOp:
        """The elements of each row of these ranks."""
        return cls.build_op([operand, ranks])


OPS: Sequence[type[IRDLOperation]] = (KthValueOp, SortOp)
