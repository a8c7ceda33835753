"""Arithmetic and elementary functions of complex numbers, as formulas of their parts; rows
of `complex_tables`.

As in PyTorch, products use the plain formula, so that infinity times a number can be NaN,
and quotients use Smith's method.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log
from typing import Any

from xdsl.ir import SSAValue

from devproc.dialects.nn import elementary as nn
from devproc.dialects.nn.base import NNOp
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
from devproc.frontends.torch_export.graph.builder import (
    Complex,
    ImportRule,
    rows_of,
)

ONE = Complex(1, 0)

Function = Callable[[ComplexFormula, Complex], Complex]


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
    # Division by zero makes each part infinite or NaN independently.
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
    """The absolute value, relative to the larger part to avoid overflow and underflow;
    infinite where either part is, even if the other is NaN.
    """
    a, b = f(AbsOp, x.real), f(AbsOp, x.imaginary)
    larger, smaller = f(MaximumOp, a, b), f(MinimumOp, a, b)
    ratio = f(DivOp, smaller, f.where(f(EqOp, larger, 0), 1, larger))
    value = f(MulOp, larger, f(SqrtOp, f(AddOp, f(MulOp, ratio, ratio), 1)))
    infinite = f.logic(OrOp, f(EqOp, a, inf), f(EqOp, b, inf))
    return f.where(infinite, inf, value)


def angle(f: ComplexFormula, x: Complex) -> SSAValue:
    """The angle from the real axis."""
    return f(nn.Atan2Op, x.imaginary, x.real)


def _sign(f: ComplexFormula, x: Complex) -> Complex:
    """x / |x|; 0 for 0."""
    size = absolute(f, x)
    size = f.where(f(EqOp, size, 0), 1, size)
    return Complex(f(DivOp, x.real, size), f(DivOp, x.imaginary, size))


def exponential(f: ComplexFormula, x: Complex) -> Complex:
    """e^a (cos b + i sin b); 0 where a is minus infinity, for any b."""
    length, phase = f(ExpOp, x.real), f.value(x.imaginary)
    real, sine = f(MulOp, length, f(nn.CosOp, phase)), f(nn.SinOp, phase)
    # On the real axis infinity is not multiplied by 0.
    imaginary = f.where(f(EqOp, phase, 0), phase, f(MulOp, length, sine))
    zero = f(EqOp, x.real, -inf)
    return Complex(f.where(zero, 0, real), f.where(zero, 0, imaginary))


def logarithm(f: ComplexFormula, x: Complex) -> Complex:
    """log |x| + i angle"""
    return Complex(f(nn.LogOp, absolute(f, x)), angle(f, x))


def _logarithm_to(base: float) -> Function:
    def function(f: ComplexFormula, x: Complex) -> Complex:
        return _each(lambda part: f(DivOp, part, log(base)), logarithm(f, x))

    return function


def square_root(f: ComplexFormula, x: Complex) -> Complex:
    """The principal root: its real part is not negative, its imaginary part has b's sign."""
    a, b = f.value(x.real), f.value(x.imaginary)
    # The halves overflow only for the very largest numbers.
    half = Complex(f(MulOp, a, 0.5), f(MulOp, b, 0.5))
    root = f(SqrtOp, f(AddOp, absolute(f, half), f(AbsOp, half.real)))
    zero = f(EqOp, root, 0)
    other = f(DivOp, half.imaginary, f.where(zero, 1, root))
    left = f(LtOp, a, 0)
    # 1 / b distinguishes -0 from 0, which lie on different sides of the branch cut.
    below = f(LtOp, f.where(f(EqOp, b, 0), f(DivOp, 1, b), b), 0)
    signed = f.where(below, f(MulOp, root, -1), root)
    real = f.where(left, f(AbsOp, other), root)
    return Complex(real, f.where(left, signed, f.where(zero, b, other)))


def _reciprocal_root(f: ComplexFormula, x: Complex) -> Complex:
    return divide(f, ONE, square_root(f, x))


def _each(function: Callable[[Any], Any], x: Complex) -> Complex:
    """A function of both parts."""
    return Complex(function(x.real), function(x.imaginary))


def _hyperbolic(even: type[NNOp], odd: type[NNOp]) -> Function:
    """sinh and cosh: even(a) cos b + i odd(a) sin b"""

    def function(f: ComplexFormula, x: Complex) -> Complex:
        a, b = x.real, x.imaginary
        real = f(MulOp, f(even, a), f(nn.CosOp, b))
        return Complex(real, f(MulOp, f(odd, a), f(nn.SinOp, b)))

    return function


_hyperbolic_sine = _hyperbolic(nn.SinhOp, nn.CoshOp)
_hyperbolic_cosine = _hyperbolic(nn.CoshOp, nn.SinhOp)


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


def _circular(hyperbolic: Function) -> Function:
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
    power = exponential(f, _each(lambda part: f(MulOp, part, -1), x))
    return divide(f, ONE, Complex(f(AddOp, power.real, 1), power.imaginary))


def _silu(f: ComplexFormula, x: Complex) -> Complex:
    return multiply(f, x, _sigmoid(f, x))


def _power(f: ComplexFormula, x: Complex, y: Complex) -> Complex:
    """Products for small integer exponents, else e^(y log x); 0 to a nonzero power is
    0.
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


def _test(op: type[NNOp], test: Callable[[ComplexFormula, Any], SSAValue]) -> Any:
    """A test of both parts, combined by a logical op."""

    def function(f: ComplexFormula, x: Complex) -> SSAValue:
        return f.logic(op, *[test(f, part) for part in (x.real, x.imaginary)])

    return function


_ELEMENTARY: dict[str, Callable[..., Complex | SSAValue]] = {
    "abs": absolute,
    "absolute": absolute,
    "angle": angle,
    "cos": _cosine,
    "cosh": _hyperbolic_cosine,
    "exp": exponential,
    "log": logarithm,
    "log10": _logarithm_to(10),
    "log2": _logarithm_to(2),
    "reciprocal": _reciprocal,
    "rsqrt": _reciprocal_root,
    "sgn": _sign,
    "sigmoid": _sigmoid,
    "silu": _silu,
    "sin": _circular(_hyperbolic_sine),
    "sinh": _hyperbolic_sine,
    "sqrt": square_root,
    "square": _square,
    "tan": _circular(_hyperbolic_tangent),
    "tanh": _hyperbolic_tangent,
    "isfinite": _test(AndOp, lambda f, part: f(LtOp, f(AbsOp, part), inf)),
    "isinf": _test(OrOp, lambda f, part: f(EqOp, f(AbsOp, part), inf)),
    "isnan": _test(OrOp, lambda f, part: f.differ(part, part)),
}

FUNCTIONS: dict[str, ImportRule] = {
    **{f"aten.{name}.default": formula(rule) for name, rule in _ELEMENTARY.items()},
    **rows_of(
        formula(multiply), "mul.Scalar mul.Tensor multiply.Scalar multiply.Tensor"
    ),
    **rows_of(
        formula(divide),
        "div.Scalar div.Tensor divide.Scalar divide.Tensor true_divide.Scalar "
        "true_divide.Tensor",
    ),
    **rows_of(formula(_equal), "eq.Scalar eq.Tensor"),
    **rows_of(
        formula(_differ), "ne.Scalar ne.Tensor not_equal.Scalar not_equal.Tensor"
    ),
    **rows_of(formula(_power), "pow.Scalar pow.Tensor_Scalar pow.Tensor_Tensor"),
}
"""ATen overload -> import rule."""
