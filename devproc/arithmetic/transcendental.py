"""Circular and hyperbolic functions and powers, computed in f64 for every float type.

For f32, polynomials of fewer terms keep the result within 0.51 units in the last place.
The largest errors for f64, in units in the last place: sin, cos, atan 1.5, tan 2.5,
asin, acos 3, atan2 2, sinh, cosh 3, asinh, acosh, atanh 4; pow 2 where |y log x| < 20,
growing to 30 near overflow (tests/cpu/test_transcendental.py). An angle beyond 2**45
yields NaN: its range reduction would need more digits of pi.
"""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from devproc.arithmetic import polynomials, rounding
from devproc.arithmetic.elementary import (
    LN2,
    LN2_HIGH,
    LN2_LOW,
    exp,
    expm1,
    log,
    log1p,
    round_to_integer,
    split,
)
from devproc.arithmetic.float_builder import Expansion, FloatBuilder

PI, HALF_PI = 3.141592653589793, 1.5707963267948966
HALF_PI_PARTS = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
"""Their sum is pi/2; their multiples are subtracted from the angle exactly."""

TWO_OVER_PI = 0.6366197723675814
LARGEST_ANGLE = 2.0**45
NAN, INFINITY = float("nan"), float("inf")
COT_PI_8 = 2.414213562373095


def _sine_and_cosine(f: FloatBuilder, x: SSAValue) -> tuple[SSAValue, ...]:
    """sin(r), cos(r) and the integer n for x = n pi/2 + r, |r| <= pi/4."""
    n, quadrant = round_to_integer(f, lambda c: f.fma(x, f.number(TWO_OVER_PI), c))
    negated, r = f.sub(f.number(0.0), n), x
    for part in HALF_PI_PARTS[: 2 if f.for_single else 3]:
        r = f.fma_of_near(negated, f.number(part), r)
    square = f.mul(r, r)
    cube = f.mul(square, r)
    sine = f.fma(cube, f.polynomial(polynomials.SIN, square), r)
    tail = f.mul(f.mul(square, square), f.polynomial(polynomials.COS, square))
    if f.for_single:
        most = f.fma(square, f.number(-0.5), f.number(1.0))
        return sine, f.add(most, tail), quadrant
    # 1 - r**2/2 is rounded; the tail includes the rounding error.
    half = f.mul(square, f.number(0.5))
    most = f.sub(f.number(1.0), half)
    lost = f.sub(f.sub(f.number(1.0), most), half)
    cosine = f.add(most, f.add(lost, tail))
    return sine, cosine, quadrant


def _in_quadrant(
    f: FloatBuilder, x: SSAValue, quadrant: SSAValue, even: SSAValue, odd: SSAValue
) -> SSAValue:
    """`even` or `odd` by the quadrant's lowest bit, the sign by the next."""

    def bit(mask: int) -> SSAValue:
        found = f.integer_op(arith.AndIOp, quadrant, f.integer(mask))
        return f.compare("ne", found, f.integer(0))

    value = f.select(bit(1), odd, even)
    value = f.select(bit(2), f.sub(f.number(0.0), value), value)
    small = f.compare("ole", f.absolute(x), f.number(LARGEST_ANGLE))
    return f.select(small, value, f.number(NAN))


