"""Each element type in constants, masked loads, choices, comparisons, casts, reductions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F

import devproc
from tests.frontends.imported import export

Results = tuple[torch.Tensor, ...]


def floats(x: torch.Tensor, y: torch.Tensor) -> Results:
    """Constants that no type rounds, and sums that do not cancel."""
    return (
        torch.where(x > 0, x, 0.25),
        F.pad(x, (1, 2, 0, 1), value=0.5),
        x.masked_fill(x < 0, -3.125).amax(-1),
        x == 1,
        (x * 3).to(torch.int8).to(x.dtype),
        x.to(torch.float64) + x.to(torch.bfloat16),
        (x.abs() + 1).cumsum(-1),
        (x * 0.25 + 1).prod(-1) * 2,
        torch.softmax(x, -1),
        x.argmax(-1),
        x @ y.T,
    )


def integers(x: torch.Tensor, y: torch.Tensor) -> Results:
    """Sums and products that wrap around at the width of the type."""
    return (
        torch.where(x > y, x, 2),
        F.pad(x, (1, 2, 0, 1), value=3),
        x * y + 3,
        x.sum(-1),
        x.amax(-1),
        x.clamp(1, 3) == 3,
        x.to(torch.bfloat16) * 1.5,
        x.to(torch.float64),
        x.cumsum(-1),
        x.masked_fill(x < 1, 2).to(torch.int8),
        x // 3,
    )


def bools(x: torch.Tensor, y: torch.Tensor) -> Results:
    """Bytes in memory, bits in registers."""
    return (
        torch.where(x, 1.5, 2.0),
        F.pad(x, (1, 2, 0, 1), value=True),
        x.sum(-1),
        x.any(-1) & y.all(-1),
        (x ^ y).to(torch.bfloat16),
        x.cumsum(-1) * 300,
    )


@pytest.mark.parametrize(
    ("dtype", "function"),
    [
        (torch.bfloat16, floats),
        (torch.float16, floats),
        (torch.float64, floats),
        (torch.uint8, integers),
        (torch.int8, integers),
        (torch.bool, bools),
    ],
)
def test_element_type(dtype: torch.dtype, function: Callable[..., Results]) -> None:
    torch.manual_seed(0)
    numbers = torch.randn(2, 5, 19) * 2
    if function is integers:
        numbers *= 40
    if function is floats:
        numbers[0, 1, 2], numbers[0, 2, 3], numbers[1, 0, 0] = 0.0, 1.0, -0.0
    if function is bools:
        numbers = numbers > 0
    # Negative numbers wrap around in integers alone.
    x, y = (numbers.long() if dtype is torch.uint8 else numbers).to(dtype)
    program = devproc.compile(export(function, (x, y)), "cuda:interpret", cache=False)
    tolerance = {torch.bfloat16: 2e-2, torch.float16: 2e-3}.get(dtype, 1e-6)
    for found, wanted in zip(program(x, y), function(x, y), strict=True):
        torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)
