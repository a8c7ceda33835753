"""f16 and bf16: stored in 16 bits, computed in f32.

Few processors compute in these types; for others LLVM calls a C function for each lane.
So every op on them widens its operands to f32 and rounds its result once, as in
PyTorch. bf16 is converted bitwise, rounding to nearest even, with the same result on
every processor. f16 is converted by an instruction, or bitwise if there is none
(`half_floats.py`).
"""

from __future__ import annotations

from functools import cache
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    VectorType,
    f32,
    i1,
)
from xdsl.ir import Attribute, SSAValue

from devproc.ir.identity_cache import cached_by_identity
from devproc.targets.cpu.dialects.llvm_ext import ops as llvm_ops
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.to_llvm.half_floats import round_to_half, widen_half
from devproc.targets.cpu.transforms.to_llvm.lowering import FunctionLowering
from devproc.targets.cpu.transforms.to_llvm.properties import NO_FLAGS, integer_attr

QUIET_NAN = 0x7FC0
"""NaN in bf16: rounding the bits of a NaN could turn it into an infinity."""


def element_of(type_: Attribute) -> Attribute:
    """The element type of a vector, else the type itself."""
    if isinstance(type_, VectorType):
        return cast(VectorType[Attribute], type_).element_type
    return type_


@cache
def with_element(type_: Attribute, element: Attribute) -> Attribute:
    """The same scalar or vector type with another element."""
    if isinstance(type_, VectorType):
        return VectorType(element, cast(VectorType[Attribute], type_).get_shape())
    return element


@cached_by_identity
def is_small_float(type_: Attribute) -> bool:
    """Whether the type is f16 or bf16, or a vector of these."""
    return isinstance(element_of(type_), Float16Type | BFloat16Type)


def widen(fn: FunctionLowering, value: SSAValue) -> SSAValue:
    """The value in its compute type, which is f32 for small floats.

    bf16 is the upper half of an f32. LLVM's `fpext` flushes denormals on processors
    that convert bf16 in hardware.
    """
    if not is_small_float(value.type):
        return value
    float_type = with_element(value.type, f32)
    if isinstance(element_of(value.type), Float16Type):
        if "half" in machine_of(fn.module.target).missing_names:
            return widen_half(fn, value)
        return fn.value(llvm.FPExtOp, (value,), float_type)
    narrow = with_element(value.type, IntegerType(16))
    wide = with_element(value.type, IntegerType(32))
    bits = fn.value(llvm.BitcastOp, (value,), narrow)
    bits = fn.value(llvm.ZExtOp, (bits,), wide)
    upper = fn.value(llvm.ShlOp, (bits, fn.constant_like(16, wide)), wide)
    return fn.value(llvm.BitcastOp, (upper,), float_type)


def convert_float(fn: FunctionLowering, value: SSAValue, type_: Attribute) -> SSAValue:
    """The value in another float type, rounded if that is smaller."""
    source, target = element_of(value.type), element_of(type_)
    if source == target:
        return value
    if isinstance(source, Float64Type) and is_small_float(target):
        value = fn.value(llvm.FPTruncOp, (value,), with_element(type_, f32))
        source = f32
    elif is_small_float(source):
        return convert_float(fn, widen(fn, value), type_)
    if isinstance(source, Float32Type) and isinstance(target, BFloat16Type):
        return _round_to_bfloat(fn, value, type_)
    if (
        isinstance(target, Float16Type)
        and "half" in machine_of(fn.module.target).missing_names
    ):
        return round_to_half(fn, value, type_)
    wider = isinstance(target, Float64Type)
    return fn.value(llvm.FPExtOp if wider else llvm.FPTruncOp, (value,), type_)


def _round_to_bfloat(
    fn: FunctionLowering, value: SSAValue, type_: Attribute
) -> SSAValue:
    """Round an f32 to its upper 16 bits, to nearest even."""
    wide = with_element(type_, IntegerType(32))
    narrow = with_element(type_, IntegerType(16))
    mask = with_element(type_, i1)
    sixteen = fn.constant_like(16, wide)
    bits = fn.value(llvm.BitcastOp, (value,), wide)
    upper = fn.value(llvm.LShrOp, (bits, sixteen), wide)
    odd = fn.value(llvm.AndOp, (upper, fn.constant_like(1, wide)), wide)
    # Half a unit in the last kept place, less one unless that place is odd.
    half = fn.value(llvm.AddOp, (odd, fn.constant_like(0x7FFF, wide)), wide)
    sum_ = fn.value(llvm.AddOp, (bits, half), wide)
    rounded = fn.value(llvm.LShrOp, (sum_, sixteen), wide)
    flag = llvm.FCmpPredicateFlag.UNO.to_int()
    is_nan = fn.value(
        llvm_ops.FCmpOp,
        (value, value),
        mask,
        {"predicate": integer_attr(flag), **NO_FLAGS},
    )
    nan = fn.constant_like(QUIET_NAN, wide)
    chosen = fn.value(llvm_ops.SelectOp, (is_nan, nan, rounded), wide, NO_FLAGS)
    low = fn.value(llvm.TruncOp, (chosen,), narrow)
    return fn.value(llvm.BitcastOp, (low,), type_)
