"""Infinities, NaN, zeros and the ends of the integers: every pair, beside eager PyTorch.

PyTorch's samples hold few of these.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

import devproc

FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e30, float("inf"), float("nan"))
BINARY = (
    *("maximum", "minimum", "fmax", "fmin", "fmod", "remainder", "floor_divide"),
    *("copysign", "nextafter", "hypot", "logaddexp", "logaddexp2", "isclose"),
    *("pow", "atan2", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "xlogy"),
)
UNARY = (
    *("abs", "sign", "isnan", "isinf", "isfinite", "nan_to_num", "floor", "ceil"),
    *("round", "trunc", "exp2", "expm1", "log", "log1p", "log2", "log10", "tanh"),
    *("erf", "sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan"),
    *("signbit", "angle", "erfc", "erfinv", "lgamma", "digamma"),
    *("sigmoid", "rsqrt", "reciprocal", "logical_not", "square", "frac"),
)
ACTIVATIONS = (
    # Without gelu: of infinity PyTorch gives NaN in float32, infinity in float64.
    *("silu", "mish", "elu", "selu", "hardswish", "hardsigmoid", "hardtanh"),
    *("relu6", "leaky_relu", "softplus", "logsigmoid", "hardshrink", "softshrink"),
)
INTEGER = (
    *("maximum", "minimum", "bitwise_and", "bitwise_xor", "bitwise_left_shift"),
    *("bitwise_right_shift", "lt", "ge", "eq"),
)
DIVISIONS = ("fmod", "remainder", "floor_divide")


class Each(nn.Module):
    """Calls all functions on the same operands."""

    def __init__(self, functions: list[Callable[..., torch.Tensor]]):
        super().__init__()
        self.functions = functions

    def forward(self, *operands: torch.Tensor) -> list[torch.Tensor]:
        return [f(*operands) for f in self.functions]


def check(
    module: object,
    names: tuple[str, ...],
    *operands: torch.Tensor,
    target: str = "cpu",
) -> None:
    model = Each([getattr(module, name) for name in names])
    exported = torch.export.export(model, operands)
    program = devproc.compile(exported, target, threads=1, cache=False)
    found = program(*operands)
    for name, mine, theirs in zip(names, found, model(*operands), strict=True):
        torch.testing.assert_close(
            mine, theirs, equal_nan=True, msg=lambda text, n=name: f"{n}: {text}"
        )


def pairs(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    count = len(values)
    return values.repeat_interleave(count), values.repeat(count)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_floats_in_pairs(dtype: torch.dtype) -> None:
    values = torch.tensor([*FLOATS, -float("inf")], dtype=dtype)
    check(torch, BINARY, *pairs(values))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_floats_alone(dtype: torch.dtype) -> None:
    values = torch.tensor([*FLOATS, -float("inf")], dtype=dtype)
    check(torch, UNARY, values)
    check(nn.functional, ACTIVATIONS, values)


def test_floats_on_gpu_code() -> None:
    values = torch.tensor([*FLOATS, -float("inf")])
    check(torch, BINARY, *pairs(values), target="cuda:interpret")
    check(torch, UNARY, values, target="cuda:interpret")


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64, torch.uint8])
def test_integers_in_pairs(dtype: torch.dtype) -> None:
    info = torch.iinfo(dtype)
    ends = [info.min, info.min + 1, info.max, info.max - 1]
    values = torch.tensor([*ends, 0, 1, 2, 3, 7, 8, 31, 64], dtype=dtype)
    if dtype != torch.uint8:
        values = torch.cat([values, torch.tensor([-1, -2, -5], dtype=dtype)])
    x, y = pairs(values)
    check(torch, INTEGER, x, y)
    divisible = (y != 0) & ~((y == -1) & (x == info.min))
    check(torch, DIVISIONS, x[divisible], y[divisible])
    powers = (y >= 0) & (y <= 64)
    check(torch, ("pow",), x[powers], y[powers])


@pytest.mark.parametrize("dtype", [torch.int8, torch.int64])
def test_division_never_traps(dtype: torch.dtype) -> None:
    """Eager PyTorch raises, or stops the process; here there is a defined result."""
    least = torch.iinfo(dtype).min
    x = torch.tensor([5, -5, least, 0], dtype=dtype)
    model = Each([lambda a, b: torch.div(a, b, rounding_mode="trunc"), torch.fmod])
    for divisor, quotients in ((0, [0, 0, 0, 0]), (-1, [-5, 5, least, 0])):
        y = torch.full_like(x, divisor)
        exported = torch.export.export(model, (x, torch.ones_like(x)))
        quotient, rest = devproc.compile(exported, threads=1, cache=False)(x, y)
        assert quotient.tolist() == quotients
        assert rest.tolist() == [0, 0, 0, 0]
