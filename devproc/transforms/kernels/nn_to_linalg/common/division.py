"""Scalar code for integer division, remainders and powers."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, SSAValue

from devproc.ir.types import is_float, is_unsigned
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars, item_bits

STEP_BITS = 52
"""Bits of the quotient that one step of the remainder computes."""

STEPS = 3
"""Steps of the remainder, which is exact for quotients up to 2**156."""


def quotient(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
    """Truncating integer division; x / 0 is 0, and the minimum / -1 does not trap."""
    x, y = args
    zero, one = s.constant(0, y.type), s.constant(1, y.type)
    by_zero = s.compare("eq", y, zero)
    if is_unsigned(dtype):
        value = s.emit(arith.DivUIOp(x, s.select(by_zero, one, y)))
        return s.select(by_zero, zero, value)
    negates = s.compare("eq", y, s.constant(-1, y.type))
    divisor = s.select(s.either(by_zero, negates), one, y)
    value = s.emit(arith.DivSIOp(x, divisor))
    value = s.select(negates, s.emit(arith.SubiOp(zero, x)), value)
    return s.select(by_zero, zero, value)


def remainder(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
    """The remainder of truncating division."""
    x, y = args
    if is_float(dtype):
        return _float_remainder(s, x, y)
    zero, one = s.constant(0, y.type), s.constant(1, y.type)
    by_zero = s.compare("eq", y, zero)
    if is_unsigned(dtype):
        value = s.emit(arith.RemUIOp(x, s.select(by_zero, one, y)))
        return s.select(by_zero, zero, value)
    negates = s.compare("eq", y, s.constant(-1, y.type))
    divisor = s.select(s.either(by_zero, negates), one, y)
    # The remainder by 1 is 0: correct for -1, and the defined result for 0.
    return s.emit(arith.RemSIOp(x, divisor))


def _float_remainder(s: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """Exact: long division of the magnitudes, `STEP_BITS` quotient bits at a time.

    A step's quotient may be one too large if the division rounded up; the remainder is
    then negative, and the divisor is added back. The fused multiply-add makes each
    remainder exact.
    """
    element = x.type
    wide = s.widen(x, s.double)
    divisor = s.emit(math.AbsFOp(s.widen(y, s.double)))
    rest = s.emit(math.AbsFOp(wide))
    zero = s.constant(0, s.double)
    for step in reversed(range(STEPS)):
        scale = s.constant(2.0 ** (STEP_BITS * step), s.double)
        scaled = s.multiply(divisor, scale) if step else divisor
        whole = s.emit(math.TruncOp(s.emit(arith.DivfOp(rest, scaled))))
        negated = s.emit(arith.SubfOp(zero, whole))
        left = s.emit(math.FmaOp(negated, scaled, rest))
        below = s.compare("olt", left, zero)
        left = s.select(below, s.add(left, scaled), left)
        rest = s.select(s.compare("oge", rest, scaled), left, rest)
    infinite = s.constant(float("inf"), s.double)
    valid = s.both(
        s.compare("one", divisor, zero),
        s.compare("olt", s.emit(math.AbsFOp(wide)), infinite),
    )
    valid = s.both(valid, s.compare("ord", wide, divisor))
    rest = s.select(valid, rest, s.constant(float("nan"), s.double))
    return s.narrow(s.emit(math.CopySignOp(rest, wide)), element)


def power(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
    """x to the power of y; for integers by repeated squaring."""
    x, y = args
    if is_float(dtype):
        return s.emit(math.PowFOp(x, y))
    bits = item_bits(x.type)
    zero, one = s.constant(0, x.type), s.constant(1, x.type)
    value, square, exponent = one, x, y
    for _ in range(bits if is_unsigned(dtype) else bits - 1):
        odd = s.compare("ne", s.both(exponent, one), zero)
        value = s.select(odd, s.multiply(value, square), value)
        square = s.multiply(square, square)
        exponent = s.emit(arith.ShRUIOp(exponent, one))
    if is_unsigned(dtype):
        return value
    minus = s.constant(-1, x.type)
    odd = s.compare("ne", s.both(y, one), zero)
    sign = s.select(odd, minus, one)
    inverse = s.select(s.compare("eq", x, minus), sign, zero)
    inverse = s.select(s.compare("eq", x, one), one, inverse)
    return s.select(s.compare("slt", y, zero), inverse, value)
