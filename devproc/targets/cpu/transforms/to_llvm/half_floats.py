"""Bitwise conversion between f16 and f32, for processors without an instruction.

LLVM would call a run-time library function for each lane. Widening is exact, narrowing
rounds to nearest even; NaN stays NaN and becomes quiet.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, VectorType, f32, i1
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.targets.cpu.dialects.llvm_ext import ops as llvm_ops
from devproc.targets.cpu.transforms.to_llvm.lowering import FunctionLowering
from devproc.targets.cpu.transforms.to_llvm.properties import (
    NO_FLAGS,
    WRAPS,
    integer_attr,
)

INFINITY, HALF_INFINITY = 0x7F800000, 0x7C00
QUIET, HALF_QUIET = 0x00400000, 0x7E00


class Bits:
    """32-bit arithmetic with the number of lanes of a given value."""

    def __init__(self, fn: FunctionLowering, like: Attribute):
        self.fn = fn
        self._lanes = like.get_shape() if isinstance(like, VectorType) else None
        self.type = self.shaped(IntegerType(32))

    def shaped(self, element: Attribute) -> Attribute:
        """A type with these lanes."""
        return element if self._lanes is None else VectorType(element, self._lanes)

    def number(self, value: int) -> SSAValue:
        """A constant."""
        return self.fn.constant_like(value, self.type)

    def op(self, op: type[Operation], a: SSAValue, b: SSAValue | int) -> SSAValue:
        """An op without flags."""
        other = self.number(b) if isinstance(b, int) else b
        wraps = op in (llvm.AddOp, llvm.SubOp, llvm.ShlOp)
        return self.fn.value(op, (a, other), self.type, WRAPS if wraps else {})

    def at_least(self, a: SSAValue, bound: int) -> SSAValue:
        """Whether a nonnegative number is at least `bound`."""
        flag = llvm.ICmpPredicateFlag("sge").to_int()
        properties: dict[str, Attribute] = {"predicate": integer_attr(flag)}
        operands = (a, self.number(bound))
        return self.fn.value(llvm.ICmpOp, operands, self.shaped(i1), properties)

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` where the mask is set, else `b`."""
        return self.fn.value(llvm_ops.SelectOp, (mask, a, b), self.type, NO_FLAGS)

    def cast(self, op: type[Operation], a: SSAValue, element: Attribute) -> SSAValue:
        """A cast to another element type."""
        return self.fn.value(op, (a,), self.shaped(element))

    def as_float(
        self, bits: SSAValue, compute: Callable[[SSAValue], SSAValue]
    ) -> SSAValue:
        """The bits of a function's result for the float with these bits."""
        result = compute(self.cast(llvm.BitcastOp, bits, f32))
        return self.cast(llvm.BitcastOp, result, IntegerType(32))

    def float_op(self, op: type[Operation], bits: SSAValue, other: int) -> SSAValue:
        """A float op on floats given as bits."""
        constant = self.cast(llvm.BitcastOp, self.number(other), f32)
        type_ = self.shaped(f32)
        return self.as_float(
            bits, lambda x: self.fn.value(op, (x, constant), type_, NO_FLAGS)
        )


def widen_half(fn: FunctionLowering, value: SSAValue) -> SSAValue:
    """f16 to f32: a product with 2**112 rebiases the exponent, also of denormals."""
    b = Bits(fn, value.type)
    half = b.cast(llvm.BitcastOp, value, IntegerType(16))
    bits = b.cast(llvm.ZExtOp, half, IntegerType(32))
    magnitude = b.op(llvm.AndOp, bits, 0x7FFF)
    shifted = b.op(llvm.ShlOp, magnitude, 13)
    finite = b.float_op(llvm.FMulOp, shifted, 0x77800000)
    infinite = b.op(llvm.OrOp, shifted, INFINITY)
    quiet = b.op(llvm.OrOp, infinite, QUIET)
    special = b.select(b.at_least(magnitude, HALF_INFINITY + 1), quiet, infinite)
    result = b.select(b.at_least(magnitude, HALF_INFINITY), special, finite)
    sign = b.op(llvm.ShlOp, b.op(llvm.AndOp, bits, 0x8000), 16)
    return b.cast(llvm.BitcastOp, b.op(llvm.OrOp, result, sign), f32)


def round_to_half(fn: FunctionLowering, value: SSAValue, type_: Attribute) -> SSAValue:
    """f32 to f16; below 2**-14 adding 0.5 rounds to multiples of the least denormal."""
    b = Bits(fn, value.type)
    bits = b.cast(llvm.BitcastOp, value, IntegerType(32))
    magnitude = b.op(llvm.AndOp, bits, 0x7FFFFFFF)
    sign = b.op(llvm.AndOp, b.op(llvm.LShrOp, bits, 16), 0x8000)
    special = b.select(
        b.at_least(magnitude, INFINITY + 1),
        b.number(HALF_QUIET),
        b.number(HALF_INFINITY),
    )
    one_half = 0x3F000000
    denormal = b.op(llvm.SubOp, b.float_op(llvm.FAddOp, magnitude, one_half), one_half)
    # Half a unit in the last kept place, less one unless that place is odd.
    odd = b.op(llvm.AndOp, b.op(llvm.LShrOp, magnitude, 13), 1)
    moved = b.op(llvm.SubOp, magnitude, 112 << 23)
    rounded = b.op(llvm.AddOp, b.op(llvm.AddOp, moved, 0xFFF), odd)
    normal = b.op(llvm.LShrOp, rounded, 13)
    result = b.select(b.at_least(magnitude, 113 << 23), normal, denormal)
    result = b.select(b.at_least(magnitude, 143 << 23), special, result)
    low = b.cast(llvm.TruncOp, b.op(llvm.OrOp, result, sign), IntegerType(16))
    return fn.value(llvm.BitcastOp, (low,), type_)