def sin(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Sine."""
    if math.SinOp in f.native:
        return f.value(math.SinOp, (x,))
    sine, cosine, quadrant = _sine_and_cosine(f, x)
    value = _in_quadrant(f, x, quadrant, sine, cosine)
    # The sign of zero.
    return f.select(f.compare("oeq", x, f.number(0.0)), x, value)


def cos(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Cosine: the sine shifted by a quadrant."""
    if math.CosOp in f.native:
        return f.value(math.CosOp, (x,))
    sine, cosine, quadrant = _sine_and_cosine(f, x)
    next_one = f.integer_op(arith.AddiOp, quadrant, f.integer(1))
    return _in_quadrant(f, x, next_one, sine, cosine)


def tan(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Tangent."""
    return f.div(sin(f, x), cos(f, x))


def _angle(f: FloatBuilder, tall: SSAValue, wide: SSAValue) -> SSAValue:
    """The angle of the point (wide, tall) in the first quadrant, with one division.

    Beyond pi/8 it is reduced by pi/4 or pi/2 to an angle below pi/8.
    """
    steep = f.compare("ogt", tall, wide)
    small, large = f.select(steep, wide, tall), f.select(steep, tall, wide)
    zero = f.number(0.0)
    large = f.select(f.compare("oeq", large, zero), f.number(1.0), large)
    middle = f.compare("oge", f.mul(small, f.number(COT_PI_8)), large)
    # The difference of infinities is NaN.
    equal = f.compare("oeq", small, large)
    gap = f.select(equal, zero, f.sub(small, large))
    z = f.div(
        f.select(middle, gap, small), f.select(middle, f.add(small, large), large)
    )
    z = f.select(steep, f.sub(zero, z), z)

    def base(part: float) -> SSAValue:
        far = f.select(steep, f.number(part), zero)
        return f.select(middle, f.number(part / 2), far)

    square = f.mul(z, z)
    cube, series = f.mul(square, z), f.polynomial(polynomials.ATAN, square)
    if f.for_single:
        return f.add(base(HALF_PI), f.fma(cube, series, z))
    tail = f.fma(cube, series, base(HALF_PI_PARTS[1]))
    return f.add(base(HALF_PI), f.add(z, tail))


def atan(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Inverse tangent: the angle of the point (1, |x|), with the sign of x."""
    return f.copy_sign(_angle(f, f.absolute(x), f.number(1.0)), x)


def _asin_of_half(f: FloatBuilder, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """asin(z) for z = |x| up to 1/2, beyond that for z = sqrt((1 - |x|) / 2), which is
    half of the remaining angle; and whether the latter applies."""
    size, half = f.absolute(x), f.number(0.5)
    far = f.compare("ogt", size, half)
    rest = f.mul(f.sub(f.number(1.0), size), half)
    square = f.select(far, rest, f.mul(size, size))
    z = f.select(far, f.sqrt(rest), size)
    cube = f.mul(square, z)
    return f.fma(cube, f.polynomial(polynomials.ASIN, square), z), far


def asin(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """pi/2 - 2 asin(sqrt((1 - |x|) / 2)) beyond 1/2, with the sign of x."""
    angle, far = _asin_of_half(f, x)
    double = f.sub(f.add(angle, angle), f.number(HALF_PI_PARTS[1]))
    return f.copy_sign(f.select(far, f.sub(f.number(HALF_PI), double), angle), x)


def acos(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """2 asin(sqrt((1 - |x|) / 2)) beyond 1/2; pi minus that where x is negative."""
    angle, far = _asin_of_half(f, x)
    near = f.sub(f.copy_sign(angle, x), f.number(HALF_PI_PARTS[1]))
    near = f.sub(f.number(HALF_PI), near)
    return f.select(far, _or_left(f, f.add(angle, angle), x), near)


def _or_left(f: FloatBuilder, angle: SSAValue, x: SSAValue) -> SSAValue:
    """The angle in the first quadrant, or in the second where x is negative."""
    left = f.compare("olt", f.copy_sign(f.number(1.0), x), f.number(0.0))
    return f.select(left, f.sub(f.number(PI), angle), angle)


def atan2(f: FloatBuilder, y: SSAValue, x: SSAValue) -> SSAValue:
    """The angle of the point (x, y)."""
    tall, wide, one = f.absolute(y), f.absolute(x), f.number(1.0)
    if not f.for_single:
        # A quarter of both has the same angle, and their sum does not overflow.
        part = f.select(f.compare("ogt", f.add(tall, wide), one), f.number(0.25), one)
        tall, wide = f.mul(tall, part), f.mul(wide, part)
    angle = _or_left(f, _angle(f, tall, wide), x)
    known = f.compare("ord", x, y)
    return f.select(known, f.copy_sign(angle, y), f.add(x, y))


def sinh(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """(t + t / (t + 1)) / 2 for t = expm1(|x|)."""
    size = _bounded(f, f.absolute(x))
    t = expm1(f, size)
    near = f.mul(f.add(t, f.div(t, f.add(t, f.number(1.0)))), f.number(0.5))
    return f.copy_sign(_or_half_exp(f, size, near), x)


def cosh(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """(exp(x) + exp(-x)) / 2."""
    size = _bounded(f, f.absolute(x))
    power, half = exp(f, size), f.number(0.5)
    return _or_half_exp(f, size, f.add(f.mul(power, half), f.div(half, power)))


def _bounded(f: FloatBuilder, size: SSAValue) -> SSAValue:
    """Clamped to where the result is infinite in f32, but finite in f64."""
    return f.clamp(size, 0.0, 100.0) if f.for_single else size


def _or_half_exp(f: FloatBuilder, size: SSAValue, near: SSAValue) -> SSAValue:
    """exp(size) / 2 where exp(size) may overflow."""
    if f.for_single:
        return near
    root = exp(f, f.mul(size, f.number(0.5)))
    far = f.mul(f.mul(root, f.number(0.5)), root)
    return f.select(f.compare("ogt", size, f.number(40.0)), far, near)


def asinh(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """log1p(|x| + x**2 / (1 + sqrt(x**2 + 1))) with the sign of x."""
    size, square, one = f.absolute(x), f.mul(x, x), f.number(1.0)
    root = f.sqrt(f.add(square, one))
    near = log1p(f, f.add(size, f.div(square, f.add(one, root))))
    return f.copy_sign(_or_log_of_double(f, size, near), x)


def acosh(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """log1p(t + sqrt(2 t + t**2)) for t = x - 1."""
    t = f.sub(x, f.number(1.0))
    near = log1p(f, f.add(t, f.sqrt(f.fma(t, t, f.add(t, t)))))
    value = _or_log_of_double(f, x, near)
    return f.select(f.compare("oge", x, f.number(1.0)), value, f.number(NAN))


def _or_log_of_double(f: FloatBuilder, x: SSAValue, near: SSAValue) -> SSAValue:
    """log(2 x) where x**2 may overflow."""
    if f.for_single:
        infinity = f.number(INFINITY)
        return f.select(f.compare("oeq", x, infinity), infinity, near)
    far = f.add(log(f, x), f.number(LN2))
    return f.select(f.compare("ogt", x, f.number(1e9)), far, near)


def atanh(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """log1p(2 |x| / (1 - |x|)) / 2 with the sign of x."""
    size = f.absolute(x)
    ratio = f.div(f.add(size, size), f.sub(f.number(1.0), size))
    value = f.mul(log1p(f, ratio), f.number(0.5))
    # Numbers beyond 1 yield NaN, with or without the copied sign.
    return f.copy_sign(value, x)


def _two_sum(f: FloatBuilder, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The rounded sum and its rounding error (Knuth's two-sum)."""
    total = f.add(a, b)
    from_b = f.sub(total, a)
    from_a = f.sub(total, from_b)
    return total, f.add(f.sub(a, from_a), f.sub(b, from_b))


def _log_in_parts(f: FloatBuilder, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The logarithm of a positive number as a sum of two, to about 2**-60."""
    exponent, r = split(f, x)
    square = f.mul(r, r)
    half = f.mul(square, f.number(-0.5))
    lost = f.fma_of_near(r, r, f.sub(f.number(0.0), square))
    lost = f.mul(lost, f.number(-0.5))
    small = f.mul(f.mul(square, r), f.polynomial(polynomials.LOG, r))
    small = f.add(small, f.fma(exponent, f.number(LN2_LOW[64]), lost))
    high, first = _two_sum(f, f.mul(exponent, f.number(LN2_HIGH[64])), r)
    high, second = _two_sum(f, high, half)
    return _two_sum(f, high, f.add(small, f.add(first, second)))


def _power_of_size(f: FloatBuilder, size: SSAValue, y: SSAValue) -> SSAValue:
    """exp(y log(size)) for a size that is not NaN, with the product in two parts."""
    if f.for_single:
        return exp(f, f.mul(y, log(f, size)))
    high, low = _log_in_parts(f, size)
    product = f.mul(y, high)
    rest = f.fma_of_near(y, high, f.sub(f.number(0.0), product))
    rest = f.fma(y, low, rest)
    plain = exp(f, product)
    better = f.fma(plain, rest, plain)
    # Beyond the range of exp, the correction is infinity minus infinity.
    value = f.select(f.compare("oeq", better, better), better, plain)
    # The powers of 0 and of infinity.
    zero, infinity = f.number(0.0), f.number(INFINITY)
    nothing = f.compare("oeq", size, zero)
    infinite = f.compare("oeq", size, infinity)
    rising = f.select(f.compare("ogt", y, zero), infinity, zero)
    falling = f.select(f.compare("ogt", y, zero), zero, infinity)
    return f.select(nothing, falling, f.select(infinite, rising, value))


def power(f: FloatBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """`x**y`; signs and special values as in IEEE 754."""
    size, zero, one = f.absolute(x), f.number(0.0), f.number(1.0)
    value = _power_of_size(f, size, y)
    value = f.select(f.compare("oeq", size, one), one, value)
    # A negative number has only integer powers; odd ones keep its sign.
    half = f.mul(y, f.number(0.5))
    odd = f.compare("one", rounding.trunc(f, half), half)
    whole = f.compare("oeq", rounding.trunc(f, y), y)
    signed = f.select(odd, f.copy_sign(value, x), value)
    value = f.select(whole, signed, value)
    infinite = f.compare("oeq", size, f.number(INFINITY))
    negative = f.select(infinite, zero, f.select(whole, zero, x))
    value = f.select(f.compare("olt", negative, zero), f.number(NAN), value)
    value = f.select(f.compare("ord", x, y), value, f.number(NAN))
    value = f.select(f.compare("oeq", y, zero), one, value)
    return f.select(f.compare("oeq", x, one), one, value)


FUNCTIONS: dict[type[Operation], Expansion] = {
    math.AcosOp: acos,
    math.AcoshOp: acosh,
    math.AsinOp: asin,
    math.AsinhOp: asinh,
    math.AtanOp: atan,
    math.Atan2Op: atan2,
    math.AtanhOp: atanh,
    math.CosOp: cos,
    math.CoshOp: cosh,
    math.PowFOp: power,
    math.SinOp: sin,
    math.SinhOp: sinh,
    math.TanOp: tan,
}
"""All functions of this module, computed in f64 for every float type."""
