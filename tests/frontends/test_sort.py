"""Orders beside what PyTorch's samples do not reach: equal elements, NaN, long rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import pytest
import torch
from torch import nn

import devproc
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.code import read_code

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


def extremes(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Numbers of the whole range of a type, its ends among them."""
    torch.manual_seed(shape[-1])
    bits = torch.randint(-(2**63), 2**63 - 1, shape)
    if dtype.is_floating_point:
        x = (bits if dtype == torch.float64 else bits.to(torch.int32)).view(dtype)
        ends: tuple[float, ...] = (float("nan"), float("inf"), -0.0, 0.0)
    else:
        x, ends = bits.to(dtype), (torch.iinfo(dtype).min, torch.iinfo(dtype).max, 0, 1)
    places = torch.randint(0, shape[-1], (*shape[:-1], len(ends)))
    return x.scatter(-1, places, torch.tensor(ends, dtype=dtype).expand(places.shape))


RANGES = (torch.float32, torch.float64, torch.int32, torch.int64)


@pytest.mark.parametrize("dtype", RANGES, ids=str)
@pytest.mark.parametrize("size", [1, 8, 33, 255, 256, 257, 4099])
def test_rows_of_any_length(dtype: torch.dtype, size: int) -> None:
    """The whole range of a type, and few values that repeat; over threads."""
    functions: list[Callable[..., Any]] = [
        lambda *inputs: [torch.sort(x, stable=True) for x in inputs],
        lambda *inputs: [torch.sort(x, stable=True, descending=True) for x in inputs],
        lambda *inputs: [torch.argsort(x, dim=1, stable=True) for x in inputs],
    ]
    found, wanted = run(functions, extremes(dtype, 7, size), numbers(dtype, 2, 3, size))
    wanted = [[tuple(v) for v in values] for values in wanted[:2]] + wanted[2:]
    torch.testing.assert_close(found, wanted, equal_nan=True)


def test_rows_in_order_already() -> None:
    """Ascending, descending and of one value; digits in which all agree move nothing."""
    line = torch.arange(1500) - 700
    x = torch.stack([line, line.flip(0), torch.full_like(line, 2**40)])
    x = torch.cat([x, x * 2**33, x % 3])
    for rows in (x, x.double(), x.int()):
        functions: list[Callable[..., Any]] = [
            lambda x: torch.sort(x, stable=True),
            lambda x: torch.topk(x, 200).values,
            lambda x: torch.median(x, -1).values,
        ]
        found, wanted = run(functions, rows)
        torch.testing.assert_close(found, [tuple(wanted[0]), *wanted[1:]])


