"""The elementary functions against wider arithmetic, over all exponents."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import torch

from tests.cpu.native_kernels import kernel, run_kernel

COUNT = 1 << 16
LIMITS = {
    ("exp", 32): 1.0,
    ("exp", 64): 1.0,
    ("exp2", 32): 1.0,
    ("exp2", 64): 1.0,
    ("log", 32): 1.0,
    ("log", 64): 1.0,
    **{
        (name, bits): 2.0
        for name in ("log2", "log10", "log1p", "expm1")
        for bits in (32, 64)
    },
    ("tanh", 32): 2.0,
    ("tanh", 64): 2.0,
    ("erf", 32): 2.0,
    ("erf", 64): 2.0,
    ("rsqrt", 32): 1.5,
    ("rsqrt", 64): 1.5,
}
"""Largest error in units in the last place; `elementary.py` states the same."""

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 2.0, -2.0, 1e-30, -1e-30]


def evaluate(name: str, x: np.ndarray, lanes: int) -> np.ndarray:
    """`math.<name>` of each element, one at a time or `lanes` at a time."""
    element = f"f{x.dtype.itemsize * 8}"
    memref = f"memref<{x.size}x{element}>"
    if lanes == 1:
        type_ = element
        load, store = "memref.load %a0[%i]", "memref.store %r, %a1[%i]"
        suffix = ""
    else:
        type_ = f"vector<{lanes}x{element}>"
        load, store = "vector.load %a0[%i]", "vector.store %r, %a1[%i]"
        suffix = f", {type_}"
    body = f"""
      %c0 = arith.constant 0 : index
      %step = arith.constant {lanes} : index
      %n = arith.constant {x.size} : index
      scf.for %i = %c0 to %n step %step {{
        %v = {load} : {memref}{suffix}
        %r = math.{name} %v : {type_}
        {store} : {memref}{suffix}
      }}"""
    result = np.empty_like(x)
    run_kernel(
        kernel("pointwise", [memref, memref], body), [x, result], ["expand-math"]
    )
    return result


def sample(dtype: np.dtype, rng: np.random.Generator) -> np.ndarray:
    """Any bits (so every exponent alike), the usual range, and the borders."""
    bits = rng.integers(0, 256, COUNT // 2 * dtype.itemsize, np.uint8).view(dtype)
    usual = rng.uniform(-120, 120, COUNT // 4)
    if dtype == np.float64:
        usual[::2] *= 7
    near = rng.uniform(-4, 4, COUNT - bits.size - usual.size)
    x = np.concatenate([bits, usual.astype(dtype), near.astype(dtype)])
    info = np.finfo(dtype)
    extra = [*SPECIAL, info.max, -info.max, info.tiny, info.smallest_subnormal]
    edges = np.log(np.array([info.max, info.tiny, info.smallest_subnormal]))
    extra += [np.nextafter(e, s) for e in edges.astype(dtype) for s in (-9e9, e, 9e9)]
    x[: len(extra)] = np.array(extra, dtype)
    return x


def exact(name: str, x: np.ndarray) -> np.ndarray:
    """The function in wider arithmetic."""
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.float64 if x.dtype == np.float32 else np.longdouble)
    if name == "erf":
        if x.dtype == np.float32:
            return torch.erf(torch.from_numpy(wide)).numpy()
        return np.array(
            [np.longdouble(mpmath.nstr(mpmath.erf(float(v)), 25)) for v in x]
        )
    functions: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "exp": np.exp,
        "exp2": np.exp2,
        "expm1": np.expm1,
        "log": np.log,
        "log10": np.log10,
        "log1p": np.log1p,
        "log2": np.log2,
        "tanh": np.tanh,
        "rsqrt": lambda v: 1 / np.sqrt(v),
    }
    with np.errstate(all="ignore"):
        return functions[name](wide)


def ulps(result: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Error in units in the last place of the result's type; 0 where both agree."""
    with np.errstate(all="ignore"):
        rounded = wanted.astype(result.dtype)
        same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
        unit = np.spacing(np.abs(np.where(np.isfinite(rounded), rounded, 1)))
        error = np.abs(result.astype(wanted.dtype) - wanted) / unit
    return np.where(same, np.minimum(np.nan_to_num(error), 0.5), error)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", sorted({name for name, _ in LIMITS}))
def test_function_is_accurate(name: str, bits: int) -> None:
    dtype = np.dtype(f"float{bits}")
    x = sample(dtype, np.random.default_rng(7))
    if (name, bits) == ("erf", 64):
        x = x[-4096:].copy()
    wanted = exact(name, x)
    for lanes in (1, 512 // bits):
        result = evaluate(name, x, lanes)
        error = ulps(result, wanted)
        worst = int(np.nanargmax(np.where(np.isnan(error), np.inf, error)))
        assert error[worst] <= LIMITS[name, bits], (
            f"{name}({x[worst]!r}) = {result[worst]!r}, not {wanted[worst]!r}: "
            f"{error[worst]:.2f} ulp"
        )
        zero = wanted == 0
        assert (np.signbit(result[zero]) == np.signbit(wanted[zero])).all()


@pytest.mark.parametrize("name", ["exp", "tanh"])
@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_half_precision_is_computed_in_single(name: str, element: str) -> None:
    body = f"""
      %c0 = arith.constant 0 : index
      %v = vector.load %a0[%c0] : memref<16xf32>, vector<16xf32>
      %h = arith.truncf %v : vector<16xf32> to vector<16x{element}>
      %r = math.{name} %h : vector<16x{element}>
      %w = arith.extf %r : vector<16x{element}> to vector<16xf32>
      vector.store %w, %a1[%c0] : memref<16xf32>, vector<16xf32>"""
    x = np.linspace(-4, 4, 16).astype(np.float32)
    result = np.empty_like(x)
    module = kernel("pointwise", ["memref<16xf32>"] * 2, body)
    run_kernel(module, [x, result], ["expand-math"])
    half = torch.from_numpy(x).to(
        {"f16": torch.float16, "bf16": torch.bfloat16}[element]
    )
    wanted = getattr(torch, name)(half.double()).to(half.dtype).float().numpy()
    spacing = 2.0 ** -(10 if element == "f16" else 7)
    np.testing.assert_allclose(result, wanted, rtol=spacing)
