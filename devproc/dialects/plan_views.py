"""Views of memory, which neither allocate nor copy."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import IndexType, MemRefType, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import byte_size, device_of
from devproc.ir.op_definition import op_definition


@op_definition
class ViewOp(IRDLOperation):
    """A reshape that copies nothing: the same bytes, row-major, in another shape.

    Applies to tensors before memory planning and to memrefs after it.

    `%v = plan.view %x : tensor<2x3xf32> -> tensor<6xf32>`
    """

    name = "plan.view"

    source = operand_def(TensorType | MemRefType)
    result = result_def(TensorType | MemRefType)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source = cast(TensorType[Attribute], self.source.type)
        result = cast(TensorType[Attribute], self.result.type)
        if type(source) is not type(result):
            raise VerifyException("plan.view keeps tensors tensors, memrefs memrefs")
        if byte_size(source) != byte_size(result):
            raise VerifyException(
                f"plan.view from {prod(source.get_shape())} elements to "
                f"{prod(result.get_shape())}"
            )
        if device_of(source) != device_of(result):
            raise VerifyException("plan.view does not move a value to another device")


@op_definition
class SliceOp(IRDLOperation):
    """One step of a sequence: the bytes at an index of its first axis, without that axis.

    `%now = plan.slice %x[%step] : memref<640x2x8xf32> -> memref<2x8xf32>`
    """

    name = "plan.slice"

    source = operand_def(MemRefType)
    index = operand_def(IndexType)
    result = result_def(MemRefType)

    assembly_format = (
        "$source `[` $index `]` attr-dict `:` type($source) `->` type($result)"
    )

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue, index: SSAValue):
        type_ = cast(MemRefType[Attribute], source.type)
        step = MemRefType(
            type_.element_type,
            type_.get_shape()[1:],
            type_.layout,
            type_.memory_space,
        )
        super().__init__(operands=[source, index], result_types=[step])

    def verify_(self) -> None:
        source = cast(MemRefType[Attribute], self.source.type)
        result = self.result.type
        kept = (source.element_type, source.layout, source.memory_space)
        if kept != (result.element_type, result.layout, result.memory_space) or (
            source.get_shape()[1:] != result.get_shape() or not source.get_num_dims()
        ):
            raise VerifyException(
                f"plan.slice of {source} must drop its first axis and nothing else,"
                f" got {result}"
            )
