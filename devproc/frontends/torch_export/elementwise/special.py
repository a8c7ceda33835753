"""Error, gamma and Bessel functions, computed in float64 and rounded once.

Functions of PyTorch tensors, traced into `nn` ops (see `composites`); rows of
`elementary`. The approximations are those of the Cephes library, which PyTorch uses too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, inf, nan, pi, sqrt

import torch
from torch import Tensor

from devproc.frontends.torch_export.elementwise import special_tables as tables
from devproc.frontends.torch_export.graph.builder import (
    ImportRule,
    overloads,
    rows_of,
)
from devproc.frontends.torch_export.graph.composites import composed_of
from devproc.frontends.torch_export.graph.problems import Refusal

PSI_AT_10 = 2.25175258906672110764
LOG_SQRT_2_PI = 0.91893853320467274178


def in_double(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """The function in float64, its result in the dtype of `x` (integers: the default)."""

    def rounded(x: Tensor) -> Tensor:
        dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
        return function(x.double()).to(dtype)

    return rounded


def polynomial(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """By Horner's rule, the highest power first."""
    value = x * coefficients[0] + coefficients[1]
    for coefficient in coefficients[2:]:
        value = value * x + coefficient
    return value


def chebyshev(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """A Chebyshev series on [-2, 2] by Clenshaw's rule, the highest term first."""
    last = x * coefficients[0] + coefficients[1]
    before: Tensor | float = coefficients[0]
    older: Tensor | float = 0.0
    for coefficient in coefficients[2:]:
        last, before, older = x * last - before + coefficient, last, before
    return 0.5 * (last - older)


def _scaled_erfc(x: Tensor) -> Tensor:
    """exp(x * x) * erfc(x) for x from 1 on."""
    near = x.clamp(1, 8)
    far = x.clamp(8, 1e7)
    middle = polynomial(near, tables.ERFC_P) / polynomial(near, tables.ERFC_Q)
    tail = polynomial(far, tables.ERFC_R) / polynomial(far, tables.ERFC_S)
    value = torch.where(x < 8, middle, tail)
    return torch.where(x > 1e7, 1 / (sqrt(pi) * x), value)


def _exp_square(x: Tensor, sign: float) -> Tensor:
    """exp(sign * x * x), with the square in two parts to avoid its rounding error."""
    high = (x * 16).trunc() / 16
    rest = (x - high) * (x + high)
    value = (sign * high * high).exp() * (sign * rest).exp()
    return torch.where(x.abs() > 1e3, inf if sign > 0 else 0.0, value)


def _erfc(x: Tensor) -> Tensor:
    size = x.abs()
    tail = _exp_square(size, -1) * _scaled_erfc(size)
    value = torch.where(x < 0, 2 - tail, tail)
    return torch.where(size < 1, 1 - x.erf(), value)


def _erfcx(x: Tensor) -> Tensor:
    return torch.where(x < 1, _exp_square(x, 1) * _erfc(x), _scaled_erfc(x))


def _ndtr(x: Tensor) -> Tensor:
    return 0.5 * _erfc(-x * sqrt(0.5))


def _log_ndtr(x: Tensor) -> Tensor:
    scaled = x * sqrt(0.5)
    tail = (_erfcx(-scaled) / 2).log() - scaled * scaled
    return torch.where(x < -1, tail, (-_erfc(scaled) / 2).log1p())


def _erfinv(y: Tensor) -> Tensor:
    """A rational approximation, refined by two steps of Newton's method."""
    size = y.abs()
    z = y * y
    inside = y * polynomial(z, tables.ERFINV_A) / polynomial(z, tables.ERFINV_B)
    z = (-((1 - size) / 2).log()).sqrt()
    outside = polynomial(z, tables.ERFINV_C) / polynomial(z, tables.ERFINV_D)
    x = torch.where(size <= 0.7, inside, outside.copysign(y))
    for _ in range(2):
        x = x - (x.erf() - y) / (2 / sqrt(pi) * (-x * x).exp())
    return torch.where(size == 1, y * inf, torch.where(size > 1, nan, x))


def _ndtri(p: Tensor) -> Tensor:
    """The quantile of the normal distribution."""
    edge = exp(-2)
    upper = p > 1 - edge
    y = torch.where(upper, 1 - p, p)
    middle = y - 0.5
    z = middle * middle
    ratio = polynomial(z, tables.NDTRI_P0) / polynomial(z, tables.NDTRI_Q0)
    inside = (middle + middle * (z * ratio)) * sqrt(2 * pi)
    x = (-2 * y.log()).sqrt()
    z = 1 / x
    near = polynomial(z, tables.NDTRI_P1) / polynomial(z, tables.NDTRI_Q1)
    far = polynomial(z, tables.NDTRI_P2) / polynomial(z, tables.NDTRI_Q2)
    tail = x - x.log() / x - z * torch.where(x < 8, near, far)
    value = torch.where(y > edge, inside, torch.where(upper, tail, -tail))
    value = torch.where(p == 0, -inf, torch.where(p == 1, inf, value))
    return torch.where((p < 0) | (p > 1), nan, value)


def _lgamma_positive(x: Tensor) -> Tensor:
    """Reduced to [2, 3) by the recurrence; from 13 on, Stirling's series."""
    moved, factor = x.clamp(max=13), torch.ones((), dtype=x.dtype)
    for _ in range(11):
        above = moved >= 3
        moved = torch.where(above, moved - 1, moved)
        factor = torch.where(above, factor * moved, factor)
    for _ in range(2):
        below = moved < 2
        factor = torch.where(below, factor / moved, factor)
        moved = torch.where(below, moved + 1, moved)
    rest = moved - 2
    ratio = polynomial(rest, tables.LGAMMA_B) / polynomial(rest, tables.LGAMMA_C)
    small = factor.log() + rest * ratio
    large = x.clamp(min=13)
    series = polynomial(1 / (large * large), tables.LGAMMA_A) / large
    stirling = (large - 0.5) * large.log() - large + LOG_SQRT_2_PI + series
    return torch.where(x < 13, small, torch.where(x == inf, inf, stirling))


def _lgamma(x: Tensor) -> Tensor:
    """By reflection below zero; infinite at zero and the negative integers."""
    size = x.abs()
    positive = _lgamma_positive(torch.where(x < 0, size, x))
    sine = ((size - size.floor()) * pi).sin() * size
    value = torch.where(x < 0, (pi / sine).log() - positive, positive)
    pole = (x <= 0) & (x == x.floor())
    return torch.where(pole | x.isinf(), inf, value)


def _digamma(x: Tensor) -> Tensor:
    """Shifted to 10 and above by the recurrence; there, the asymptotic series."""
    pole = (x < 0) & (x == x.trunc())
    reflected = torch.where(x < 0, 1 - x, x)
    moved, value = reflected, torch.zeros((), dtype=x.dtype)
    for _ in range(10):
        below = moved < 10
        value = torch.where(below, value - 1 / moved, value)
        moved = torch.where(below, moved + 1, moved)
    z = 1 / (moved * moved)
    series = moved.log() - 0.5 / moved - z * polynomial(z, tables.DIGAMMA)
    series = torch.where(moved == inf, inf, series)
    value = value + torch.where(moved == 10, PSI_AT_10, series)
    reflection = pi / ((x - x.trunc()) * pi).tan()
    value = torch.where(x < 0, value - reflection, value)
    value = torch.where(x == 0, torch.where(x.signbit(), inf, -inf), value)
    return torch.where(pole, nan, value)


def _trigamma(x: Tensor) -> Tensor:
    """PyTorch's: six steps of the recurrence, then the asymptotic series. Infinite at
    zero and the negative integers, where PyTorch gives a large number.
    """
    low = x < 0.5
    sine = ((x - x.floor()) * pi).sin()
    moved = torch.where(low, 1 - x, x)
    value = torch.where(low, -(pi * pi) / (sine * sine), 0.0)
    for _ in range(6):
        value = value + 1 / (moved * moved)
        moved = moved + 1
    z = 1 / (moved * moved)
    series = 1 + 1 / (2 * moved) + z * (1 / 6 - z * (1 / 30 - z * (1 / 42)))
    value = value + series / moved
    return torch.where(low, -value, value)


def polygamma(n: int, x: Tensor) -> Tensor:
    """digamma (n = 0) or its derivative (n = 1); raises Refusal for other orders."""
    if n > 1:
        raise Refusal(
            f"polygamma of order {n} is not supported, only of 0 and 1",
            "compute it outside of the compiled program",
        )
    return in_double(_trigamma if n else _digamma)(x)


def _scaled_bessel(
    small: Sequence[float], large: Sequence[float], odd: bool
) -> Callable[[Tensor], Tensor]:
    """exp(-|x|) times a modified Bessel function of the first kind."""

    def function(x: Tensor) -> Tensor:
        size = x.abs()
        near = chebyshev(size / 2 - 2, small) * (size if odd else 1)
        far = chebyshev(32 / size - 2, large) / size.sqrt()
        value = torch.where(size <= 8, near, far)
        return torch.where(x < 0, -value, value) if odd else value

    return function


def _unscaled(scaled: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def function(x: Tensor) -> Tensor:
        # Half of the exponent at a time: exp overflows before the product does.
        half = (x.abs() / 2).exp()
        value = half * scaled(x) * half
        return torch.where(x.isinf(), x.abs() if scaled is _I0E else x, value)

    return function


_I0E = _scaled_bessel(tables.I0E_SMALL, tables.I0E_LARGE, False)
_I1E = _scaled_bessel(tables.I1E_SMALL, tables.I1E_LARGE, True)


_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "erfc special_erfc": _erfc,
    "special_erfcx": _erfcx,
    "special_ndtr": _ndtr,
    "special_log_ndtr": _log_ndtr,
    "erfinv special_erfinv": _erfinv,
    "special_ndtri": _ndtri,
    "lgamma special_gammaln": _lgamma,
    "digamma special_digamma special_psi": _digamma,
    "i0 special_i0 special_modified_bessel_i0": _unscaled(_I0E),
    "special_i0e": _I0E,
    "special_i1 special_modified_bessel_i1": _unscaled(_I1E),
    "special_i1e": _I1E,
}
"""ATen operators -> the function that they equal in float64."""

SPECIAL: dict[str, ImportRule] = {
    **{
        name: composed_of(in_double(function))
        for names, function in _FUNCTIONS.items()
        for name in overloads(names)
    },
    **rows_of(composed_of(polygamma), "polygamma special_polygamma"),
}
"""ATen overload -> import rule."""
