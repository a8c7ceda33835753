"""Arithmetic and elementary functions of complex numbers, as formulas of their parts.

Rows of `complex_tables`. A product multiplies plainly, as PyTorch's does, so that
infinity times a number can be NaN; a quotient is taken by Smith's method, as PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log

from xdsl.ir import SSAValue

from devproc.dialects.nn import elementary as nn
from devproc.dialects.nn.compare import AndOp, EqOp, LtOp, OrOp
from devproc.dialects.nn.pointwise import (
    AbsOp,
    AddOp,
    DivOp,
    ExpOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    SqrtOp,
    SubOp,
)
from devproc.frontends.torch_export.complex.complex_parts import ComplexFormula, formula
from devproc.frontends.torch_export.graph.builder import Complex, ImportRule

ONE = Complex(1, 0)


def multiply(f: ComplexFormula, x: Complex, y: Complex) -> Complex:
    """(a + bi) (c + di)"""
    return Complex(
        f(SubOp, f(MulOp, x.real, y.real), f(MulOp, x.imaginary, y.imaginary)),
        f(AddOp, f(MulOp, x.real, y.imaginary), f(MulOp, x.imaginary, y.real)),
    )


def divide(f: ComplexFormula, x: Complex, y: Complex) -> Complex:
    """Smith's method: both sides divided by the larger part of the divisor."""
    a, b, c, d = x.real, x.imaginary, f.value(y.real), f.value(y.imaginary)
    wide = f(LtOp, f(AbsOp, c), f(AbsOp, d))
    larger, smaller = f.where(wide, d, c), f.where(wide, c, d)
    # Divided by zero, the parts become infinite or NaN each by itself.
    zero = f(EqOp, larger, 0)
    ratio = f.where(zero, 0, f(DivOp, smaller, larger))
    larger = f.where(zero, f(AbsOp, larger), larger)
    scale = f(DivOp, 1, f(AddOp, larger, f(MulOp, smaller, ratio)))
    first, second = f.where(wide, b, a), f.where(wide, a, b)
    real = f(AddOp, first, f(MulOp, second, ratio))
    left, right = f(MulOp, b, ratio), f(MulOp, a, ratio)
    imaginary = f.where(wide, f(SubOp, left, a), f(SubOp, b, right))
    return Complex(f(MulOp, real, scale), f(MulOp, imaginary, scale))


def _reciprocal(f: ComplexFormula, x: Complex) -> Complex:
    return divide(f, ONE, x)


def _square(f: ComplexFormula, x: Complex) -> Complex:
    return multiply(f, x, x)


def conjugate(f: ComplexFormula, x: Complex) -> Complex:
    """a - bi"""
    return Complex(x.real, f(MulOp, x.imaginary, -1))


def absolute(f: ComplexFormula, x: Complex) -> SSAValue:
    """Relative to the larger part, so that no square overflows or vanishes; infinite
    where a part is, whatever the other.
    """
    a, b = f(AbsOp, x.real), f(AbsOp, x.imaginary)
    larger, smaller = f(MaximumOp, a, b), f(MinimumOp, a, b)
    ratio = f(DivOp, smaller, f.where(f(EqOp, larger, 0), 1, larger))
    value = f(MulOp, larger, f(SqrtOp, f(AddOp, f(MulOp, ratio, ratio), 1)))
    infinite = f.logic(OrOp, f(EqOp, a, inf), f(EqOp, b, inf))
    return f.where(infinite, inf, value)


def angle(f: ComplexFormula, x: Complex) -> SSAValue:
    """The angle to the real axis."""
    return f(nn.Atan2Op, x.imaginary, x.real)


def _sign(f: ComplexFormula, x: Complex) -> Complex:
    """x / |x|; 0 of 0."""
    size = absolute(f, x)
    size = f.where(f(EqOp, size, 0), 1, size)
    return Complex(f(DivOp, x.real, size), f(DivOp, x.imaginary, size))


