"""Running sums, products and extremes beside what PyTorch's samples do not reach: shapes
around the blocks, NaN, long rows, threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import devproc
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.code import read_code

DTYPES = (
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16),
    *(torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool),
)
SHAPES = (
    *((3, 37), (70, 5), (5, 8, 3), (131,), (1,), ()),
    *((0,), (5, 0), (0, 5)),
)
ALL_SHAPES = (torch.float32, torch.int64)
"""The dtypes that go through all shapes on the CPU; others share the loops around rows."""


def shapes_of(dtype: torch.dtype, target: str) -> Sequence[tuple[int, ...]]:
    """The shapes to try."""
    return SHAPES if target == "cpu" and dtype in ALL_SHAPES else SHAPES[:3]


class Scans(nn.Module):
    """Functions of each tensor along each of its axes."""

    def __init__(self, functions: Sequence[Callable[..., Any]]):
        super().__init__()
        self.functions = functions

    def forward(self, *tensors: Tensor) -> list[Any]:
        """The results in order."""
        return [
            function(x, axis)
            for x in tensors
            for axis in range(max(x.dim(), 1))
            for function in self.functions
        ]


def program(
    functions: Sequence[Callable[..., Any]], inputs: Sequence[Tensor], **options: Any
) -> devproc.Program:
    """The functions, compiled."""
    model = Scans(functions).eval()
    exported = torch.export.export(model, tuple(inputs), strict=False)
    return devproc.compile(exported, cache=False, **options)


def numbers(dtype: torch.dtype, shape: tuple[int, ...]) -> Tensor:
    """Numbers that repeat, with infinities and NaN, late in most rows, where there are."""
    torch.manual_seed(sum(shape))
    x = torch.randint(-2, 3, shape)
    if dtype in (torch.bool, torch.uint8):
        x = torch.randint(0, 7, shape) * 41
    if not dtype.is_floating_point:
        return x.to(dtype)
    x = x.to(dtype) / 2
    special = torch.tensor([float("nan"), float("inf"), float("-inf"), -0.0])
    pick = torch.randint(0, 80, shape)
    return torch.where(pick < 4, special.to(dtype)[pick % 4], x)


def factors(dtype: torch.dtype, shape: tuple[int, ...]) -> Tensor:
    """Numbers whose products stay in range a while, then wrap or are infinite."""
    some = [-3.0, -1.0, 1.0, 2.0] + ([0.5, 0.25] if dtype.is_floating_point else [])
    torch.manual_seed(sum(shape))
    return torch.tensor(some)[torch.randint(0, len(some), shape)].to(dtype)


def in_double(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Floats in double precision, each result rounded once."""

    def call(x: Tensor, axis: int) -> Tensor:
        if not x.is_floating_point():
            return function(x, axis)
        return function(x.double(), axis).to(x.dtype)

    return call


def check(
    functions: Sequence[Callable[..., Any]],
    wanted: Sequence[Callable[..., Any]],
    inputs: Sequence[Tensor],
    **options: Any,
) -> None:
    """A program gives what PyTorch's functions give."""
    found = program(functions, inputs, **options)(*inputs)
    results = Scans(wanted)(*inputs)
    assert len(found) == len(results)
    for one, other in zip(found, results, strict=True):
        torch.testing.assert_close(one, other, equal_nan=True)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sums_and_products(dtype: torch.dtype, target: str) -> None:
    shapes = shapes_of(dtype, target)
    inputs = [numbers(dtype, shape) for shape in shapes]
    check([torch.cumsum], [in_double(torch.cumsum)], inputs, target=target)
    inputs = [factors(dtype, shape) for shape in shapes]
    check([torch.cumprod], [in_double(torch.cumprod)], inputs, target=target)
    if dtype.is_floating_point:
        scan = torch.logcumsumexp
        inputs = [numbers(dtype, shape) for shape in shapes]
        check([scan], [in_double(scan)], inputs, target=target)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_extremes_name_the_last_place(dtype: torch.dtype, target: str) -> None:
    """Places exactly; the values also where nobody asks for the places."""
    functions: list[Callable[..., Any]] = [
        lambda x, axis: tuple(torch.cummax(x, axis)),
        lambda x, axis: tuple(torch.cummin(x, axis)),
        lambda x, axis: torch.cummax(x, axis).values,
        lambda x, axis: torch.cummin(x, axis).values,
        lambda x, axis: torch.cummin(x, axis).indices,
    ]
    shapes = shapes_of(dtype, target)
    inputs = [numbers(dtype, shape) for shape in shapes]
    check(functions, functions, inputs, target=target)


