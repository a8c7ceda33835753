"""Ops that move elements without computing: reshape, transpose, pad, pack."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, TensorType
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

from devproc.dialects.dev import LayoutAttr
from devproc.dialects.directives import Ints
from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    describe,
    int_array,
    ints,
    require,
)
from devproc.ir.types import AnyTensor, format_shape, tensor


@irdl_op_definition
class ReshapeOp(NNOp):
    """The same elements, row-major, in another shape (`aten.reshape`).

    `%r = nn.reshape %x to [6] : (tensor<2x3xf32>) -> tensor<6xf32>`
    """

    name = "nn.reshape"

    operand = operand_def(TensorType)
    shape = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = "$operand `to` custom<Ints>($shape) attr-dict `:` functional-type(operands, results)"

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = ints(properties["shape"])
        require(all(d >= 0 for d in shape), f"negative size in {format_shape(shape)}")
        require(
            prod(shape) == prod(operands[0].get_shape()),
            f"{describe(operands[0])} does not reshape to {format_shape(shape)}",
        )
        return [tensor(operands[0].element_type, shape)]

    @classmethod
    def to(cls, operand: SSAValue, shape: Sequence[int]) -> ReshapeOp:
        """`operand` in this shape."""
        return cls.build_op([operand], {"shape": int_array(shape)})


@irdl_op_definition
class TransposeOp(NNOp):
    """Dimensions in another order: result[i] = operand[permutation[i]]
    (`aten.permute`).

    `%r = nn.transpose %x by [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>`
    """

    name = "nn.transpose"

    operand = operand_def(TensorType)
    permutation = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = "$operand `by` custom<Ints>($permutation) attr-dict `:` functional-type(operands, results)"

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape, permutation = operands[0].get_shape(), ints(properties["permutation"])
        require(
            sorted(permutation) == list(range(len(shape))),
            f"{list(permutation)} is not a permutation of {len(shape)} dimensions",
        )
        return [tensor(operands[0].element_type, [shape[d] for d in permutation])]

    @classmethod
    def by(cls, operand: SSAValue, permutation: Sequence[int]) -> TransposeOp:
        """`operand` with its dimensions in this order."""
        return cls.build_op([operand], {"permutation": int_array(permutation)})


@irdl_op_definition
class PadOp(NNOp):
    """Zeros before and after each dimension (`aten.constant_pad_nd` with value 0).

    `%r = nn.pad %x low [0, 1] high [0, 2] : (tensor<2x3xf32>) -> tensor<2x6xf32>`
    """

    name = "nn.pad"

    operand = operand_def(TensorType)
    low = prop_def(DenseArrayBase)
    high = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `low` custom<Ints>($low) `high` custom<Ints>($high) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Ints,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = operands[0].get_shape()
        low, high = ints(properties["low"]), ints(properties["high"])
        require(
            len(low) == len(high) == len(shape),
            f"padding needs {len(shape)} values on each side",
        )
        sizes = [a + s + b for a, s, b in zip(low, shape, high, strict=True)]
        require(
            min((*low, *high), default=0) >= 0 and min(sizes, default=0) >= 0,
            f"padding must not be negative, got {list(low)} and {list(high)}",
        )
        return [tensor(operands[0].element_type, sizes)]

    @classmethod
    def around(
        cls, operand: SSAValue, low: Sequence[int], high: Sequence[int]
    ) -> PadOp:
        """`operand` with `low` zeros before and `high` after each dimension."""
        return cls.build_op([operand], {"low": int_array(low), "high": int_array(high)})


@irdl_op_definition
class PackOp(NNOp):
    """Stores a tensor in a blocked layout, as a row-major tensor of the physical shape;
    where a tile does not divide its dimension, zeros fill it up.

    Only in `@prepare`: weights are packed once, at compile time.

    ```mlir
    %r = nn.pack %w as <[0, 1], [16, 1]> : (tensor<30x8xf32>) -> tensor<2x8x16xf32>
    ```
    """

    name = "nn.pack"

    operand = operand_def(TensorType)
    layout = prop_def(LayoutAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `as` $layout attr-dict `:` functional-type(operands, results)"
    )

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape, layout = operands[0].get_shape(), properties["layout"]
        assert isinstance(layout, LayoutAttr)
        require(
            len(layout.order_of_dims) == len(shape),
            f"a layout of {len(layout.order_of_dims)} dimensions does not fit "
            f"{describe(operands[0])}",
        )
        return [tensor(operands[0].element_type, layout.physical_shape(shape))]

    @classmethod
    def into(cls, operand: SSAValue, layout: LayoutAttr) -> PackOp:
        """`operand` stored in this layout."""
        return cls.build_op([operand], {"layout": layout})


OPS: Sequence[type[IRDLOperation]] = (PackOp, PadOp, ReshapeOp, TransposeOp)