def exponential(f: ComplexFormula, x: Complex) -> Complex:
    """e^a (cos b + i sin b); 0 of minus infinity, whatever b is."""
    length, turn = f(ExpOp, x.real), f.value(x.imaginary)
    real, sine = f(MulOp, length, f(nn.CosOp, turn)), f(nn.SinOp, turn)
    # On the real axis infinity is not multiplied by 0.
    imaginary = f.where(f(EqOp, turn, 0), turn, f(MulOp, length, sine))
    zero = f(EqOp, x.real, -inf)
    return Complex(f.where(zero, 0, real), f.where(zero, 0, imaginary))


def logarithm(f: ComplexFormula, x: Complex) -> Complex:
    """log |x| + i angle"""
    return Complex(f(nn.LogOp, absolute(f, x)), angle(f, x))


def _logarithm_to(base: float) -> Callable[[ComplexFormula, Complex], Complex]:
    def function(f: ComplexFormula, x: Complex) -> Complex:
        value = logarithm(f, x)
        return Complex(
            f(DivOp, value.real, log(base)), f(DivOp, value.imaginary, log(base))
        )

    return function


def square_root(f: ComplexFormula, x: Complex) -> Complex:
    """The root with a real part of at least 0, which has the sign of b."""
    a, b = f.value(x.real), f.value(x.imaginary)
    # Of halves, whose sum overflows for the last of the numbers alone.
    half = Complex(f(MulOp, a, 0.5), f(MulOp, b, 0.5))
    root = f(SqrtOp, f(AddOp, absolute(f, half), f(AbsOp, half.real)))
    zero = f(EqOp, root, 0)
    other = f(DivOp, half.imaginary, f.where(zero, 1, root))
    left = f(LtOp, a, 0)
    # 1 / b tells -0 from 0: they lie on different sides of the cut.
    below = f(LtOp, f.where(f(EqOp, b, 0), f(DivOp, 1, b), b), 0)
    signed = f.where(below, f(MulOp, root, -1), root)
    real = f.where(left, f(AbsOp, other), root)
    return Complex(real, f.where(left, signed, f.where(zero, b, other)))


def _reciprocal_root(f: ComplexFormula, x: Complex) -> Complex:
    return divide(f, ONE, square_root(f, x))


def _hyperbolic_sine(f: ComplexFormula, x: Complex) -> Complex:
    a, b = x.real, x.imaginary
    return Complex(
        f(MulOp, f(nn.SinhOp, a), f(nn.CosOp, b)),
        f(MulOp, f(nn.CoshOp, a), f(nn.SinOp, b)),
    )


def _hyperbolic_cosine(f: ComplexFormula, x: Complex) -> Complex:
    a, b = x.real, x.imaginary
    return Complex(
        f(MulOp, f(nn.CoshOp, a), f(nn.CosOp, b)),
        f(MulOp, f(nn.SinhOp, a), f(nn.SinOp, b)),
    )


def _hyperbolic_tangent(f: ComplexFormula, x: Complex) -> Complex:
    """With t = tanh a and s = tan b: (t (1 + s^2) + i s / cosh^2 a) / (1 + t^2 s^2)."""
    t, s = f(nn.TanhOp, x.real), f(nn.TanOp, x.imaginary)
    secant = f(DivOp, 1, f(nn.CoshOp, x.real))
    squares = f(MulOp, s, s)
    product = f(MulOp, t, s)
    below = f(AddOp, f(MulOp, product, product), 1)
    real = f(MulOp, t, f(AddOp, squares, 1))
    imaginary = f(MulOp, s, f(MulOp, secant, secant))
    return Complex(f(DivOp, real, below), f(DivOp, imaginary, below))


def _circular(
    hyperbolic: Callable[[ComplexFormula, Complex], Complex],
) -> Callable[[ComplexFormula, Complex], Complex]:
    """sin x = -i sinh ix, tan x = -i tanh ix"""

    def function(f: ComplexFormula, x: Complex) -> Complex:
        value = hyperbolic(f, Complex(f(MulOp, x.imaginary, -1), x.real))
        return Complex(value.imaginary, f(MulOp, value.real, -1))

    return function


def _cosine(f: ComplexFormula, x: Complex) -> Complex:
    """cos x = cosh ix"""
    return _hyperbolic_cosine(f, Complex(f(MulOp, x.imaginary, -1), x.real))


