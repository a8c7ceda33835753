"""Normalizations of equal numbers: exactly zero, as what is left of them is divided by the
root of a small epsilon. Beside PyTorch and float64, with random rows next to equal ones.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import devproc

Function = Callable[[torch.Tensor], torch.Tensor]

NUMBERS = (1000.1, -7.7, 1e-30, 1e-41, 3.3, 123456.7, 1e30)
"""Some whose sums round; a subnormal; the squares of the last are no float32."""

WIDTHS = (3, 5, 17, 51, 100, 127, 768, 4097)
"""Parts of vectors, several of them, blocks of sums."""

FORMS: dict[str, Function] = {
    "group_norm": lambda x: F.group_norm(x, 2),
    "instance_norm": F.instance_norm,
    "batch_norm": lambda x: F.batch_norm(
        x.transpose(0, 1), None, None, training=True
    ).transpose(0, 1),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "batch_norm_rows": lambda x: (
        F.batch_norm(x.flatten(1).mT, None, None, None, None, True).mT
    ),
}


class Model(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *x: torch.Tensor) -> object:
        return self.function(*x)


def rows(width: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A row for each of the numbers, then two random ones."""
    torch.manual_seed(width)
    most = torch.finfo(dtype).max / (16 * width)
    equal = [torch.full((width,), max(-most, min(n, most))) for n in NUMBERS]
    return torch.stack([*equal, torch.randn(width), torch.randn(width) * 3 + 50]).to(
        dtype
    )


def check(ours: torch.Tensor, function: Function, x: torch.Tensor) -> None:
    """Zeros for the equal rows; the others at most twice as far off as PyTorch's."""
    count = len(NUMBERS)
    assert torch.equal(ours[:count], torch.zeros_like(ours[:count]))
    wide = function(x.double())[count:]
    theirs = (function(x)[count:] - wide).abs().max().item()
    step = torch.finfo(x.dtype).eps * wide.abs().max().item()
    assert (ours[count:] - wide).abs().max().item() <= 2 * theirs + 4 * step


def norms(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Each input normalized along its last axis."""
    return tuple(F.layer_norm(x, x.shape[-1:]) for x in inputs)


@pytest.mark.parametrize("precision", ["strict", "default", "fast"])
def test_every_width(precision: str) -> None:
    inputs = tuple(rows(width) for width in WIDTHS)
    exported = torch.export.export(Model(norms), inputs)
    program = devproc.compile(exported, precision=precision, threads=1, cache=False)
    for ours, x in zip(program(*inputs), inputs, strict=True):
        check(ours, lambda x: F.layer_norm(x, x.shape[-1:]), x)


def test_blocks_of_a_gpu() -> None:
    inputs = tuple(rows(width) for width in (5, 51, 768))
    exported = torch.export.export(Model(norms), inputs)
    program = devproc.compile(exported, target="cuda:interpret", cache=False)
    for ours, x in zip(program(*inputs), inputs, strict=True):
        check(ours, lambda x: F.layer_norm(x, x.shape[-1:]), x)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("form", FORMS)
def test_every_axis_and_layout(form: str, layout: torch.memory_format) -> None:
    """Images whose pixels and channels all have one number, next to random ones."""
    x = rows(51)[:, None, :, None].expand(-1, 4, -1, 3).contiguous()
    x = x.to(memory_format=layout)
    exported = torch.export.export(Model(FORMS[form]), (x,))
    check(devproc.compile(exported, threads=1, cache=False)(x), FORMS[form], x)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_every_dtype(dtype: torch.dtype) -> None:
    inputs = tuple(rows(width, dtype) for width in (51, 768, 9001))
    exported = torch.export.export(Model(norms), inputs)
    program = devproc.compile(exported, threads=1, cache=False)
    for ours, x in zip(program(*inputs), inputs, strict=True):
        check(ours, lambda x: F.layer_norm(x, x.shape[-1:]), x)


def spreads(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Variances along the last axis, and deviations along the first."""
    return tuple(
        result for x in inputs for result in (x.var(-1), x.mT.std(0, correction=0))
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_no_spread(dtype: torch.dtype) -> None:
    inputs = tuple(rows(width, dtype) for width in (5, 51, 100))
    exported = torch.export.export(Model(spreads), inputs)
    program = devproc.compile(exported, threads=1, cache=False)
    for ours, wanted in zip(program(*inputs), spreads(*inputs), strict=True):
        assert torch.equal(ours[: len(NUMBERS)], wanted[: len(NUMBERS)])
        torch.testing.assert_close(ours, wanted)


@pytest.mark.parametrize("width", [51, 768, 4097])
def test_nearly_equal_numbers(width: int) -> None:
    """A rounded mean is as far off as the numbers are apart; its correction is not."""
    torch.manual_seed(0)
    x = torch.randn(64, width) * 1e-3 + 1000.1
    exported = torch.export.export(Model(norms), (x,))
    (ours,) = devproc.compile(exported, threads=1, cache=False)(x)
    wide = norms(x.double())[0]
    theirs = (norms(x)[0] - wide).abs().max()
    assert (ours - wide).abs().max() < theirs / 2


def test_what_is_not_finite() -> None:
    """All statistics of a row with an infinity or a NaN are NaN, as PyTorch's."""
    x = torch.randn(5, 7)
    x[0, 3], x[1, 0], x[2, 6] = float("inf"), float("-inf"), float("nan")
    x[3, :2] = torch.tensor([float("inf"), float("-inf")])

    def all_results(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.native_layer_norm(x, (7,), None, None, 1e-5)

    program = devproc.compile(
        torch.export.export(Model(all_results), (x,)), cache=False
    )
    for ours, wanted in zip(program(x), all_results(x), strict=True):
        torch.testing.assert_close(ours, wanted, equal_nan=True)
