"""The functions that are computed in f64, against more digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from tests.cpu.native_kernels import kernel, run_kernel

COUNT = 1536
LIMITS = {
    **{"sin": 1.5, "cos": 1.5, "tan": 2.5, "atan": 1.5, "asin": 3.0, "acos": 3.0},
    **{"sinh": 3.0, "cosh": 3.0, "asinh": 4.0, "acosh": 4.0, "atanh": 4.0},
    **{"atan2": 2.0, "powf": 2.0},
}
"""Largest error of f64 in units in the last place; `transcendental.py` says the same."""

SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, -1e10)


def evaluate(name: str, *operands: np.ndarray, lanes: int) -> np.ndarray:
    """`math.<name>` of the elements, `lanes` at a time."""
    x = operands[0]
    element = f"f{x.dtype.itemsize * 8}"
    memref = f"memref<{x.size}x{element}>"
    type_ = f"vector<{lanes}x{element}>"
    loads = "\n".join(
        f"        %v{i} = vector.load %a{i}[%i] : {memref}, {type_}"
        for i in range(len(operands))
    )
    values = ", ".join(f"%v{i}" for i in range(len(operands)))
    body = f"""
      %c0 = arith.constant 0 : index
      %step = arith.constant {lanes} : index
      %n = arith.constant {x.size} : index
      scf.for %i = %c0 to %n step %step {{
{loads}
        %r = math.{name} {values} : {type_}
        vector.store %r, %a{len(operands)}[%i] : {memref}, {type_}
      }}"""
    result = np.empty_like(x)
    module = kernel("pointwise", [memref] * (len(operands) + 1), body)
    run_kernel(module, [*operands, result], ["expand-math"])
    return result


def domain(name: str, rng: np.random.Generator) -> np.ndarray:
    """Numbers that the function is defined for, many of them near its zeros."""
    if name in ("asin", "acos", "atanh"):
        x = rng.uniform(-1, 1, COUNT)
        x[::3] *= 10.0 ** rng.uniform(-12, 0, COUNT // 3)
        return x
    if name == "acosh":
        return 1 + 10.0 ** rng.uniform(-9, 12, COUNT)
    x = rng.uniform(-20, 20, COUNT)
    x[::3] *= 10.0 ** rng.uniform(-9, 0.5, COUNT // 3)
    if name in ("sin", "cos", "tan"):
        x[::5] = np.round(x[::5]) * np.pi / 2 + rng.uniform(-1e-9, 1e-9, x[::5].size)
        x[1::7] *= 10.0 ** rng.uniform(0, 11, x[1::7].size)
    return x


def errors(name: str, result: np.ndarray, *operands: np.ndarray) -> np.ndarray:
    """In units in the last place of the result's type."""
    function: Callable[..., Any] = getattr(mpmath, "power" if name == "powf" else name)
    bits = 24 if result.dtype == np.float32 else 53
    found = np.zeros(result.size)
    with mpmath.workdps(60):
        for i, value in enumerate(result.tolist()):
            exact = function(*(mpmath.mpf(float(v[i])) for v in operands))
            if exact != 0:
                unit = mpmath.mpf(2) ** (
                    mpmath.floor(mpmath.log(abs(exact), 2)) + 1 - bits
                )
                found[i] = float(abs(mpmath.mpf(value) - exact) / unit)
    return found


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", [n for n in LIMITS if n not in ("atan2", "powf")])
def test_function_is_accurate(name: str, bits: int) -> None:
    x = domain(name, np.random.default_rng(3)).astype(f"float{bits}")
    if name == "acosh":
        x = np.maximum(x, np.nextafter(x.dtype.type(1), x.dtype.type(2)))
    error = errors(name, evaluate(name, x, lanes=8), x)
    worst = int(error.argmax())
    assert error[worst] <= (LIMITS[name] if bits == 64 else 0.51), x[worst]


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", ["atan2", "powf"])
def test_function_of_two_is_accurate(name: str, bits: int) -> None:
    rng = np.random.default_rng(4)
    x, y = (rng.uniform(-5, 5, COUNT).astype(f"float{bits}") for _ in range(2))
    x[::3] *= 10.0 ** rng.uniform(-3, 3, COUNT // 3)
    if name == "powf":
        x = np.abs(x)
    error = errors(name, evaluate(name, x, y, lanes=8), x, y)
    worst = int(error.argmax())
    assert error[worst] <= (LIMITS[name] if bits == 64 else 0.51), (x[worst], y[worst])


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", LIMITS)
def test_special_values_are_those_of_the_c_library(name: str, bits: int) -> None:
    numpy_names = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
    numpy_names |= {"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
    numpy_names |= {"atan2": "arctan2", "powf": "power"}
    function = getattr(np, numpy_names.get(name, name))
    dtype = np.dtype(f"float{bits}")
    special = list(SPECIAL)
    if name not in ("sin", "cos", "tan"):
        limits = np.finfo(dtype)
        ends = (limits.max, limits.tiny, limits.smallest_subnormal)
        special += [sign * end for end in map(float, ends) for sign in (1.0, -1.0)]
    pairs = np.array([(a, b) for a in special for b in special], dtype)
    pairs = np.concatenate([pairs, np.ones((-len(pairs) % 8, 2), dtype)])
    operands = [np.ascontiguousarray(pairs[:, i]) for i in range(function.nin)]
    with np.errstate(all="ignore"):
        wanted = function(*(v.astype(np.float64) for v in operands)).astype(dtype)
    found = evaluate(name, *operands, lanes=8)
    np.testing.assert_allclose(found, wanted, rtol=4 * float(np.finfo(dtype).eps))
    zero = wanted == 0
    assert (np.signbit(found[zero]) == np.signbit(wanted[zero])).all()


def test_power_beyond_the_range_is_infinite() -> None:
    """Where the exponential is infinite already, and its correction negative."""
    rng = np.random.default_rng(6)
    exponent = rng.uniform(600, 745, COUNT) * rng.choice((-1.0, 1.0), COUNT)
    x = 10.0 ** rng.uniform(1, 300, COUNT)
    y = exponent / np.log(x)
    found = evaluate("powf", x, y, lanes=8)
    with np.errstate(all="ignore"):
        wanted = np.power(x, y)
    assert np.isinf(wanted).any()
    np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=5e-324)