def test_extremes_of_one_number() -> None:
    """Rows of what the scan begins with: the place is still the last one."""
    rows = [
        *(torch.full((9, 11), value) for value in (float("-inf"), float("inf"))),
        torch.full((9, 11), torch.iinfo(torch.int64).min),
        torch.full((9, 11), 255, dtype=torch.uint8),
    ]
    functions: list[Callable[..., Any]] = [
        lambda x, axis: tuple(torch.cummax(x, axis)),
        lambda x, axis: tuple(torch.cummin(x, axis)),
    ]
    check(functions, functions, rows)


LONG_SHAPES = [(100_003,), (2, 65_537, 3), (9, 20_011)]


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize("shape", LONG_SHAPES, ids=str)
def test_long_sums_are_rounded_once(shape: tuple[int, ...], target: str) -> None:
    """Errors of float32 would grow to hundreds of units in the last place."""
    torch.manual_seed(0)
    x = torch.rand(shape)
    long = shape.index(max(shape))
    found = program([lambda x, _: x.cumsum(long)], [x], target=target)(x)[0]
    wanted = x.double().cumsum(long)
    error = (found.double() - wanted).abs() / wanted
    assert error.max() <= 2.0**-24 * 1.001


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.bfloat16, torch.int64, torch.uint8], ids=str
)
def test_parts_of_long_rows_on_a_gpu(dtype: torch.dtype) -> None:
    """Each part begins with what those before it came to; places are those of the row."""
    inputs = [numbers(dtype, shape) for shape in ((2, 20_001), (70_001, 3), (9_000, 2))]
    options = {"target": "cuda:interpret"}
    check([torch.cumsum], [in_double(torch.cumsum)], inputs, **options)
    extremes: list[Callable[..., Any]] = [
        lambda x, axis: tuple(torch.cummax(x, axis)),
        lambda x, axis: torch.cummin(x, axis).values,
    ]
    check(extremes, extremes, inputs, **options)
    # The last occurrence of what a scan begins with is also before the first part.
    lowest = torch.full((1, 17_000), float("-inf")).to(dtype)
    if dtype.is_floating_point:
        check(extremes, extremes, [lowest], **options)
        scan = torch.logcumsumexp
        check([scan], [in_double(scan)], inputs[:1], **options)


@pytest.mark.parametrize(
    ("shape", "axis", "programs"),
    [
        ((1, 1_000_000), 1, [244, 245]),
        ((64, 50_257), 1, [192, 256]),
        ((1_000_003, 3), 0, [244, 245]),
        ((3000, 257), 1, [1500]),
        ((2, 1000, 4096), 1, [256]),
    ],
    ids=str,
)
def test_scans_occupy_a_gpu(
    shape: tuple[int, ...], axis: int, programs: list[int]
) -> None:
    """Totals of all parts but the last, then the parts; one kernel where rows suffice."""
    x = torch.zeros(shape)
    found = program([lambda x, _: x.cumsum(axis)], [x], target="cuda:interpret")
    kernels = list(read_code(found.artifact.code["cuda"]).kernels.values())
    grids = [kernel.grid[0] for kernel in kernels if "scan" in kernel.source]
    assert grids[: len(programs)] == programs
    for kernel, arch in zip(kernels[:2], ("sm_90", "sm_80"), strict=False):
        assert compile_kernel(kernel, arch).resources().spilled_bytes == 0


@pytest.mark.parametrize("axis", [0, 1])
def test_threads_give_equal_bits(axis: int) -> None:
    x = numbers(torch.float32, (211, 1003)).nan_to_num(0.3)
    functions: list[Callable[..., Any]] = [
        lambda x, _: x.cumsum(axis),
        lambda x, _: x.logcumsumexp(axis),
        lambda x, _: tuple(x.cummin(axis)),
    ]
    results = [
        program(functions, [x], threads=threads)(x)[: len(functions)]
        for threads in (1, 2, 3)
    ]
    for other in results[1:]:
        torch.testing.assert_close(other, results[0], rtol=0, atol=0)


def test_users_of_scans() -> None:
    """Runs of equal elements, and the n-th of what a mask chooses."""
    torch.manual_seed(3)
    x, mask = torch.randint(0, 5, (7, 43)), torch.rand(7, 43) < 0.4
    functions: list[Callable[..., Any]] = [
        lambda x, _: torch.mode(x, 1).values,
        lambda x, _: x.masked_scatter(mask, torch.arange(301)),
    ]
    check(functions, functions, [x])
