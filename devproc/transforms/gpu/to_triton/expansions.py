"""Math functions that Triton has no portable form for, from those it has.

Triton reaches most of libm only through libdevice, which its interpreter refuses; so
these are written out. In float32 each agrees with the correctly rounded result to about
two units in the last place; the rare ones take a detour through float64.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, log10, nan, pi

from xdsl.dialects import math
from xdsl.dialects.builtin import Float32Type, f64
from xdsl.ir import Operation, SSAValue

from devproc.dialects.triton import element_of
from devproc.transforms.gpu.to_triton.formula import Formula

Expansion = Callable[..., SSAValue]

LOG2_E = 1.4426950216293335
"""log2(e) rounded to float32."""
LOG2_E_REST = 1.9259629911266175e-8
"""What the rounding of LOG2_E left over."""


def in_double(function: Expansion) -> Expansion:
    """The function computed in float64 and rounded once at the end."""

    def expansion(f: Formula, *values: SSAValue) -> SSAValue:
        wide = [f.b.to_float(value, f64) for value in values]
        return f.b.to_float(function(f, *wide), element_of(values[0].type))

    return expansion


def accurate_exp(f: Formula, x: SSAValue) -> SSAValue:
    """exp2(x log2 e) with the product's rounding error put back (float32 only)."""
    if not isinstance(element_of(x.type), Float32Type):
        return f.exp(x)
    power = f.mul(x, LOG2_E)
    rest = f.fma(x, LOG2_E, f.sub(0.0, power))
    rest = f.mul(f.fma(x, LOG2_E_REST, rest), log(2))
    plain = f.exp2(power)
    better = f.fma(plain, rest, plain)
    # At the infinities the error term is inf - inf.
    return f.where(f.test("oeq", better, better), better, plain, x)


def tanh(f: Formula, x: SSAValue) -> SSAValue:
    """A polynomial near zero (Cephes), 1 - 2 / (exp(2|x|) + 1) beyond."""
    if not isinstance(element_of(x.type), Float32Type):
        return tanh_double(f, x)
    size, square = f.abs(x), f.mul(x, x)
    series = f.polynomial(
        square,
        (
            -5.70498872745e-3,
            2.06390887954e-2,
            -5.37397155531e-2,
            1.33314422036e-1,
            -3.33332819422e-1,
        ),
    )
    near = f.add(f.mul(f.mul(series, square), x), x)
    far = f.sub(1.0, f.div(2.0, f.add(f.exp(f.add(size, size)), 1.0)))
    return f.where(f.test("olt", size, 0.625), near, f.signed(far, x), x)


def tanh_double(f: Formula, x: SSAValue) -> SSAValue:
    """-expm1(-2|x|) / (2 + expm1(-2|x|)) with the sign of x."""
    decay = expm1(f, f.mul(f.abs(x), -2.0))
    return f.signed(f.div(f.sub(0.0, decay), f.add(decay, 2.0)), x)


def expm1(f: Formula, x: SSAValue) -> SSAValue:
    """exp(x) - 1; a series where the difference would cancel."""
    series = f.mul(x, f.polynomial(x, (1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0)))
    small = f.test("olt", f.abs(x), 1e-3)
    return f.where(small, series, f.sub(f.exp(x), 1.0), x)


def log1p(f: Formula, x: SSAValue) -> SSAValue:
    """log(1 + x), corrected for the rounding of 1 + x (Kahan)."""
    total = f.add(x, 1.0)
    rounded = f.sub(total, 1.0)
    corrected = f.mul(f.log(total), f.div(x, rounded))
    infinite = f.test("oeq", total, float("inf"))
    value = f.where(infinite, total, corrected, x)
    return f.where(f.test("oeq", rounded, 0.0), x, value, x)


def log_base_10(f: Formula, x: SSAValue) -> SSAValue:
    """log10(x)."""
    return f.mul(f.log2(x), log10(2))