def _sigmoid(f: ComplexFormula, x: Complex) -> Complex:
    """1 / (1 + e^-x)"""
    minus = Complex(f(MulOp, x.real, -1), f(MulOp, x.imaginary, -1))
    power = exponential(f, minus)
    return divide(f, ONE, Complex(f(AddOp, power.real, 1), power.imaginary))


def _silu(f: ComplexFormula, x: Complex) -> Complex:
    return multiply(f, x, _sigmoid(f, x))


def _power(f: ComplexFormula, x: Complex, y: Complex) -> Complex:
    """Products for small whole exponents, else e^(y log x); 0 to a power other than 0
    is 0.
    """
    if y == ONE:
        return f.complex(x)
    if y == Complex(2, 0):
        return multiply(f, x, x)
    if y == Complex(3, 0):
        return multiply(f, multiply(f, x, x), x)
    if y == Complex(0.5, 0):
        return square_root(f, x)
    if y == Complex(-1, 0):
        return divide(f, ONE, x)
    value = exponential(f, multiply(f, y, logarithm(f, x)))
    zero, none = _equal(f, x, Complex(0, 0)), _equal(f, y, Complex(0, 0))
    real = f.where(none, 1, f.where(zero, 0, value.real))
    special = f.logic(OrOp, zero, none)
    return Complex(real, f.where(special, 0, value.imaginary))


def _equal(f: ComplexFormula, x: Complex, y: Complex) -> SSAValue:
    real, imaginary = f(EqOp, x.real, y.real), f(EqOp, x.imaginary, y.imaginary)
    return f.logic(AndOp, real, imaginary)


def _differ(f: ComplexFormula, x: Complex, y: Complex) -> SSAValue:
    return f.negation(_equal(f, x, y))


def _is_nan(f: ComplexFormula, x: Complex) -> SSAValue:
    nan = [f.differ(part, part) for part in (x.real, x.imaginary)]
    return f.logic(OrOp, *nan)


def _is_infinite(f: ComplexFormula, x: Complex) -> SSAValue:
    infinite = [f(EqOp, f(AbsOp, part), inf) for part in (x.real, x.imaginary)]
    return f.logic(OrOp, *infinite)


def _is_finite(f: ComplexFormula, x: Complex) -> SSAValue:
    finite = [f(LtOp, f(AbsOp, part), inf) for part in (x.real, x.imaginary)]
    return f.logic(AndOp, *finite)


_ELEMENTARY: dict[str, ImportRule] = {
    "abs": formula(absolute),
    "absolute": formula(absolute),
    "angle": formula(angle),
    "cos": formula(_cosine),
    "cosh": formula(_hyperbolic_cosine),
    "exp": formula(exponential),
    "log": formula(logarithm),
    "log10": formula(_logarithm_to(10)),
    "log2": formula(_logarithm_to(2)),
    "reciprocal": formula(_reciprocal),
    "rsqrt": formula(_reciprocal_root),
    "sgn": formula(_sign),
    "sigmoid": formula(_sigmoid),
    "silu": formula(_silu),
    "sin": formula(_circular(_hyperbolic_sine)),
    "sinh": formula(_hyperbolic_sine),
    "sqrt": formula(square_root),
    "square": formula(_square),
    "tan": formula(_circular(_hyperbolic_tangent)),
    "tanh": formula(_hyperbolic_tangent),
    "isfinite": formula(_is_finite),
    "isinf": formula(_is_infinite),
    "isnan": formula(_is_nan),
}
_BINARY: dict[str, ImportRule] = {
    "mul": formula(multiply),
    "multiply": formula(multiply),
    "div": formula(divide),
    "divide": formula(divide),
    "true_divide": formula(divide),
    "eq": formula(_equal),
    "ne": formula(_differ),
    "not_equal": formula(_differ),
}

FUNCTIONS: dict[str, ImportRule] = {
    **{f"aten.{name}.default": rule for name, rule in _ELEMENTARY.items()},
    **{
        f"aten.{name}.{kind}": rule
        for name, rule in _BINARY.items()
        for kind in ("Scalar", "Tensor")
    },
    **{
        f"aten.pow.{kind}": formula(_power)
        for kind in ("Scalar", "Tensor_Scalar", "Tensor_Tensor")
    },
}
"""ATen overload -> how to build it."""
