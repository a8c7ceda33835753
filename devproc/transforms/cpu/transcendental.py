"""Circular and hyperbolic functions and powers, computed in f64 for every float type.

Of f32 the result is therefore correctly rounded but for ties that f64 cannot tell. Of
f64 the largest error, in units in the last place: sin, cos, atan 1.5, tan 2.5, asin, acos 3,
atan2 2, sinh, cosh 3, asinh, acosh, atanh 4; pow 2 where |y log x| < 20, growing to 30 at
the border of overflow (tests/cpu/test_transcendental.py). An angle beyond 2**45 gives NaN:
its sine would need more digits of pi than are here.
"""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.ir import SSAValue

from devproc.transforms.cpu import polynomials, rounding
from devproc.transforms.cpu.elementary import (
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
from devproc.transforms.cpu.lanewise import Lanewise

PI, HALF_PI, QUARTER_PI = 3.141592653589793, 1.5707963267948966, 0.7853981633974483
HALF_PI_PARTS = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
"""Their sum is pi/2; products with an integer are taken off the angle exactly."""

TWO_OVER_PI = 0.6366197723675814
LARGEST_ANGLE = 2.0**45
NAN, INFINITY = float("nan"), float("inf")
TAN_PI_8, TAN_3_PI_8 = 0.41421356237309503, 2.414213562373095


def _sine_and_cosine(f: Lanewise, x: SSAValue) -> tuple[SSAValue, ...]:
    """sin(r), cos(r) and the integer n for x = n pi/2 + r, |r| <= pi/4."""
    n, quadrant = round_to_integer(f, lambda c: f.fma(x, f.number(TWO_OVER_PI), c))
    negated, r = f.sub(f.number(0.0), n), x
    for part in HALF_PI_PARTS:
        r = f.fma_of_near(negated, f.number(part), r)
    square = f.mul(r, r)
    cube = f.mul(square, r)
    sine = f.fma(cube, f.polynomial(polynomials.SIN[64], square), r)
    tail = f.mul(f.mul(square, square), f.polynomial(polynomials.COS[64], square))
    # 1 - r**2/2 is rounded; what it loses goes into the tail.
    half = f.mul(square, f.number(0.5))
    most = f.sub(f.number(1.0), half)
    lost = f.sub(f.sub(f.number(1.0), most), half)
    cosine = f.add(most, f.add(lost, tail))
    return sine, cosine, quadrant


def _in_quadrant(
    f: Lanewise, x: SSAValue, quadrant: SSAValue, even: SSAValue, odd: SSAValue
) -> SSAValue:
    """`even` or `odd` by the quadrant's lowest bit, the sign by the next."""

    def bit(mask: int) -> SSAValue:
        found = f.integer_op(arith.AndIOp, quadrant, f.integer(mask))
        return f.compare("ne", found, f.integer(0))

    value = f.select(bit(1), odd, even)
    value = f.select(bit(2), f.sub(f.number(0.0), value), value)
    small = f.compare("ole", f.absolute(x), f.number(LARGEST_ANGLE))
    return f.select(small, value, f.number(NAN))


def sin(f: Lanewise, x: SSAValue) -> SSAValue:
    """Sine."""
    sine, cosine, quadrant = _sine_and_cosine(f, x)
    value = _in_quadrant(f, x, quadrant, sine, cosine)
    # The sign of zero.
    return f.select(f.compare("oeq", x, f.number(0.0)), x, value)


def cos(f: Lanewise, x: SSAValue) -> SSAValue:
    """Cosine: a quadrant further than the sine."""
    sine, cosine, quadrant = _sine_and_cosine(f, x)
    next_one = f.integer_op(arith.AddiOp, quadrant, f.integer(1))
    return _in_quadrant(f, x, next_one, sine, cosine)


def tan(f: Lanewise, x: SSAValue) -> SSAValue:
    """Tangent."""
    return f.div(sin(f, x), cos(f, x))


def atan(f: Lanewise, x: SSAValue) -> SSAValue:
    """Inverse tangent: pi/2, pi/4 or 0, and the angle that is left, below pi/8."""
    size, one, zero = f.absolute(x), f.number(1.0), f.number(0.0)
    large = f.compare("ogt", size, f.number(TAN_3_PI_8))
    middle = f.compare("ogt", size, f.number(TAN_PI_8))
    shifted = f.div(f.sub(size, one), f.add(size, one))
    z = f.select(middle, shifted, size)
    z = f.select(large, f.div(f.number(-1.0), size), z)
    base = f.select(middle, f.number(QUARTER_PI), zero)
    base = f.select(large, f.number(HALF_PI), base)
    lost = f.number(HALF_PI_PARTS[1])
    lost = f.select(large, lost, f.select(middle, f.mul(lost, f.number(0.5)), zero))
    square = f.mul(z, z)
    tail = f.fma(f.mul(square, z), f.polynomial(polynomials.ATAN[64], square), lost)
    return f.copy_sign(f.add(base, f.add(z, tail)), x)


def asin(f: Lanewise, x: SSAValue) -> SSAValue:
    """atan(x / sqrt((1 - x)(1 + x)))."""
    one = f.number(1.0)
    return atan(f, f.div(x, _sqrt(f, f.mul(f.sub(one, x), f.add(one, x)))))


def acos(f: Lanewise, x: SSAValue) -> SSAValue:
    """2 atan(sqrt((1 - x) / (1 + x)))."""
    one = f.number(1.0)
    half = atan(f, _sqrt(f, f.div(f.sub(one, x), f.add(one, x))))
    return f.add(half, half)


def atan2(f: Lanewise, y: SSAValue, x: SSAValue) -> SSAValue:
    """The angle of the point (x, y), from the quotient of the smaller by the larger."""
    tall, wide = f.absolute(y), f.absolute(x)
    steep = f.compare("ogt", tall, wide)
    small, large = f.select(steep, wide, tall), f.select(steep, tall, wide)
    # Of two zeros the angle is that of (1, 0), of two infinities that of (1, 1).
    zero, one = f.number(0.0), f.number(1.0)
    quotient = f.select(f.compare("oeq", small, large), one, f.div(small, large))
    quotient = f.select(f.compare("oeq", large, zero), zero, quotient)
    angle = atan(f, quotient)
    angle = f.select(steep, f.sub(f.number(HALF_PI), angle), angle)
    left = f.compare("olt", f.copy_sign(one, x), zero)
    angle = f.select(left, f.sub(f.number(PI), angle), angle)
    known = f.compare("ord", x, y)
    return f.select(known, f.copy_sign(angle, y), f.add(x, y))


def sinh(f: Lanewise, x: SSAValue) -> SSAValue:
    """(t + t / (t + 1)) / 2 for t = expm1(|x|)."""
    size = f.absolute(x)
    t = expm1(f, size)
    near = f.mul(f.add(t, f.div(t, f.add(t, f.number(1.0)))), f.number(0.5))
    large = f.compare("ogt", size, f.number(40.0))
    return f.copy_sign(f.select(large, _half_exp(f, size), near), x)


def cosh(f: Lanewise, x: SSAValue) -> SSAValue:
    """(exp(x) + exp(-x)) / 2."""
    size = f.absolute(x)
    power, half = exp(f, size), f.number(0.5)
    near = f.add(f.mul(power, half), f.div(half, power))
    large = f.compare("ogt", size, f.number(40.0))
    return f.select(large, _half_exp(f, size), near)


def _half_exp(f: Lanewise, x: SSAValue) -> SSAValue:
    """exp(x) / 2 where exp(x) may overflow."""
    root = exp(f, f.mul(x, f.number(0.5)))
    return f.mul(f.mul(root, f.number(0.5)), root)


def asinh(f: Lanewise, x: SSAValue) -> SSAValue:
    """log1p(|x| + x**2 / (1 + sqrt(x**2 + 1))) with the sign of x."""
    size, square, one = f.absolute(x), f.mul(x, x), f.number(1.0)
    root = _sqrt(f, f.add(square, one))
    near = log1p(f, f.add(size, f.div(square, f.add(one, root))))
    large = f.compare("ogt", size, f.number(1e9))
    far = f.add(log(f, size), f.number(LN2))
    return f.copy_sign(f.select(large, far, near), x)


def acosh(f: Lanewise, x: SSAValue) -> SSAValue:
    """log1p(t + sqrt(2 t + t**2)) for t = x - 1."""
    t = f.sub(x, f.number(1.0))
    near = log1p(f, f.add(t, _sqrt(f, f.fma(t, t, f.add(t, t)))))
    large = f.compare("ogt", x, f.number(1e9))
    return f.select(large, f.add(log(f, x), f.number(LN2)), near)


def atanh(f: Lanewise, x: SSAValue) -> SSAValue:
    """log1p(2 |x| / (1 - |x|)) / 2 with the sign of x."""
    size = f.absolute(x)
    ratio = f.div(f.add(size, size), f.sub(f.number(1.0), size))
    value = f.mul(log1p(f, ratio), f.number(0.5))
    # A copied sign would make NaN of numbers beyond 1 no less NaN.
    return f.copy_sign(value, x)


def _sqrt(f: Lanewise, x: SSAValue) -> SSAValue:
    return f.emitter.value(math.SqrtOp, (x,))


def _two_sum(f: Lanewise, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The rounded sum and what it lost (Knuth)."""
    total = f.add(a, b)
    from_b = f.sub(total, a)
    from_a = f.sub(total, from_b)
    return total, f.add(f.sub(a, from_a), f.sub(b, from_b))


def _log_in_parts(f: Lanewise, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The logarithm of a positive number as a sum of two, to about 2**-60."""
    exponent, r = split(f, x)
    square = f.mul(r, r)
    half = f.mul(square, f.number(-0.5))
    lost = f.fma_of_near(r, r, f.sub(f.number(0.0), square))
    lost = f.mul(lost, f.number(-0.5))
    small = f.mul(f.mul(square, r), f.polynomial(polynomials.LOG[64], r))
    small = f.add(small, f.fma(exponent, f.number(LN2_LOW[64]), lost))
    high, first = _two_sum(f, f.mul(exponent, f.number(LN2_HIGH[64])), r)
    high, second = _two_sum(f, high, half)
    return _two_sum(f, high, f.add(small, f.add(first, second)))


def power(f: Lanewise, x: SSAValue, y: SSAValue) -> SSAValue:
    """exp(y log|x|), the product in two parts; signs and borders as IEEE 754 says."""
    size, zero, one = f.absolute(x), f.number(0.0), f.number(1.0)
    high, low = _log_in_parts(f, size)
    product = f.mul(y, high)
    rest = f.fma_of_near(y, high, f.sub(zero, product))
    rest = f.fma(y, low, rest)
    plain = exp(f, product)
    inside = f.compare("olt", f.absolute(product), f.number(745.0))
    value = f.select(inside, f.fma(plain, rest, plain), plain)
    # The powers of 0 and of infinity.
    infinite = f.compare("oeq", size, f.number(INFINITY))
    rising = f.select(f.compare("ogt", y, zero), f.number(INFINITY), zero)
    falling = f.select(f.compare("ogt", y, zero), zero, f.number(INFINITY))
    value = f.select(infinite, rising, value)
    value = f.select(f.compare("oeq", size, zero), falling, value)
    value = f.select(f.compare("oeq", size, one), one, value)
    # Of a negative number only whole powers; the odd ones have its sign.
    half = f.mul(y, f.number(0.5))
    odd = f.compare("one", _whole(f, half), half)
    whole = f.compare("oeq", _whole(f, y), y)
    signed = f.select(odd, f.copy_sign(value, x), value)
    value = f.select(whole, signed, value)
    negative = f.select(infinite, zero, f.select(whole, zero, x))
    value = f.select(f.compare("olt", negative, zero), f.number(NAN), value)
    value = f.select(f.compare("ord", x, y), value, f.number(NAN))
    value = f.select(f.compare("oeq", y, zero), one, value)
    return f.select(f.compare("oeq", x, one), one, value)


def _whole(f: Lanewise, x: SSAValue) -> SSAValue:
    if "round" in f.missing:
        return rounding.trunc(f, x)
    return f.emitter.value(math.TruncOp, (x,))