def atan(f: Formula, x: SSAValue) -> SSAValue:
    """Two argument reductions and a rational function (Cephes)."""
    size = f.abs(x)
    large, middle = f.test("ogt", size, 2.414213562373095), f.test("ogt", size, 0.66)
    shifted = f.div(f.sub(size, 1.0), f.add(size, 1.0))
    z = f.where(large, f.div(-1.0, size), f.where(middle, shifted, size, x), x)
    base = f.where(large, pi / 2, f.where(middle, pi / 4, 0.0, x), x)
    square = f.mul(z, z)
    p = f.polynomial(
        square,
        (
            -8.750608600031904122785e-1,
            -1.615753718733365076637e1,
            -7.500855792314704667340e1,
            -1.228866684490136173410e2,
            -6.485021904942025371773e1,
        ),
    )
    q = f.polynomial(
        square,
        (
            1.0,
            2.485846490142306297962e1,
            1.650270098316988542046e2,
            4.328810604912902668951e2,
            4.853903996359136964868e2,
            1.945506571482613964425e2,
        ),
    )
    ratio = f.div(f.mul(square, p), q)
    return f.signed(f.add(base, f.add(f.mul(z, ratio), z)), x)


def atan2(f: Formula, y: SSAValue, x: SSAValue) -> SSAValue:
    """The angle of the point (x, y): of (|x|, |y|), put into the quadrant."""
    rise, run = f.abs(y), f.abs(x)
    # Both infinite are a diagonal; both zero lie on the axis of x.
    same = f.where(f.test("oeq", rise, 0.0), 0.0, 1.0, x)
    slope = f.where(f.test("oeq", rise, run), same, f.div(rise, run), x)
    angle = atan(f, slope)
    turned = f.where(f.is_negative(x), f.sub(pi, angle), angle, x)
    return f.signed(turned, y)


def asin(f: Formula, x: SSAValue) -> SSAValue:
    """atan(x / sqrt((1 - x)(1 + x)))."""
    return atan(f, f.div(x, f.sqrt(f.mul(f.sub(1.0, x), f.add(x, 1.0)))))


def acos(f: Formula, x: SSAValue) -> SSAValue:
    """2 atan(sqrt((1 - x) / (1 + x)))."""
    return f.mul(atan(f, f.sqrt(f.div(f.sub(1.0, x), f.add(x, 1.0)))), 2.0)


def sinh(f: Formula, x: SSAValue) -> SSAValue:
    """(t + t / (t + 1)) / 2 for t = expm1(|x|)."""
    t = expm1(f, f.abs(x))
    value = f.mul(f.add(t, f.div(t, f.add(t, 1.0))), 0.5)
    return f.signed(f.where(f.test("oeq", t, float("inf")), t, value, x), x)


def cosh(f: Formula, x: SSAValue) -> SSAValue:
    """(exp(x) + exp(-x)) / 2."""
    return f.mul(f.add(f.exp(x), f.exp(f.sub(0.0, x))), 0.5)


def asinh(f: Formula, x: SSAValue) -> SSAValue:
    """log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))) with the sign of x."""
    size, square = f.abs(x), f.mul(x, x)
    inner = f.add(size, f.div(square, f.add(f.sqrt(f.add(square, 1.0)), 1.0)))
    large = f.add(f.log(size), log(2))
    return f.signed(f.where(f.test("ogt", size, 1e9), large, log1p(f, inner), x), x)


def acosh(f: Formula, x: SSAValue) -> SSAValue:
    """log1p(t + sqrt(2 t + t^2)) for t = x - 1."""
    t = f.sub(x, 1.0)
    return log1p(f, f.add(t, f.sqrt(f.add(f.add(t, t), f.mul(t, t)))))


def atanh(f: Formula, x: SSAValue) -> SSAValue:
    """log1p(2 x / (1 - x)) / 2."""
    return f.mul(log1p(f, f.div(f.add(x, x), f.sub(1.0, x))), 0.5)


