"""Each polynomial derived again with mpmath, and its stated error checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import pytest

from devproc.arithmetic import polynomials
from devproc.arithmetic.polynomials import Polynomial

Function = Callable[[Any], Any]


def _tanh(x: Any) -> Any:
    if x < 1e-12:
        return -mpmath.mpf(1) / 3 + 2 * x / 15
    root = mpmath.sqrt(x)
    return (mpmath.tanh(root) / root - 1) / x


def _erf_near(x: Any) -> Any:
    if x < 1e-24:
        return 2 / mpmath.sqrt(mpmath.pi) - 1
    root = mpmath.sqrt(x)
    return mpmath.erf(root) / root - 1


def _log2_of_erf(x: Any) -> Any:
    if x == 0:
        return 2 / mpmath.sqrt(mpmath.pi) / mpmath.log(2)
    return mpmath.log(mpmath.erfc(-x), 2) / x


def _log(x: Any) -> Any:
    if abs(x) < 1e-8:
        return mpmath.mpf(1) / 3 - x / 4 + x * x / 5
    return (mpmath.log1p(x) - x + x * x / 2) / x**3


def _exp2(x: Any) -> Any:
    return mpmath.log(2) if x == 0 else mpmath.expm1(x * mpmath.log(2)) / x


def _sin(x: Any) -> Any:
    if x < 1e-12:
        return -mpmath.mpf(1) / 6 + x / 120
    root = mpmath.sqrt(x)
    return (mpmath.sin(root) / root - 1) / x


def _cos(x: Any) -> Any:
    if x < 1e-8:
        return mpmath.mpf(1) / 24 - x / 720 + x * x / 40320
    return (mpmath.cos(mpmath.sqrt(x)) - 1 + x / 2) / x**2


def _atan(x: Any) -> Any:
    if x < 1e-12:
        return -mpmath.mpf(1) / 3 + x / 5
    root = mpmath.sqrt(x)
    return (mpmath.atan(root) / root - 1) / x


def _asin(x: Any) -> Any:
    if x < 1e-12:
        return mpmath.mpf(1) / 6 + 3 * x / 40
    root = mpmath.sqrt(x)
    return (mpmath.asin(root) / root - 1) / x


FORMULAS: dict[str, Function] = {
    "(sin(sqrt(x)) / sqrt(x) - 1) / x": _sin,
    "(cos(sqrt(x)) - 1 + x / 2) / x**2": _cos,
    "(atan(sqrt(x)) / sqrt(x) - 1) / x": _atan,
    "(asin(sqrt(x)) / sqrt(x) - 1) / x": _asin,
    "(exp(x) - 1 - x) / x**2": lambda x: mpmath.hyp1f1(1, 3, x) / 2,
    "(2**x - 1) / x": _exp2,
    "(log(1 + x) - x + x**2 / 2) / x**3": _log,
    "(tanh(sqrt(x)) / sqrt(x) - 1) / x": _tanh,
    "erf(sqrt(x)) / sqrt(x) - 1": _erf_near,
    "-log(1 - erf(x)) / x": lambda x: -mpmath.log(mpmath.erfc(x)) / x,
    "log2(1 + erf(x)) / x": _log2_of_erf,
}

CASES = [
    pytest.param(polynomial, bits, id=f"{polynomial.formula} f{bits}")
    for table in polynomials.POLYNOMIALS
    for bits, polynomial in table.items()
]


@pytest.mark.parametrize(("polynomial", "bits"), CASES)
def test_polynomial_is_the_fit_of_its_formula(
    polynomial: Polynomial, bits: int
) -> None:
    formula = FORMULAS[polynomial.formula]
    low, high = polynomial.interval
    with mpmath.workdps(40):
        fit = mpmath.chebyfit(
            lambda x: formula(mpmath.mpf(x)), [low, high], len(polynomial.coefficients)
        )
        for derived, stated in zip(reversed(fit), polynomial.coefficients, strict=True):
            assert abs(derived - stated) <= 1e-13 * abs(derived)


@pytest.mark.parametrize(("polynomial", "bits"), CASES)
def test_polynomial_is_as_close_as_stated(polynomial: Polynomial, bits: int) -> None:
    formula = FORMULAS[polynomial.formula]
    low, high = map(mpmath.mpf, polynomial.interval)
    with mpmath.workdps(40):
        exact = [mpmath.mpf(c) for c in reversed(polynomial.coefficients)]
        points = [low + (high - low) * i / 96 for i in range(1, 97)]
        worst = max(abs(mpmath.polyval(exact, x) - formula(x)) for x in points)
    # Beside the fit, the coefficients themselves are rounded to f64.
    assert worst <= polynomial.error * 1.01 + 2.0**-53
