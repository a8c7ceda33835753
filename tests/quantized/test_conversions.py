"""RESCALE, quantize and dequantize against NumPy and Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.ao.quantization.fx._decomposed
from torch import Tensor

import devproc
from devproc.quantized import dequantize, linear, quantize, rescale, scale_of
from tests.quantized.references import (
    Array,
    Function,
    check,
    compiled,
    int8s,
    int32s,
    rescaled,
)

TARGETS = ("cpu", "cuda:interpret")
PT2E = torch.ops.quantized_decomposed


def scales(count: int, seed: int = 0) -> tuple[Array, Array]:
    """Multipliers and shifts of all sizes, the least and largest among them."""
    random = np.random.default_rng([seed, count])
    multiplier = random.integers(0, 2**31, count) >> random.integers(0, 31, count)
    shift = random.integers(2, 63, count)
    for value, extremes in ((multiplier, (2**31 - 1, 0)), (shift, (62, 2))):
        value[random.permutation(count)[:2]] = extremes[:count]
    return multiplier, shift


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("dtype", "to", "zeros", "limits"),
    [
        ("int32", "int8", (0, 0), (-128, 127)),
        ("int32", "int8", (0, -5), (-100, 99)),
        ("int8", "int8", (3, 7), (-128, 127)),
        ("int8", "int32", (-128, 0), (-(2**31), 2**31 - 1)),
        ("int32", "int32", (0, 0), (0, 2**31 - 1)),
    ],
)
def test_rescale(
    dtype: str,
    to: str,
    zeros: tuple[int, int],
    limits: tuple[int, int],
    target: str,
) -> None:
    x = (int8s if dtype == "int8" else int32s)(3, 19, 5, 7)
    kind = getattr(torch, to)
    multiplier, shift = scales(19)

    def function(values: Tensor) -> Tensor:
        return rescale(
            values, multiplier.tolist(), shift.tolist(), -3, *zeros, kind, *limits
        )

    along = multiplier[:, None, None], shift[:, None, None]
    check(function, rescaled(x, *along, zeros, limits).astype(to), x, target=target)
    for m, s in ((2**31 - 1, 2), (1, 62), (2**30, 31)):
        wanted = rescaled(x, np.array(m), np.array(s), zeros, limits)
        check(
            lambda v, m=m, s=s: rescale(v, [m], [s], None, *zeros, kind, *limits),
            wanted.astype(to),
            x,
            target=target,
        )


def test_rescale_rounds_half_up() -> None:
    x = np.arange(-9, 10, dtype=np.int32)
    wanted = np.floor(x * 0.5 + 0.5).astype(np.int8)
    check(lambda v: rescale(v, [2**30], [31]), wanted, x)


def test_rescale_joins_the_product() -> None:
    """One kernel computes the sums and what becomes of them."""
    x, weight = int8s(7, 65), torch.from_numpy(int8s(33, 65, seed=1))
    multiplier, shift = scales(33)

    def function(rows: Tensor) -> Tensor:
        sums = linear(rows, weight)
        return rescale(sums, multiplier.tolist(), (shift // 2 + 2).tolist(), 1)

    sums = (x.astype(np.int64) @ weight.numpy().astype(np.int64).T).astype(np.int32)
    check(function, rescaled(sums, multiplier, shift // 2 + 2).astype(np.int8), x)
    exported = torch.export.export(Function(function), (torch.from_numpy(x),))
    (kernel,) = devproc.compile(exported, cache=False).report().kernels.rows
    assert kernel.sources == ("nn.linear", "nn.rescale")


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_sizes_without_elements(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.int32)
    check(lambda v: rescale(v, [1], [2]), x.astype(np.int8), x)
    check(lambda v: dequantize(v, [0.5]), x.astype(np.float32), x)
    check(lambda v: quantize(v, [0.5]), x.astype(np.int8), x.astype(np.float32))


@pytest.mark.parametrize(
    "factor", [0.0, 1.0, 0.37, 1e-3, 3.0, 2.0**28, 2.0**-33, 1e-20]
)
def test_scale_of(factor: float) -> None:
    multiplier, shift = scale_of(factor)
    assert 0 <= multiplier < 2**31
    assert 2 <= shift <= 62
    assert abs(multiplier / 2.0**shift - factor) <= max(factor * 2.0**-31, 2.0**-62)


@pytest.mark.parametrize("factor", [-1.0, np.inf, np.nan, 2.0**29])
def test_scale_of_refuses(factor: float) -> None:
    with pytest.raises(ValueError, match="no multiplier and shift"):
        scale_of(factor)


def floats(*shape: int, seed: int = 0) -> Array:
    """Random numbers with halves, infinities and zeros of both signs."""
    random = np.random.default_rng([seed, *shape])
    values = random.standard_normal(shape) * 30
    special = random.choice([np.inf, -np.inf, 0.0, -0.0, 0.5, 1.5, -2.5, 1e30], shape)
    return np.where(random.random(shape) < 0.2, special, values).astype(np.float32)


def quantized(x: Array, factor: Array, zero: Any, low: int, high: int) -> Array:
    """Rounded half to even by NumPy; NaN becomes 0."""
    clipped = np.clip(np.rint(x * factor.astype(np.float32)) + zero, low, high)
    return np.where(np.isnan(clipped), 0, clipped)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("zero", [0, -7])
def test_quantize(zero: int, target: str) -> None:
    x = floats(3, 17, 5)
    x[1, 3, 2] = np.nan
    steps = np.linspace(0.01, 1.7, 17)
    wanted = quantized(x, 1 / steps[:, None], zero, -128, 127).astype(np.int8)
    check(lambda v: quantize(v, steps.tolist(), 1, zero), wanted, x, target=target)
    wanted = quantized(x, np.array(1 / 0.3), zero, -128, 127).astype(np.int8)
    check(lambda v: quantize(v, [0.3], None, zero), wanted, x, target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("make", [int8s, int32s])
@pytest.mark.parametrize("zero", [0, 11])
def test_dequantize(make: Callable[..., Array], zero: int, target: str) -> None:
    x = make(3, 17, 5)
    steps = np.linspace(0.01, 1.7, 17)
    wide = x.astype(np.float32) - np.float32(zero)
    wanted = wide * steps.astype(np.float32)[:, None]
    check(lambda v: dequantize(v, steps.tolist(), 1, zero), wanted, x, target=target)
    check(
        lambda v: dequantize(v, [0.3], None, zero),
        wide * np.float32(0.3),
        x,
        target=target,
    )


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_operators_of_pt2e(dtype: torch.dtype) -> None:
    """Quantized programs of PyTorch: one scale, and one for each channel."""
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    x = floats(3, 9, 5)
    steps = torch.linspace(0.1, 1.7, 9)
    zeros = torch.arange(9) % 5

    def function(v: Tensor) -> tuple[Tensor, ...]:
        one = PT2E.quantize_per_tensor(v, 0.3, 5, low, high, dtype)
        each = PT2E.quantize_per_channel(v, steps, zeros, 1, low, high, dtype)
        return (
            one,
            each,
            PT2E.dequantize_per_tensor(one, 0.3, 5, low, high, dtype),
            PT2E.dequantize_per_channel(each, steps, zeros, 1, low, high, dtype),
        )

    wanted = [value.numpy() for value in function(torch.from_numpy(x))]
    for found, value in zip(compiled(function, x), wanted, strict=True):
        assert found.dtype == value.dtype
        np.testing.assert_array_equal(found, value)
    factor = (1 / steps.numpy())[:, None]
    own = quantized(x, factor, zeros.numpy()[:, None], low, high)
    np.testing.assert_array_equal(wanted[1], own)


def test_weights_of_pt2e() -> None:
    """A quantized weight is converted to float32 at load time, before a float product."""
    weight, steps = torch.from_numpy(int8s(9, 17)), torch.linspace(0.001, 0.1, 9)

    def function(v: Tensor) -> Tensor:
        args = (0, -127, 127, torch.int8)
        matrix = PT2E.dequantize_per_channel(weight, steps, None, *args)
        return torch.nn.functional.linear(v, matrix)

    x = np.random.default_rng(1).standard_normal((5, 17)).astype(np.float32)
    wanted = (
        x.astype(np.float64) @ (weight.double() * steps.double()[:, None]).numpy().T
    )
    np.testing.assert_allclose(compiled(function, x), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: PT2E.dequantize_per_channel(
            x, torch.ones(3).double(), None, 1, 0, 9, torch.int32
        ),
        lambda x: PT2E.dequantize_per_channel(
            x, torch.ones(3), torch.ones(3).int(), 1, 0, 9, torch.int32
        ),
        lambda x: PT2E.quantize_per_tensor(
            x.float(), torch.tensor(0.5), torch.tensor(1), -128, 127, torch.int8
        ),
    ],
)
def test_forms_of_pt2e_that_are_refused(call: Callable[[Tensor], Tensor]) -> None:
    with pytest.raises(devproc.UnsupportedError, match="not supported"):
        compiled(call, int32s(2, 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: rescale(x, [-1], [2]), "multipliers are from 0"),
        (lambda x: rescale(x, [2**31], [2]), "multipliers are from 0"),
        (lambda x: rescale(x, [1], [1]), "shifts are from 2 to 62"),
        (lambda x: rescale(x, [1], [63]), "shifts are from 2 to 62"),
        (lambda x: rescale(x, [1], [2], input_zero=1), "only int8 has zero points"),
        (lambda x: rescale(x, [1], [2], low=3, high=2), "cannot be clamped to 3 and 2"),
        (lambda x: rescale(x, [1, 1], [2, 2]), "takes 1 numbers, got 2"),
        (lambda x: rescale(x, [1], [2], axis=1), "takes 3 numbers, got 1"),
        (lambda x: quantize(x.float(), [1.0, 1.0], 1), "takes 3 numbers, got 2"),
        (lambda x: quantize(x.float(), [0.0]), "scales are above 0"),
    ],
)
def test_numbers_out_of_range(call: Callable[[Tensor], Tensor], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(torch.ones(2, 3, dtype=torch.int32))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: rescale(x, [1], [2]),
        lambda x: quantize(x, [0.5]),
        lambda x: dequantize(x, [0.5]),
    ],
)
def test_other_dtypes_are_refused(call: Callable[[Tensor], Tensor]) -> None:
    with pytest.raises(TypeError, match="takes"):
        call(torch.ones(2, 3, dtype=torch.int64))
