"""Elementary functions as arithmetic, on scalars and vectors of f32 and f64.

Largest error, in units in the last place of the result (measured over all exponents by
tests/cpu/test_expand_math.py, denormal results included), f32 / f64: exp 1 / 1, exp2 1 / 1,
log 1 / 1, log2 2 / 2, log10 2 / 2, log1p 2 / 2, expm1 2 / 2, tanh 2 / 2, erf 2 / 2,
rsqrt 1.5 / 1.5. Infinities, NaN and signed zeros are handled as IEEE 754 requires.
The functions use no branches, tables or libraries.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.ir import SSAValue

from devproc.arithmetic import polynomials
from devproc.arithmetic.float_builder import FloatBuilder
from devproc.dialects import simd

LOG2_E = 1.4426950408889634
LOG10_E = 0.4342944819032518
LN2 = 0.6931471805599453

LN2_HIGH = {32: 0.693145751953125, 64: 0.6931471803691238}
LN2_LOW = {32: 1.428606820309417e-06, 64: 1.9082149292705877e-10}
"""ln 2 in two parts; the high part has few enough bits for exact multiples."""

LOG10_2_HIGH = {32: 0.301025390625, 64: 0.30102999560767785}
LOG10_2_LOW = {32: 4.6050389811980175e-06, 64: 5.630334806675098e-11}
"""log10(2), likewise in two parts."""

ROUNDER = {32: 1.5 * 2.0**23, 64: 1.5 * 2.0**52}
"""Added to a small float, it rounds that to an integer, stored in the low bits."""

MANTISSA_BITS = {32: 23, 64: 52}
EXPONENT_BIAS = {32: 127, 64: 1023}
EXP_RANGE = {32: (-104.0, 89.0), 64: (-746.0, 710.0)}
EXP_NORMAL_RANGE = {32: (-87.0, 89.0), 64: (-708.0, 710.0)}
EXP2_RANGE = {32: (-151.0, 129.0), 64: (-1076.0, 1025.0)}
"""Arguments are clamped to this range; at and beyond its ends exp is 0 or infinity."""


def round_to_integer(
    f: FloatBuilder, scaled: Callable[[SSAValue], SSAValue]
) -> tuple[SSAValue, SSAValue]:
    """The nearest integer as a float and as an integer.

    `scaled(rounder)` adds the rounder to the number to round. This is defined for NaN,
    unlike a cast to an integer.
    """
    rounder = f.number(ROUNDER[f.bits])
    shifted = scaled(rounder)
    integer = f.integer_op(arith.SubiOp, f.as_integer(shifted), f.as_integer(rounder))
    return f.sub(shifted, rounder), integer


def scale(f: FloatBuilder, x: SSAValue, exponent: SSAValue) -> SSAValue:
    """`x * 2**exponent`, rounded once, even if the result is denormal or infinite.

    Without an instruction for it, by two factors that are normal numbers: the first
    product is exact.
    """
    if simd.LdexpOp in f.native:
        return f.value(simd.LdexpOp, (x, exponent))

    def power(n: SSAValue) -> SSAValue:
        biased = f.integer_op(arith.AddiOp, n, f.integer(EXPONENT_BIAS[f.bits]))
        shift = f.integer(MANTISSA_BITS[f.bits])
        return f.as_float(f.integer_op(arith.ShLIOp, biased, shift))

    if f.for_single:
        return f.mul(x, power(exponent))
    half = f.integer_op(arith.ShRSIOp, exponent, f.integer(1))
    other = f.integer_op(arith.SubiOp, exponent, half)
    return f.mul(f.mul(x, power(half)), power(other))


def _reduced_exp(f: FloatBuilder, x: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """n, n as an integer, and e**r - 1 = r + r**2 * p(r): x = n ln 2 + r, |r| <= ln2/2."""
    n, exponent = round_to_integer(f, lambda c: f.fma(x, f.number(LOG2_E), c))
    r = f.fma(n, f.number(-LN2_HIGH[f.bits]), x)
    r = f.fma(n, f.number(-LN2_LOW[f.bits]), r)
    tail = f.polynomial(polynomials.EXP, r)
    return n, exponent, f.fma(f.mul(r, r), tail, r)


def exp(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """`e**x` = 2**n * e**r."""
    if math.ExpOp in f.native:
        return f.value(math.ExpOp, (x,))
    range_ = EXP_NORMAL_RANGE if f.for_single else EXP_RANGE
    x = f.clamp(x, *range_[f.bits])
    _, exponent, less = _reduced_exp(f, x)
    return scale(f, f.add(less, f.number(1.0)), exponent)


def exp_beside_one(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """`e**x` for a sum with 1: not exact below the least normal number, and infinite in
    the last power of two, so that one factor suffices (see `scale`)."""
    if math.ExpOp in f.native:
        return f.value(math.ExpOp, (x,))
    x = f.clamp(x, *EXP_NORMAL_RANGE[f.bits])
    _, exponent, less = _reduced_exp(f, x)
    biased = f.integer_op(arith.AddiOp, exponent, f.integer(EXPONENT_BIAS[f.bits]))
    shift = f.integer(MANTISSA_BITS[f.bits])
    factor = f.as_float(f.integer_op(arith.ShLIOp, biased, shift))
    return f.mul(f.add(less, f.number(1.0)), factor)


def exp2(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """`2**x` = 2**n * 2**r, |r| <= 1/2; 2**r = 1 + r * p(r)."""
    x = f.clamp(x, *EXP2_RANGE[f.bits])
    n, exponent = round_to_integer(f, lambda c: f.add(x, c))
    r = f.sub(x, n)
    fraction = f.fma(r, f.polynomial(polynomials.EXP2, r), f.number(1.0))
    return scale(f, fraction, exponent)


def expm1(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """`e**x - 1` = 2**n * (e**r - 1) + (2**n - 1), each part small where the result is."""
    range_ = EXP_NORMAL_RANGE if f.for_single else EXP_RANGE
    n, exponent, less = _reduced_exp(f, f.clamp(x, *range_[f.bits]))
    one = f.number(1.0)
    near = f.add(scale(f, less, exponent), f.sub(scale(f, one, exponent), one))
    # There 1 is negligible, and 2**n alone may be infinite.
    far = scale(f, f.add(less, one), exponent)
    large = f.compare("ogt", n, f.number(64.0))
    return f.copy_sign(f.select(large, far, near), x)


def split(f: FloatBuilder, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """n and r of x = 2**n * (1 + r), 1 + r in [sqrt(1/2), sqrt(2)), for x > 0."""
    mantissa, bias = MANTISSA_BITS[f.bits], EXPONENT_BIAS[f.bits]
    scaled, shift = (x, None) if f.for_single else _without_denormals(f, x)
    bits = f.as_integer(scaled)
    # Counting from the bits of sqrt(1/2), the exponent field is n, here n + bias: it is
    # positive, so no processor has to shift its sign or convert 64 bits to a float.
    one = f.integer(bias << mantissa)
    start = f.integer_op(
        arith.SubiOp, one, f.as_integer(f.number(polynomials.SQRT_HALF))
    )
    above = f.integer_op(arith.AddiOp, bits, start)
    biased = f.integer_op(arith.ShRUIOp, above, f.integer(mantissa))
    field = f.integer_op(arith.ShLIOp, biased, f.integer(mantissa))
    rest = f.integer_op(arith.SubiOp, f.integer_op(arith.AddiOp, bits, one), field)
    large = 2.0**mantissa
    shifted = f.integer_op(arith.OrIOp, biased, f.as_integer(f.number(large)))
    exponent = f.sub(f.as_float(shifted), f.number(large + bias))
    if shift is not None:
        exponent = f.add(exponent, shift)
    return exponent, f.sub(f.as_float(rest), f.number(1.0))


def _without_denormals(f: FloatBuilder, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """A normal number, and the exponent of two by which x was scaled up."""
    mantissa = MANTISSA_BITS[f.bits]
    least_normal = f.number(2.0 ** (1 - EXPONENT_BIAS[f.bits]))
    denormal = f.compare("olt", x, least_normal)
    scaled = f.select(denormal, f.mul(x, f.number(2.0**mantissa)), x)
    return scaled, f.select(denormal, f.number(float(-mantissa)), f.number(0.0))


def _log_domain(f: FloatBuilder, x: SSAValue, result: SSAValue) -> SSAValue:
    """Replace the values of a logarithm at 0, infinity, NaN and below 0."""
    infinity, zero = f.number(float("inf")), f.number(0.0)
    result = f.select(f.compare("oeq", x, infinity), infinity, result)
    result = f.select(f.compare("oeq", x, zero), f.number(float("-inf")), result)
    # Negative numbers and NaN: x is not >= 0.
    valid = f.compare("oge", x, zero)
    return f.select(valid, result, f.number(float("nan")))


def log(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Natural logarithm: n ln 2 + log(1 + r); log(1 + r) = r - r**2/2 + r**3 * p(r)."""
    if math.LogOp in f.native:
        return f.value(math.LogOp, (x,))
    bits = f.bits
    exponent, r = split(f, x)
    square = f.mul(r, r)
    tail = f.mul(f.mul(square, r), f.polynomial(polynomials.LOG, r))
    tail = f.fma(exponent, f.number(LN2_LOW[bits]), tail)
    tail = f.fma(square, f.number(-0.5), tail)
    result = f.fma(exponent, f.number(LN2_HIGH[bits]), f.add(r, tail))
    return _log_domain(f, x, result)


