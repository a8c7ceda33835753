"""LLVM's spelling of types and constants."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import cache
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute

from devproc.errors import CompileError
from devproc.ir.identity_cache import cached_by_identity

FLOAT_NAMES: dict[type[Attribute], tuple[str, str]] = {
    Float16Type: ("half", "f16"),
    BFloat16Type: ("i16", "i16"),
    Float32Type: ("float", "f32"),
    Float64Type: ("double", "f64"),
}
"""The name of a float type, and its suffix in names of intrinsics.

A bf16 is printed as its bits: no arithmetic is done on it (`small_floats.py`), and on a
processor without the type LLVM may move a `bfloat` by a call that rounds from float.
"""


def _fail(type_: Attribute) -> CompileError:
    return CompileError(
        f"llvm-ir: type {type_} has no form in LLVM IR; convert-to-llvm leaves "
        "integers, floats, pointers, and vectors, arrays and structs of these"
    )


@cached_by_identity
def type_text(type_: Attribute) -> str:
    """`<16 x float>`, `ptr`, `[4 x i8]`."""
    match type_:
        case llvm.LLVMPointerType():
            return "ptr"
        case IntegerType():
            return f"i{type_.width.data}"
        case VectorType():
            if len(type_.get_shape()) != 1 or type_.get_num_scalable_dims():
                raise _fail(type_)
            return f"<{type_.get_shape()[0]} x {type_text(type_.element_type)}>"
        case llvm.LLVMArrayType():
            return f"[{type_.size.data} x {type_text(type_.type)}]"
        case llvm.LLVMStructType():
            return "{ " + ", ".join(type_text(t) for t in type_.types) + " }"
        case llvm.LLVMVoidType():
            return "void"
        case _ if type(type_) in FLOAT_NAMES:
            return FLOAT_NAMES[type(type_)][0]
        case _:
            raise _fail(type_)


@cached_by_identity
def mangled(type_: Attribute) -> str:
    """The type in the name of an overloaded intrinsic: `v16f32`, `p0`."""
    match type_:
        case llvm.LLVMPointerType():
            return "p0"
        case IntegerType():
            return f"i{type_.width.data}"
        case VectorType():
            return f"v{type_.get_shape()[0]}{mangled(type_.element_type)}"
        case _ if type(type_) in FLOAT_NAMES:
            return FLOAT_NAMES[type(type_)][1]
        case _:
            raise _fail(type_)


def number_text(value: int | float, type_: Attribute) -> str:
    """A number without its type. Floats are bit patterns, so nothing is rounded."""
    match type_:
        case IntegerType():
            width = type_.width.data
            number = int(value) & ((1 << width) - 1)
            if width == 1:
                return "true" if number else "false"
            return str(number - (1 << width) if number >> (width - 1) else number)
        case Float64Type():
            return f"0x{struct.pack('>d', value).hex().upper()}"
        case Float32Type():
            # LLVM writes a float as the double of the same value.
            return f"0x{struct.pack('>d', _round_to_float(value)).hex().upper()}"
        case Float16Type():
            return f"0xH{_packed('>e', value).hex().upper()}"
        case BFloat16Type():
            return number_text(_bfloat_bits(value), IntegerType(16))
        case _:
            raise _fail(type_)


def _packed(form: str, value: float) -> bytes:
    """The bytes of a float, rounded; an overflow is an infinity."""
    try:
        return struct.pack(form, value)
    except OverflowError:
        return struct.pack(form, math.copysign(math.inf, value))


def _round_to_float(value: float) -> float:
    return (
        math.nan if math.isnan(value) else struct.unpack(">f", _packed(">f", value))[0]
    )


def _bfloat_bits(value: float) -> int:
    """The upper half of a float, rounded to nearest even."""
    if math.isnan(value):
        return 0x7FC0
    (bits,) = struct.unpack(">I", _packed(">f", value))
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


@cache
def constant_text(value: Attribute, type_: Attribute) -> str:
    """A constant without its type: a number, or a vector of numbers."""
    match value:
        case IntegerAttr() | FloatAttr():
            return number_text(value.value.data, type_)
        case DenseIntOrFPElementsAttr() if isinstance(type_, VectorType):
            element = cast(VectorType[Attribute], type_).element_type
            values = cast("Sequence[int | float]", value.get_values())
            lanes = cast(VectorType[Attribute], type_).get_shape()[0]
            name = type_text(element)
            texts = [number_text(v, element) for v in values]
            if len(set(texts)) == 1 or len(texts) != lanes:
                return f"splat ({name} {texts[0]})"
            return "<" + ", ".join(f"{name} {text}" for text in texts) + ">"
        case _:
            raise CompileError(f"llvm-ir: constant {value} has no form in LLVM IR")


def initializer_text(value: Attribute, type_: Attribute) -> str:
    """The initial value of a global: an array of numbers in row-major order."""
    if not isinstance(value, DenseIntOrFPElementsAttr) or not isinstance(
        type_, llvm.LLVMArrayType
    ):
        raise CompileError(f"llvm-ir: {value} cannot initialise a {type_}")
    values = list(cast("Sequence[int | float]", value.get_values()))
    count = type_.size.data
    if len(values) == 1:
        values *= count
    name = type_text(type_.type)
    return "[" + ", ".join(f"{name} {number_text(v, type_.type)}" for v in values) + "]"
