"""What a processor lacks (`missing` of the target), in several steps: as exact as with it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.cpu import test_expand_math, test_transcendental
from tests.cpu.native_kernels import kernel, kernel_of, run_kernel, run_passes

CPU = "x86-64"
COUNT = 4096

SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, -2.5, -0.3, 0.99)


def apply(
    op: str, *operands: np.ndarray, result: str = "", lanes: int = 8
) -> np.ndarray:
    """`op` of each element, `lanes` at a time, as the baseline does it."""
    x = operands[0]
    out = np.zeros_like(x, result or x.dtype)
    elements = [f"f{array.dtype.itemsize * 8}" for array in (*operands, out)]
    memrefs = [f"memref<{x.size}x{element}>" for element in elements]
    types = [f"vector<{lanes}x{element}>" for element in elements]
    loads = "\n".join(
        f"%v{i} = vector.load %a{i}[%i] : {memrefs[i]}, {types[i]}"
        for i in range(len(operands))
    )
    values = ", ".join(f"%v{i}" for i in range(len(operands)))
    kinds = types[0] if not result else f"{types[0]} to {types[-1]}"
    body = f"""
      %c0 = arith.constant 0 : index
      %step = arith.constant {lanes} : index
      %n = arith.constant {x.size} : index
      scf.for %i = %c0 to %n step %step {{
        {loads}
        %r = {op} {values} : {kinds}
        vector.store %r, %a{len(operands)}[%i] : {memrefs[-1]}, {types[-1]}
      }}"""
    module = kernel("pointwise", memrefs, body, cpu=CPU)
    run_kernel(module, [*operands, out], ["expand-math"])
    return out


def numbers(bits: int) -> np.ndarray:
    """Any bits, halves, neighbours of integers, and special values."""
    rng, type_ = np.random.default_rng(bits), np.dtype(f"float{bits}")
    anything = rng.integers(0, 256, COUNT // 2 * type_.itemsize, np.uint8).view(type_)
    halves = rng.integers(-99, 99, COUNT // 4) / 2
    most = 2.0 ** (23 if bits == 32 else 52)
    large = most + rng.integers(-9, 9, COUNT // 4) / 2
    near = np.nextafter(halves.astype(type_), type_.type(0))
    with np.errstate(invalid="ignore"):
        x = np.concatenate([anything, halves, near, large, -large]).astype(type_)
    x[: len(SPECIAL)] = SPECIAL
    return x


def away_from_zero(x: np.ndarray) -> np.ndarray:
    """To the nearest integer, ties away from zero."""
    whole = np.trunc(x)
    step = np.where(np.abs(x - whole) >= 0.5, np.copysign(x.dtype.type(1), x), 0)
    return np.copysign(whole + step, x).astype(x.dtype)


ROUNDING: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "roundeven": np.rint,
    "round": away_from_zero,
}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", ROUNDING)
def test_rounding_is_exact(name: str, bits: int) -> None:
    x = numbers(bits)
    found = apply(f"math.{name}", x)
    with np.errstate(invalid="ignore"):
        wanted = ROUNDING[name](x)
    np.testing.assert_array_equal(found, wanted)
    valid = ~np.isnan(wanted)
    assert (np.signbit(found) == np.signbit(wanted))[valid].all()


def test_half_to_single_is_exact() -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    found = apply("arith.extf", x, result="float32")
    np.testing.assert_array_equal(found, x.astype(np.float32))
    assert (np.signbit(found) == np.signbit(x)).all()


def test_single_to_half_rounds_to_even() -> None:
    rng = np.random.default_rng(1)
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    ties = (halves[:-1] + halves[1:]) / 2
    anything = rng.integers(0, 1 << 32, 1 << 16, np.uint32).view(np.float32)
    edges = np.array([65519.996, 65520, 65536, 2**-25, 2**-24, 1e-45, np.inf, np.nan])
    near = [np.nextafter(ties, np.float32(side)) for side in (0, 1e9)]
    with np.errstate(invalid="ignore"):
        x = np.concatenate([anything, halves, ties, *near, edges]).astype(np.float32)
    x = np.concatenate([x, -x])[: (2 * x.size) // 8 * 8]
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = x.astype(np.float16)
    found = apply("arith.truncf", x, result="float16")
    np.testing.assert_array_equal(found, wanted)
    assert (np.signbit(found) == np.signbit(wanted))[~np.isnan(wanted)].all()


@pytest.mark.parametrize(
    "name", ["exp", "exp2", "log", "log10", "expm1", "tanh", "erf"]
)
def test_polynomials_without_fused_multiply_add(name: str) -> None:
    x = test_expand_math.sample(np.dtype(np.float32), np.random.default_rng(2))
    error = test_expand_math.ulps(
        apply(f"math.{name}", x), test_expand_math.exact(name, x)
    )
    assert error.max() <= max(1.2, test_expand_math.LIMITS[name, 32])


@pytest.mark.parametrize("name", ["sin", "cos", "powf"])
def test_exact_products_without_fused_multiply_add(name: str) -> None:
    """Both take the difference of a product and its neighbour, in f64."""
    rng = np.random.default_rng(3)
    if name == "powf":
        operands = [np.abs(rng.uniform(-5, 5, 512)) * 10.0 ** rng.uniform(-3, 3, 512)]
        operands.append(rng.uniform(-5, 5, 512))
    else:
        operands = [test_transcendental.domain(name, rng)[:512]]
    found = apply(f"math.{name}", *operands)
    error = test_transcendental.errors(name, found, *operands)
    assert error.max() <= test_transcendental.LIMITS[name]


def test_nothing_that_is_missing_stays() -> None:
    memref, vector = "memref<8xf64>", "vector<8xf64>"
    body = f"""
      %c0 = arith.constant 0 : index
      %x = vector.load %a0[%c0] : {memref}, {vector}
      %p = math.powf %x, %x : {vector}
      %s = math.sin %p : {vector}
      %f = vector.fma %s, %x, %p : {vector}
      %r = math.floor %f : {vector}
      vector.store %r, %a0[%c0] : {memref}, {vector}"""
    for cpu, expected in ((CPU, set()), ("x86-64-v2", {"math.trunc", "math.floor"})):
        module = run_passes(
            kernel("pointwise", [memref], body, cpu=cpu), ["expand-math"]
        )
        left = {op.name for op in kernel_of(module).walk()}
        checked = {"vector.fma", "math.fma", "math.trunc", "math.floor", "math.powf"}
        assert left & checked == expected