def log_of_base(
    base_log: float, two_high: dict[int, float], two_low: dict[int, float]
) -> Callable[[FloatBuilder, SSAValue], SSAValue]:
    """The logarithm to another base: n log(2) + log(1 + r) / ln(base).

    `base_log` is 1 / ln(base); log(2) comes in two parts, as ln 2 does.
    """

    def logarithm(f: FloatBuilder, x: SSAValue) -> SSAValue:
        bits = f.bits
        exponent, r = split(f, x)
        square = f.mul(r, r)
        tail = f.mul(f.mul(square, r), f.polynomial(polynomials.LOG, r))
        natural = f.add(r, f.fma(square, f.number(-0.5), tail))
        low = f.mul(exponent, f.number(two_low[bits]))
        rest = f.fma(natural, f.number(base_log), low)
        return _log_domain(f, x, f.fma(exponent, f.number(two_high[bits]), rest))

    return logarithm


log2 = log_of_base(LOG2_E, {32: 1.0, 64: 1.0}, {32: 0.0, 64: 0.0})
log10 = log_of_base(LOG10_E, LOG10_2_HIGH, LOG10_2_LOW)


def log1p(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """log(1 + x): log(u) for the rounded u = 1 + x, plus (x - (u - 1)) / u."""
    one = f.number(1.0)
    total = f.add(x, one)
    # Of the two terms of u, the larger is subtracted first: exact (fast two-sum).
    large = f.compare("ogt", f.absolute(x), one)
    high, low = f.select(large, x, one), f.select(large, one, x)
    rest = f.sub(low, f.sub(total, high))
    if f.for_single:
        # In f32 the correction matters only where u is near 1.
        rest = f.select(large, f.number(0.0), rest)
    else:
        rest = f.div(rest, total)
    value = f.add(log(f, total), rest)
    infinity, zero = f.number(float("inf")), f.number(0.0)
    # At the ends of the domain the correction is NaN.
    border = f.compare("oeq", total, infinity)
    value = f.select(border, infinity, value)
    value = f.select(f.compare("oeq", total, zero), f.number(float("-inf")), value)
    # Tiny numbers, and the sign of 0.
    return f.select(f.compare("oeq", total, one), x, value)


def tanh(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Near 0, x + x**3 * p(x**2); elsewhere 1 - 2 / (e**2x + 1)."""
    size = f.absolute(x)
    square = f.mul(x, x)
    near = f.fma(f.mul(square, size), f.polynomial(polynomials.TANH, square), size)
    power = exp_beside_one(f, f.add(size, size))
    one = f.number(1.0)
    far = f.sub(one, f.div(f.number(2.0), f.add(power, one)))
    limit = f.number(polynomials.TANH[f.bits].interval[1] ** 0.5)
    return f.copy_sign(f.select(f.compare("olt", size, limit), near, far), x)


def erf(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Up to 1, x + x * p(x**2); above, 1 - e**(-x * q(x)), which is 1 beyond 4 (6)."""
    size = f.absolute(x)
    square = f.mul(x, x)
    near = f.fma(size, f.polynomial(polynomials.ERF_NEAR, square), size)
    most = polynomials.ERF_FAR[f.bits].interval[1]
    inside = f.clamp(size, 0.0, most)
    slope = f.polynomial(polynomials.ERF_FAR, inside)
    decay = exp(f, f.mul(f.sub(f.number(0.0), inside), slope))
    far = f.sub(f.number(1.0), decay)
    nearby = f.compare("olt", size, f.number(1.0))
    return f.copy_sign(f.select(nearby, near, far), x)


def erf_beside_one(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """For a sum with 1 (f32): 1 - 2**(z * q(z)), z = -|x|; wrong by at most 1e-7."""
    below, least = f.copy_sign(x, f.number(-1.0)), f.number(-4.0)
    z = f.select(f.compare("olt", below, least), least, below)
    power = f.mul(z, f.polynomial(polynomials.ERF_EXPONENT, z))
    n, exponent = round_to_integer(f, lambda c: f.add(power, c))
    r = f.sub(power, n)
    fraction = f.fma(r, f.polynomial(polynomials.EXP2, r), f.number(1.0))
    # -2**n by its bits, including the sign: n is between -27 and 0.
    biased = f.integer_op(
        arith.AddiOp, exponent, f.integer(EXPONENT_BIAS[f.bits] + 256)
    )
    shift = f.integer(MANTISSA_BITS[f.bits])
    factor = f.as_float(f.integer_op(arith.ShLIOp, biased, shift))
    return f.copy_sign(f.fma(fraction, factor, f.number(1.0)), x)


def rsqrt(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """`1 / sqrt(x)`, both rounded."""
    return f.div(f.number(1.0), f.sqrt(x))
