"""Orders beside what PyTorch's samples do not reach: equal elements, NaN, long rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import nn

import devproc

DTYPES = (
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8),
    *(torch.int64, torch.uint8, torch.bool),
)


class Calls(nn.Module):
    """Functions of the same tensor as a module."""

    def __init__(self, functions: Sequence[Callable[..., Any]]):
        super().__init__()
        self.functions = functions

    def forward(self, *inputs: torch.Tensor) -> list[Any]:
        """The result of each."""
        return [function(*inputs) for function in self.functions]


def run(
    functions: Sequence[Callable[..., Any]], *inputs: torch.Tensor, target: str = "cpu"
) -> tuple[list[Any], list[Any]]:
    """What a compiled program gives, and what eager PyTorch gives."""
    model = Calls(functions).eval()
    exported = torch.export.export(model, inputs, strict=False)
    program = devproc.compile(exported, target, threads=2, cache=False)
    return program(*inputs), model(*[x.clone() for x in inputs])


def numbers(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Numbers that repeat, with both zeros, infinities and NaN where there are any."""
    torch.manual_seed(len(shape) + shape[-1])
    x = torch.randint(-4, 5, shape).to(dtype)
    if dtype == torch.uint8:
        x = torch.randint(0, 9, shape, dtype=dtype) * 31
    if not dtype.is_floating_point:
        return x
    special = torch.tensor([float("nan"), float("inf"), float("-inf"), -0.0])
    pick = torch.randint(0, 16, shape)
    return torch.where(pick < 4, special.to(dtype)[pick % 4], x)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_equal_elements_keep_their_order(dtype: torch.dtype) -> None:
    functions: list[Callable[..., Any]] = [
        lambda x: torch.sort(x, dim=-1, stable=True),
        lambda x: torch.sort(x, dim=-1, stable=True, descending=True),
        lambda x: torch.sort(x, dim=0, stable=True, descending=True),
    ]
    for shape in ((3, 37), (2, 1), (2, 0)):
        found, wanted = run(functions, numbers(dtype, *shape))
        torch.testing.assert_close(found, [tuple(v) for v in wanted], equal_nan=True)
    found, wanted = run(functions[:2], numbers(dtype, 3, 19), target="cuda:interpret")
    torch.testing.assert_close(found, [tuple(v) for v in wanted], equal_nan=True)


def test_long_rows_over_threads() -> None:
    x = numbers(torch.float32, 7, 4099)
    functions = [lambda x: torch.sort(x, stable=True)]
    found, wanted = run(functions, x)
    torch.testing.assert_close(found[0], tuple(wanted[0]), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.bfloat16], ids=str)
def test_of_equal_elements_any_may_be_named(dtype: torch.dtype) -> None:
    """The values are PyTorch's, and stand where the indices say."""
    x = numbers(dtype, 4, 33)
    functions: list[Callable[..., Any]] = [
        lambda x: torch.topk(x, 9),
        lambda x: torch.topk(x, 5, largest=False),
        lambda x: torch.kthvalue(x, 11),
        lambda x: torch.median(x, -1),
        lambda x: torch.nanmedian(x, -1),
        # With NaN PyTorch's mode depends on the order of its input.
        lambda x: torch.mode(x.nan_to_num(8), -1),
    ]
    for got, want in zip(*run(functions, x), strict=True):
        values, indices = got
        torch.testing.assert_close(values, want[0], equal_nan=True)
        if values.dim() == 1:
            values, indices = values[:, None], indices[:, None]
        there = x.gather(1, indices).nan_to_num(8)
        torch.testing.assert_close(there, values.nan_to_num(8))
        assert all(len(set(row.tolist())) == len(row) for row in indices)


def test_search_in_what_is_not_sorted() -> None:
    """Even there the steps are PyTorch's, and so is the result."""
    torch.manual_seed(1)
    sequence, values = torch.randn(3, 21), torch.randn(3, 50)
    values[0, 3] = float("nan")
    functions: list[Callable[..., Any]] = [
        lambda s, v: torch.searchsorted(s, v),
        lambda s, v: torch.searchsorted(s, v, right=True, out_int32=True),
        lambda s, v: torch.searchsorted(s, v, sorter=torch.argsort(s)),
        lambda s, v: torch.bucketize(v, s[1].sort()[0]),
    ]
    torch.testing.assert_close(*run(functions, sequence, values))


def test_running_extremes_name_the_last_place() -> None:
    x = numbers(torch.float32, 5, 29)
    functions: list[Callable[..., Any]] = [
        lambda x: tuple(torch.cummax(x, 1)),
        lambda x: tuple(torch.cummin(x, 0)),
        lambda x: torch.logcumsumexp(x, 1),
    ]
    torch.testing.assert_close(*run(functions, x), equal_nan=True)
