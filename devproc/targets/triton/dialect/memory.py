"""Pointers, loads and stores."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, f32, i1, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from devproc.ir.op_definition import op_definition
from devproc.targets.triton.dialect.types import (
    PtrType,
    element_of,
    shape_of,
    verify_element,
    verify_shape,
)


@op_definition
class AddPtrOp(IRDLOperation):
    """The pointer(s) `offset` elements after `base`.

    `triton.addptr %x, %i : !triton.ptr<f32>, tensor<64xi32> -> tensor<64x!triton.ptr<f32>>`
    """

    name = "triton.addptr"

    pointer = operand_def(PtrType)
    offset = operand_def()
    result = result_def()

    assembly_format = (
        "$pointer `,` $offset attr-dict"
        " `:` type($pointer) `,` type($offset) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        if element_of(self.offset.type) not in (i32, i64):
            raise VerifyException("offset must be i32 or i64, or a block of them")
        verify_shape("result", self.result.type, shape_of(self.offset.type))
        verify_element("result", self.result.type, self.pointer.type)


def _verify_access(pointer: SSAValue, value: SSAValue, mask: SSAValue | None) -> None:
    shape, element = shape_of(pointer.type), element_of(pointer.type)
    if not isinstance(element, PtrType):
        raise VerifyException(f"expected a pointer or a block of them, got {element}")
    verify_shape("value", value.type, shape)
    verify_element("value", value.type, element.pointee)
    if mask is not None:
        verify_shape("mask", mask.type, shape)
        verify_element("mask", mask.type, i1)


@op_definition
class LoadOp(IRDLOperation):
    """Load through pointers; where `mask` is false, `other` without accessing memory.

    `%v = triton.load %p mask %m : tensor<8xi1> other %o : tensor<8x!triton.ptr<f32>> -> tensor<8xf32>`
    """

    name = "triton.load"

    pointer = operand_def()
    mask = opt_operand_def()
    other = opt_operand_def(VarConstraint("T", AnyAttr()))
    result = result_def(VarConstraint("T", AnyAttr()))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "$pointer (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))?"
        " attr-dict `:` type($pointer) `->` type($result)"
    )

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        _verify_access(self.pointer, self.result, self.mask)
        if (self.mask is None) != (self.other is None):
            raise VerifyException("a masked load needs `other`, an unmasked has none")


@op_definition
class StoreOp(IRDLOperation):
    """Store `value` through pointers where `mask` is true.

    `triton.store %p, %v mask %m : tensor<8xi1> : tensor<8x!triton.ptr<f32>>, tensor<8xf32>`
    """

    name = "triton.store"

    pointer = operand_def()
    value = operand_def()
    mask = opt_operand_def()

    assembly_format = (
        "$pointer `,` $value (`mask` $mask^ `:` type($mask))? attr-dict"
        " `:` type($pointer) `,` type($value)"
    )

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        _verify_access(self.pointer, self.value, self.mask)


ATOMICS = ("add", "max", "min")
"""How an atomic op combines a number with the one in memory."""


@op_definition
class AtomicOp(IRDLOperation):
    """Combines `value` with what is in memory, each as one step, where `mask` is true; in
    any order of lanes and programs.

    `triton.atomic "add" %p, %v mask %m : tensor<8xi1> : tensor<8x!triton.ptr<i32>>, tensor<8xi32>`
    """

    name = "triton.atomic"

    kind = prop_def(StringAttr)
    pointer = operand_def()
    value = operand_def()
    mask = opt_operand_def()

    assembly_format = (
        "$kind $pointer `,` $value (`mask` $mask^ `:` type($mask))? attr-dict"
        " `:` type($pointer) `,` type($value)"
    )

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        _verify_access(self.pointer, self.value, self.mask)
        if self.kind.data not in ATOMICS:
            raise VerifyException(
                f"unknown atomic '{self.kind.data}'; one of {', '.join(ATOMICS)}"
            )
        element = element_of(self.value.type)
        if element not in (i32, i64, f32) or (
            element == f32 and self.kind.data != "add"
        ):
            raise VerifyException("an atomic combines i32 or i64, or adds f32")


OPS = [AddPtrOp, AtomicOp, LoadOp, StoreOp]
