"""Elementary functions as arithmetic, on scalars and vectors of f32 and f64.

Largest error, in units in the last place of the result (measured over all exponents by
tests/cpu/test_expand_math.py, denormal results included), f32 / f64: exp 1 / 1, exp2 1 / 1,
log 1 / 1, tanh 2 / 2, erf 2 / 2, rsqrt 1.5 / 1.5. Infinities, NaN and signed zeros come out as IEEE 754
wants. No branch, no table, no library.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.ir import SSAValue

from devproc.transforms.cpu import polynomials
from devproc.transforms.cpu.lanewise import Lanewise

LOG2_E = 1.4426950408889634
LN2 = 0.6931471805599453

LN2_HIGH = {32: 0.693145751953125, 64: 0.6931471803691238}
LN2_LOW = {32: 1.428606820309417e-06, 64: 1.9082149292705877e-10}
"""ln 2 in two parts; the high one has so few bits that its multiples are exact."""

ROUNDER = {32: 1.5 * 2.0**23, 64: 1.5 * 2.0**52}
"""Added to a small float, it rounds that to an integer, which stands in the low bits."""

MANTISSA_BITS = {32: 23, 64: 52}
EXPONENT_BIAS = {32: 127, 64: 1023}
EXP_RANGE = {32: (-104.0, 89.0), 64: (-746.0, 710.0)}
EXP2_RANGE = {32: (-151.0, 129.0), 64: (-1076.0, 1025.0)}
"""Outside, the result is 0 or infinity, and so it is at the ends."""


def _round_to_integer(
    f: Lanewise, scaled: Callable[[SSAValue], SSAValue]
) -> tuple[SSAValue, SSAValue]:
    """The nearest integer as a float and as an integer.

    `scaled(rounder)` adds the rounder to what is to be rounded. This works on NaN too,
    where a cast to an integer would be undefined.
    """
    rounder = f.number(ROUNDER[f.bits])
    shifted = scaled(rounder)
    integer = f.integer_op(arith.SubiOp, f.as_integer(shifted), f.as_integer(rounder))
    return f.sub(shifted, rounder), integer


def _scale(f: Lanewise, x: SSAValue, exponent: SSAValue) -> SSAValue:
    """`x * 2**exponent`, rounded once, also where the result is denormal or infinite.

    Two factors, each a normal number: the first product is exact.
    """

    def power(n: SSAValue) -> SSAValue:
        biased = f.integer_op(arith.AddiOp, n, f.integer(EXPONENT_BIAS[f.bits]))
        shift = f.integer(MANTISSA_BITS[f.bits])
        return f.as_float(f.integer_op(arith.ShLIOp, biased, shift))

    half = f.integer_op(arith.ShRSIOp, exponent, f.integer(1))
    other = f.integer_op(arith.SubiOp, exponent, half)
    return f.mul(f.mul(x, power(half)), power(other))


def exp(f: Lanewise, x: SSAValue) -> SSAValue:
    """`e**x` = 2**n * e**r, |r| <= ln2/2; e**r = 1 + (r + r**2 * p(r))."""
    x = f.clamp(x, *EXP_RANGE[f.bits])
    n, exponent = _round_to_integer(f, lambda c: f.fma(x, f.number(LOG2_E), c))
    r = f.fma(n, f.number(-LN2_HIGH[f.bits]), x)
    r = f.fma(n, f.number(-LN2_LOW[f.bits]), r)
    tail = f.polynomial(polynomials.EXP[f.bits], r)
    tail = f.fma(f.mul(r, r), tail, r)
    return _scale(f, f.add(tail, f.number(1.0)), exponent)


def exp2(f: Lanewise, x: SSAValue) -> SSAValue:
    """`2**x` = 2**n * 2**r, |r| <= 1/2; 2**r = 1 + r * p(r)."""
    x = f.clamp(x, *EXP2_RANGE[f.bits])
    n, exponent = _round_to_integer(f, lambda c: f.add(x, c))
    r = f.sub(x, n)
    fraction = f.fma(r, f.polynomial(polynomials.EXP2[f.bits], r), f.number(1.0))
    return _scale(f, fraction, exponent)


def log(f: Lanewise, x: SSAValue) -> SSAValue:
    """Natural logarithm: x = 2**n * (1 + r), 1 + r in [sqrt(1/2), sqrt(2)).

    log(1 + r) = r - r**2/2 + r**3 * p(r).
    """
    bits, mantissa = f.bits, MANTISSA_BITS[f.bits]
    least_normal = f.number(2.0 ** (1 - EXPONENT_BIAS[bits]))
    denormal = f.compare("olt", x, least_normal)
    scaled = f.select(denormal, f.mul(x, f.number(2.0**mantissa)), x)
    # Counting from the bits of sqrt(1/2), the exponent field is n.
    start = f.as_integer(f.number(polynomials.SQRT_HALF))
    above = f.integer_op(arith.SubiOp, f.as_integer(scaled), start)
    n = f.integer_op(arith.ShRSIOp, above, f.integer(mantissa))
    field = f.integer_op(arith.ShLIOp, n, f.integer(mantissa))
    one_plus_r = f.as_float(f.integer_op(arith.SubiOp, f.as_integer(scaled), field))
    r = f.sub(one_plus_r, f.number(1.0))
    shift = f.select(denormal, f.number(float(-mantissa)), f.number(0.0))
    exponent = f.add(f.float_of(n), shift)
    square = f.mul(r, r)
    tail = f.mul(f.mul(square, r), f.polynomial(polynomials.LOG[bits], r))
    tail = f.fma(exponent, f.number(LN2_LOW[bits]), tail)
    tail = f.fma(square, f.number(-0.5), tail)
    result = f.fma(exponent, f.number(LN2_HIGH[bits]), f.add(r, tail))
    infinity, zero = f.number(float("inf")), f.number(0.0)
    result = f.select(f.compare("oeq", x, infinity), infinity, result)
    result = f.select(f.compare("oeq", x, zero), f.number(float("-inf")), result)
    # Negative numbers and NaN: x is not >= 0.
    valid = f.compare("oge", x, zero)
    return f.select(valid, result, f.number(float("nan")))


def tanh(f: Lanewise, x: SSAValue) -> SSAValue:
    """Near 0, x + x**3 * p(x**2); elsewhere 1 - 2 / (e**2x + 1)."""
    size = f.absolute(x)
    square = f.mul(x, x)
    near = f.fma(
        f.mul(square, size), f.polynomial(polynomials.TANH[f.bits], square), size
    )
    power = exp(f, f.add(size, size))
    one = f.number(1.0)
    far = f.sub(one, f.div(f.number(2.0), f.add(power, one)))
    limit = f.number(polynomials.TANH[f.bits].interval[1] ** 0.5)
    return f.copy_sign(f.select(f.compare("olt", size, limit), near, far), x)


def erf(f: Lanewise, x: SSAValue) -> SSAValue:
    """Up to 1, x + x * p(x**2); above, 1 - e**(-x * q(x)), which is 1 beyond 4 (6)."""
    size = f.absolute(x)
    square = f.mul(x, x)
    near = f.fma(size, f.polynomial(polynomials.ERF_NEAR[f.bits], square), size)
    most = polynomials.ERF_FAR[f.bits].interval[1]
    inside = f.clamp(size, 0.0, most)
    slope = f.polynomial(polynomials.ERF_FAR[f.bits], inside)
    decay = exp(f, f.mul(f.sub(f.number(0.0), inside), slope))
    far = f.sub(f.number(1.0), decay)
    nearby = f.compare("olt", size, f.number(1.0))
    return f.copy_sign(f.select(nearby, near, far), x)


def rsqrt(f: Lanewise, x: SSAValue) -> SSAValue:
    """`1 / sqrt(x)`, both rounded."""
    return f.div(f.number(1.0), f.emitter.value(math.SqrtOp, (x,)))
