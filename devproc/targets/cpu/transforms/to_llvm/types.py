"""Conversion of types to `llvm`, and the memory layout of memrefs.

A memref becomes a bare pointer to its first element: its shape is static, so no
descriptor is needed. An `index` has 64 bits. A bool is one byte in memory (0 or 1); a
lane of a mask in a register is one bit.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects.dev import OnAttr
from devproc.ir.identity_cache import cached_by_identity

AnyMemRef = MemRefType[Attribute]
AnyVector = VectorType[Attribute]

POINTER = LLVMPointerType()


class UnsupportedTypeError(PassFailedException):
    """A type that cannot be converted; the caller adds the op to the message."""


SUPPORTED = "integers, index, f16, bf16, f32, f64, 1-D vectors of these, and memrefs"


@cached_by_identity
def convert_type(type_: Attribute) -> Attribute:
    """The `llvm` type of a value of this type."""
    match type_:
        case IndexType():
            return i64
        case IntegerType():
            return IntegerType(type_.width.data)
        case Float16Type() | BFloat16Type() | Float32Type() | Float64Type():
            return type_
        case MemRefType():
            return POINTER
        case LLVMPointerType():
            return type_
        case VectorType():
            if len(type_.get_shape()) == 1 and type_.get_num_scalable_dims() == 0:
                return VectorType(convert_type(type_.element_type), type_.get_shape())
        case _:
            pass
    raise UnsupportedTypeError(
        f"type {type_} cannot be converted to llvm; supported are {SUPPORTED}"
    )


@cache
def memory_type(element: Attribute) -> Attribute:
    """The type of an element of a memref in memory: a bool is a byte."""
    converted = convert_type(element)
    return i8 if converted == i1 else converted


@cached_by_identity
def byte_width(element: Attribute) -> int:
    """Bytes of an element in memory."""
    type_ = memory_type(element)
    if isinstance(type_, IntegerType):
        return max(1, cast(IntegerType, type_).width.data // 8)
    return {Float16Type: 2, BFloat16Type: 2, Float32Type: 4, Float64Type: 8}[
        cast(type[Float32Type], type(type_))
    ]


@cached_by_identity
def strides_of(type_: AnyMemRef) -> tuple[int, ...]:
    """The strides of a memref in elements; it must be static."""
    strides = type_.get_strides()
    if strides is None or None in strides or DYNAMIC_INDEX in type_.get_shape():
        raise UnsupportedTypeError(
            f"{type_} is not static: every size and stride of a CPU "
            "memref must be a constant by now"
        )
    return tuple(cast("tuple[int, ...]", strides))


@cache
def size_in_bytes(type_: AnyMemRef) -> int:
    """The size of a dense memref in bytes."""
    strides_of(type_)
    shape, space = type_.get_shape(), type_.memory_space
    if isinstance(space, OnAttr):
        shape = space.physical_shape(shape)
    return prod(shape) * byte_width(type_.element_type)