def in_stable_order(x: torch.Tensor, ranks: list[int], descending: bool) -> Any:
    """Elements, and their places, that a stable sort puts there."""
    values, places = torch.sort(x, stable=True, dim=-1, descending=descending)
    return values[..., ranks], places[..., ranks]


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=str)
@pytest.mark.parametrize("size", [2, 99, 131, 1001])
def test_elements_by_their_rank(dtype: torch.dtype, size: int) -> None:
    """`kthvalue` and `topk` name the elements of a stable sort."""
    ranks = sorted({1, 2, size // 3 + 1, size})
    counts = sorted({1, min(size, 9), min(size, 65), size // 2, size})
    functions: list[Callable[..., Any]] = [
        lambda x: [tuple(torch.kthvalue(x, k)) for k in ranks],
        lambda x: [tuple(torch.topk(x, k)) for k in counts],
        lambda x: [tuple(torch.topk(x, k, largest=False)) for k in counts],
    ]
    for x in (extremes(dtype, 3, size), numbers(dtype, 2, 2, size)):
        kth, most, least = run(functions, x)[0]
        for (values, places), k in zip(kth, ranks, strict=True):
            wanted = in_stable_order(x, [k - 1], False)
            found = (values[..., None], places[..., None])
            torch.testing.assert_close(found, wanted, equal_nan=True)
        for chosen, descending in ((most, True), (least, False)):
            for found, k in zip(chosen, counts, strict=True):
                wanted = in_stable_order(x, list(range(k)), descending)
                torch.testing.assert_close(found, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", RANGES, ids=str)
def test_search_in_what_is_left_of_long_rows(dtype: torch.dtype) -> None:
    size = 33_001
    functions: list[Callable[..., Any]] = [
        lambda *inputs: [torch.kthvalue(x, 17)[0] for x in inputs],
        lambda *inputs: [torch.kthvalue(x, size // 2)[0] for x in inputs],
        lambda *inputs: [torch.median(x) for x in inputs],
        lambda *inputs: [torch.topk(x, 300)[0] for x in inputs],
    ]
    found, wanted = run(functions, extremes(dtype, 2, size), numbers(dtype, 2, size))
    torch.testing.assert_close(found, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("size", [40, 301])
def test_medians_and_quantiles(dtype: torch.dtype, size: int) -> None:
    """Of numbers, of some NaN, and of NaN alone; along any axis."""
    x = extremes(dtype, 5, size).clamp(-1e30, 1e30)
    x[0], x[1:3] = float("nan"), x[1:3].nan_to_num()
    q = torch.tensor([0.0, 0.21, 0.5, 1.0], dtype=dtype)
    kinds = ("linear", "lower", "higher", "nearest", "midpoint")
    functions: list[Callable[..., Any]] = [
        lambda x, q: torch.median(x, 1).values,
        lambda x, q: torch.nanmedian(x, 1).values,
        lambda x, q: torch.median(x.mT, 0, keepdim=True).values,
        lambda x, q: torch.median(x[3:]),
        lambda x, q: torch.nanmedian(x),
        lambda x, q: [torch.quantile(x, q, 1, interpolation=k) for k in kinds],
        lambda x, q: [torch.nanquantile(x, q, 1, interpolation=k) for k in kinds],
        lambda x, q: torch.quantile(x.mT, 0.3, 0, keepdim=True),
    ]
    # PyTorch 2.14 takes the place of a quantile in float64, older ones in float32.
    close: dict[str, Any] = {}
    if dtype == torch.float32:
        close = {"rtol": 2e-5, "atol": 1e-5}
    torch.testing.assert_close(*run(functions, x, q), equal_nan=True, **close)


@pytest.mark.parametrize("dtype", [*DTYPES[:2], *DTYPES[3::2], torch.bool], ids=str)
def test_rows_longer_than_a_program_of_a_gpu(dtype: torch.dtype) -> None:
    """Runs are merged, stably; those of 64 bits are shorter."""
    functions: list[Callable[..., Any]] = [
        lambda x: torch.sort(x, stable=True),
        lambda x: torch.sort(x, stable=True, descending=True),
        lambda x: torch.sort(x[:, :700], stable=True),
    ]
    size = 1301 if dtype.itemsize == 8 else 5003
    found, wanted = run(functions, numbers(dtype, 2, size), target="cuda:interpret")
    torch.testing.assert_close(found, [tuple(v) for v in wanted], equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=str)
def test_first_elements_of_long_rows_on_a_gpu(dtype: torch.dtype) -> None:
    """Few and many; runs of few are sorted again, others are merged."""
    counts = (1, 9, 300, 2500)
    functions: list[Callable[..., Any]] = [
        lambda x: [tuple(torch.topk(x, k)) for k in counts],
        lambda x: tuple(torch.kthvalue(x, 4001)),
    ]
    for x in (extremes(dtype, 2, 5003), numbers(dtype, 1, 5003)):
        first, kth = run(functions, x, target="cuda:interpret")[0]
        for found, k in zip(first, counts, strict=True):
            wanted = in_stable_order(x, list(range(k)), True)
            torch.testing.assert_close(found, wanted, equal_nan=True)
        wanted = in_stable_order(x, [4000], False)
        torch.testing.assert_close(
            [v[:, None] for v in kth], list(wanted), equal_nan=True
        )


@pytest.mark.parametrize(("rows", "size"), [(1, 1_000_000), (64, 50_257)])
def test_long_rows_occupy_a_gpu(rows: int, size: int) -> None:
    """Each program takes a part of a row; no kernel spills registers."""
    exported = torch.export.export(
        Calls([lambda x: tuple(torch.sort(x)), lambda x: tuple(torch.topk(x, 50))]),
        (torch.zeros(rows, size),),
    )
    program = devproc.compile(exported, "cuda:interpret", cache=False)
    kernels = read_code(program.artifact.code["cuda"]).kernels.values()
    sorts = [k for k in kernels if "tl.sort(" in k.source]
    merges = [k for k in kernels if "for " in k.source]
    assert len(merges) == (5 if rows == 1 else 3)
    assert {prod(k.grid) for k in merges} == {-(-rows * size // 256)}
    assert prod(sorts[0].grid) == rows * -(-size // 1024)
    for arch, kernel in (("sm_90", sorts[0]), ("sm_80", merges[1])):
        assert compile_kernel(kernel, arch).resources().spilled_bytes == 0


def test_one_element() -> None:
    functions: list[Callable[..., Any]] = [
        torch.median,
        lambda x: tuple(torch.sort(x)),
        lambda x: tuple(torch.kthvalue(x, 1)),
        lambda x: tuple(torch.topk(x, 1)),
        lambda x: torch.quantile(x, 0.5),
    ]
    for x in (torch.tensor(3.0), torch.tensor([-2.0]), torch.tensor([[5.0]])):
        found, wanted = run(functions, x)
        wanted = [tuple(w) if i in (1, 2, 3) else w for i, w in enumerate(wanted)]
        torch.testing.assert_close(found, wanted)


def test_ranks_on_a_gpu() -> None:
    x = numbers(torch.float32, 3, 19)
    functions: list[Callable[..., Any]] = [
        lambda x: torch.median(x, 1).values,
        lambda x: torch.nanmedian(x, 1).values,
        lambda x: torch.kthvalue(x, 2, 0).values,
        lambda x: torch.quantile(x, 0.4, 1, interpolation="lower"),
        lambda x: torch.topk(x, 5).values,
    ]
    torch.testing.assert_close(
        *run(functions, x, target="cuda:interpret"), equal_nan=True
    )


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


HISTOGRAMS: dict[str, tuple[Callable[..., Any], torch.Tensor]] = {
    "edges": (lambda x: torch.histc(x, 8, -1, 1), torch.linspace(-1.5, 1.5, 49)),
    "integers": (lambda x: torch.histc(x, 7, 0, 6), torch.arange(50.0) % 9 - 1),
    "extremes": (lambda x: torch.histc(x, 100), torch.arange(999.0).sin() * 3),
    "equal": (lambda x: torch.histc(x, 5), torch.full((3, 7), 2.5)),
    "nothing": (lambda x: torch.histc(x, 5), torch.zeros(2, 0)),
    "double": (lambda x: torch.histc(x, 9, -2.5, 2.5), torch.arange(99).double().cos()),
    "NaN": (lambda x: torch.histc(x, 4, -1, 1), torch.tensor([0.5, torch.nan, -torch.inf])),
}  # fmt: skip


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_histograms(target: str) -> None:
    def of(number: int) -> Callable[..., Any]:
        return lambda *inputs: functions[number](inputs[number])

    functions, inputs = zip(*HISTOGRAMS.values(), strict=True)
    every = [of(number) for number in range(len(functions))]
    torch.testing.assert_close(*run(every, *inputs, target=target), rtol=0, atol=0)


def test_a_histogram_without_bounds_is_nan_where_pytorch_raises() -> None:
    x = torch.tensor([1.0, torch.inf])
    program = devproc.compile(
        torch.export.export(Calls([lambda x: torch.histc(x, 3)]), (torch.ones(2),)),
        threads=1,
        cache=False,
    )
    assert torch.isnan(program(x)[0]).all()
