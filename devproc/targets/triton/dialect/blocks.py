"""Ops that create and reshape blocks: arange, splat, broadcast and others."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32, i64
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.ir.op_definition import op_definition
from devproc.targets.triton.dialect.types import (
    BLOCK,
    I32,
    element_of,
    shape_of,
    verify_block,
    verify_element,
    verify_shape,
)


@op_definition
class ArangeOp(IRDLOperation):
    """The indices 0..n-1: `%i = triton.arange : tensor<64xi32>`."""

    name = "triton.arange"

    result = result_def(BLOCK)

    assembly_format = "attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_block("result", self.result.type)
        verify_element("result", self.result.type, i32)
        if len(shape_of(self.result.type)) != 1:
            raise VerifyException("arange gives a block of one dimension")


@op_definition
class SplatOp(IRDLOperation):
    """A block filled with a scalar: `triton.splat %s : f32 -> tensor<64xf32>`."""

    name = "triton.splat"

    source = operand_def()
    result = result_def(BLOCK)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_block("result", self.result.type)
        verify_element("result", self.result.type, self.source.type)


@op_definition
class ExpandDimsOp(IRDLOperation):
    """Insert a dimension of size one before `axis`.

    `triton.expand_dims %x axis 1 : tensor<64xf32> -> tensor<64x1xf32>`
    """

    name = "triton.expand_dims"

    axis = prop_def(I32)
    source = operand_def(BLOCK)
    result = result_def(BLOCK)

    assembly_format = (
        "$source `axis` $axis attr-dict `:` type($source) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        shape = list(shape_of(self.source.type))
        axis = self.axis.value.data
        if not 0 <= axis <= len(shape):
            raise VerifyException(f"axis {axis} is not in 0..{len(shape)}")
        shape.insert(axis, 1)
        verify_shape("result", self.result.type, shape)
        verify_element("result", self.result.type, element_of(self.source.type))


@op_definition
class BroadcastOp(IRDLOperation):
    """Repeat dimensions of size one.

    `triton.broadcast %x : tensor<64x1xf32> -> tensor<64x32xf32>`
    """

    name = "triton.broadcast"

    source = operand_def(BLOCK)
    result = result_def(BLOCK)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source, result = shape_of(self.source.type), shape_of(self.result.type)
        verify_block("result", self.result.type)
        verify_element("result", self.result.type, element_of(self.source.type))
        if len(source) != len(result) or any(
            a not in (1, b) for a, b in zip(source, result, strict=True)
        ):
            raise VerifyException(
                f"cannot broadcast {list(source)} to {list(result)}: only dimensions"
                " of size 1 grow"
            )


@op_definition
class ReshapeOp(IRDLOperation):
    """The same elements, in row-major order, in another shape."""

    name = "triton.reshape"

    source = operand_def(BLOCK)
    result = result_def(BLOCK)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source, result = shape_of(self.source.type), shape_of(self.result.type)
        verify_block("result", self.result.type)
        verify_element("result", self.result.type, element_of(self.source.type))
        if prod(source) != prod(result):
            raise VerifyException(
                f"cannot reshape {list(source)} to {list(result)}: element counts differ"
            )


@op_definition
class TransOp(IRDLOperation):
    """Permute dimensions; result dimension i is source dimension `order[i]`.

    `triton.trans %x order [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>`
    """

    name = "triton.trans"

    order = prop_def(DenseArrayBase.constr(i64))
    source = operand_def(BLOCK)
    result = result_def(BLOCK)

    assembly_format = (
        "$source `order` $order attr-dict `:` type($source) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source = shape_of(self.source.type)
        order = [int(d) for d in self.order.get_values()]
        if sorted(order) != list(range(len(source))):
            raise VerifyException(
                f"order {order} is not a permutation of {len(source)}"
            )
        verify_shape("result", self.result.type, [source[d] for d in order])
        verify_element("result", self.result.type, element_of(self.source.type))


@op_definition
class SortOp(IRDLOperation):
    """Integers in ascending order along the last axis.

    `%r = triton.sort %x axis 1 : tensor<4x64xi64>`
    """

    name = "triton.sort"

    T: ClassVar = VarConstraint("T", BLOCK)

    axis = prop_def(I32)
    source = operand_def(T)
    result = result_def(T)

    assembly_format = "$source `axis` $axis attr-dict `:` type($source)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        shape, axis = shape_of(self.source.type), self.axis.value.data
        if axis != len(shape) - 1:
            raise VerifyException(f"axis {axis} is not the last one of {list(shape)}")
        if not isinstance(element_of(self.source.type), IntegerType):
            raise VerifyException("triton.sort orders integers")


OPS = [ArangeOp, SplatOp, ExpandDimsOp, BroadcastOp, ReshapeOp, SortOp, TransOp]