def tan(f: Formula, x: SSAValue) -> SSAValue:
    """sin(x) / cos(x)."""
    return f.div(f.b.elementwise(math.SinOp, x), f.b.elementwise(math.CosOp, x))


def power(f: Formula, x: SSAValue, y: SSAValue) -> SSAValue:
    """2^(y log2|x|), with the sign of x where y is odd; x^0 = 1^y = 1.

    Negative numbers have integer powers alone, but for the infinite one.
    """
    size = f.exp2(f.mul(y, f.log2(f.abs(x))))
    size = f.where(f.test("oeq", f.abs(x), 1.0), 1.0, size, x)
    half = f.mul(y, 0.5)
    odd = f.test("one", f.floor(half), half)
    whole = f.where(odd, f.signed(size, x), size, x)
    negative = f.where(f.test("oeq", x, -inf), size, nan, x)
    broken = f.where(f.test("olt", x, 0.0), negative, size, x)
    value = f.where(f.test("oeq", f.floor(y), y), whole, broken, x)
    value = f.where(f.test("oeq", x, 1.0), 1.0, value, x)
    return f.where(f.test("oeq", y, 0.0), 1.0, value, x)


def cube_root(f: Formula, x: SSAValue) -> SSAValue:
    """2^(log2|x| / 3) with the sign of x."""
    return f.signed(f.exp2(f.div(f.log2(f.abs(x)), 3.0)), x)


def round_even(f: Formula, x: SSAValue) -> SSAValue:
    """The nearest integer, ties to even."""
    low = f.floor(x)
    rest, high = f.sub(x, low), f.add(low, 1.0)
    half = f.mul(low, 0.5)
    tie = f.where(f.test("oeq", f.floor(half), half), low, high, x)
    up = f.where(f.test("ogt", rest, 0.5), high, tie, x)
    return f.where(f.test("olt", rest, 0.5), low, up, x)


def round_away(f: Formula, x: SSAValue) -> SSAValue:
    """The nearest integer, ties away from zero."""
    size = f.abs(x)
    low = f.floor(size)
    up = f.test("oge", f.sub(size, low), 0.5)
    return f.signed(f.where(up, f.add(low, 1.0), low, x), x)


def trunc(f: Formula, x: SSAValue) -> SSAValue:
    """The integer part."""
    ceil = f.b.elementwise(math.CeilOp, x)
    return f.where(f.test("olt", x, 0.0), ceil, f.floor(x), x)


def copy_sign(f: Formula, x: SSAValue, sign: SSAValue) -> SSAValue:
    """|x| with the sign of another value."""
    return f.signed(f.abs(x), sign)


EXPANSIONS: dict[type[Operation], Expansion] = {
    math.TanhOp: tanh,
    math.ExpM1Op: in_double(expm1),
    math.Log1pOp: in_double(log1p),
    math.Log10Op: in_double(log_base_10),
    math.AtanOp: in_double(atan),
    math.Atan2Op: in_double(atan2),
    math.AsinOp: in_double(asin),
    math.AcosOp: in_double(acos),
    math.SinhOp: in_double(sinh),
    math.CoshOp: in_double(cosh),
    math.AsinhOp: in_double(asinh),
    math.AcoshOp: in_double(acosh),
    math.AtanhOp: in_double(atanh),
    math.TanOp: in_double(tan),
    math.PowFOp: in_double(power),
    math.CbrtOp: in_double(cube_root),
    math.RoundEvenOp: round_even,
    math.RoundOp: round_away,
    math.TruncOp: trunc,
    math.CopySignOp: copy_sign,
}
"""math op -> how to write it with the functions Triton has."""

STRICT_EXPANSIONS: dict[type[Operation], Expansion] = {math.ExpOp: accurate_exp}
"""What `precision = "strict"` writes out besides: Triton's own form is fast."""
