"""Reads and writes at computed indices, beside what PyTorch's samples do not reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import devproc
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.code import read_code


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def compiled(
    function: Callable[..., Any], *inputs: torch.Tensor, target: str = "cpu"
) -> devproc.Program:
    exported = torch.export.export(Call(function).eval(), inputs, strict=False)
    return devproc.compile(exported, target, threads=1, cache=False)


def check(function: Callable[..., Any], *inputs: torch.Tensor) -> None:
    """The same result as eager PyTorch, on the CPU and on interpreted Triton."""
    wanted = function(*[x.clone() for x in inputs])
    for target in ("cpu", "cuda:interpret"):
        found = compiled(function, *inputs, target=target)(*inputs)
        torch.testing.assert_close(found, wanted, equal_nan=True)


def test_negative_indices_count_from_the_end() -> None:
    index = torch.tensor([[-1, 0, 2], [1, -3, -2]])
    check(lambda x, i: x[i], torch.randn(3, 5), index)
    check(lambda x, i: x[:, i, i.flip(1)], torch.randn(2, 3, 3), index)
    check(lambda x, i: x[i, :, i], torch.randn(3, 2, 3, 4), index)


def test_an_index_out_of_range_stays_inside() -> None:
    """PyTorch raises an error; a compiled program must not read other memory."""
    x, good = torch.arange(12.0).reshape(4, 3), torch.tensor([0, 1, 2, 3])
    bad = torch.tensor([-5, 4, 2**40, -(2**62)])
    held = torch.tensor([0, 3, 3, 0])
    for target in ("cpu", "cuda:interpret"):
        program = compiled(lambda x, i: x[i], x, good, target=target)
        torch.testing.assert_close(program(x, bad), x[held])
        add = compiled(
            lambda x, i: x.index_add(0, i, torch.ones(4, 3)), x, good, target=target
        )
        torch.testing.assert_close(add(x, torch.tensor([9, 2**40, -99, 4])), x)


def test_the_last_of_several_updates_wins() -> None:
    index = torch.tensor([1, 1, 1])
    x, updates = torch.zeros(3), torch.tensor([1.0, 2.0, 3.0])
    program = compiled(lambda x, u, i: x.scatter(0, i, u), x, updates, index)
    torch.testing.assert_close(program(x, updates, index), torch.tensor([0.0, 3.0, 0]))


def cache_update(cache: torch.Tensor, new: torch.Tensor, at: torch.Tensor) -> Any:
    return cache.index_copy(2, at, new), cache.index_put((at,), new.sum(), True)


def test_cache_update() -> None:
    cache, new = torch.randn(4, 2, 6, 3), torch.randn(4, 2, 2, 3)
    check(cache_update, cache, new, torch.tensor([3, 1]))


def in_place(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[:, 0] = 1
    x[0, :, 1:6:2] = 2
    x[..., -1].add_(5)
    x[x > 4] = -1
    return x


def test_updates_of_views() -> None:
    check(in_place, torch.randn(3, 4, 7))
    check(in_place, torch.tensor([float("nan")]).expand(2, 3, 7).contiguous())


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_slice_scatter(step: int) -> None:
    x = torch.randn(9, 4)
    source = torch.randn(len(range(1, 8, step)), 4)
    check(lambda x, s: torch.slice_scatter(x, s, 0, 1, 8, step), x, source)


def test_many_parts() -> None:
    """More than one level of joins; parts of several sizes, and empty ones."""
    parts = [torch.randn(2, i % 4) for i in range(30)]
    check(lambda *p: torch.cat(p, 1), *parts)
    check(lambda *p: torch.stack([q.sum(1) for q in p], 1), *parts)


def test_a_mask_as_index_is_refused() -> None:
    x, mask = torch.randn(5), torch.tensor([True, False, True, True, False])
    with pytest.raises(devproc.UnsupportedError, match=r"dynamic|depends on the data"):
        compiled(lambda x, m: x[m], x, mask)
    with pytest.raises(devproc.UnsupportedError, match="depends on the data"):
        compiled(lambda x, m: x.index_put((m,), torch.ones(3)), x, mask)


def test_masks_that_only_choose() -> None:
    """One value for all chosen elements, wherever the mask stands among the indices."""
    x, mask = torch.randn(3, 4, 5), torch.rand(3, 4) < 0.5
    row = torch.randn(5)
    check(lambda x, m, v: x.index_put((m,), v), x, mask, row)
    check(lambda x, m, v: x.index_put((m,), v[:1], accumulate=True), x, mask, row)
    columns = torch.rand(4, 5) < 0.5
    put = torch.ops.aten.index_put
    check(lambda x, m, v: put(x, [None, m], v[0]), x, columns, row)
    exported = torch.export.export(
        Call(lambda x, m, v: x.index_put((m,), v)), (x, mask, torch.randn(1, 5))
    )
    torch.testing.assert_close(
        devproc.compile(exported)(x, mask, row[None]), x.index_put((mask,), row)
    )


def test_masked_scatter_counts_the_chosen() -> None:
    x, mask, source = torch.randn(2, 3, 5), torch.rand(3, 5) < 0.6, torch.randn(40)
    check(lambda x, m, s: x.masked_scatter(m, s), x, mask, source)


def test_strides_of_memory() -> None:
    """`as_strided` reads memory: of a transposed tensor, not the order of its elements."""
    x = torch.randn(4, 6)
    check(lambda x: x.t().as_strided((3, 4), (2, 5), 1), x)
    check(lambda x: x.as_strided((2, 3, 3), (6, 2, 1)), x)
    exported = torch.export.export(
        Call(lambda x: x[1:].as_strided((2, 2), (1, 2))), (x,)
    )
    with pytest.raises(devproc.UnsupportedError, match="memory"):
        devproc.compile(exported)


def test_many_updates_cost_one_pass() -> None:
    """The loops run over the updates, not over all pairs of them and the result."""
    n = 300_000
    index, updates = torch.randint(0, n, (n,)), torch.randn(n)
    program = compiled(
        lambda x, i, u: x.index_add(0, i, u), torch.zeros(n), index, updates
    )
    found = program(torch.zeros(n), index, updates)
    torch.testing.assert_close(found, torch.zeros(n).index_add(0, index, updates))


@pytest.mark.parametrize("offsets", [[0, 3, 6], [0, 3, 3, 5], [0, 1, 2, 3]])
@pytest.mark.parametrize("padding", [None, 2])
def test_maxima_of_bags_with_nan(offsets: list[int], padding: int | None) -> None:
    """PyTorch keeps a NaN that is first in its bag, and passes over all others."""
    table = torch.randn(7, 3)
    table[2, 1] = table[6, 0] = float("nan")
    table[4, 0], table[5] = float("inf"), float("-inf")

    def bags(t: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        starts = torch.tensor(offsets)
        return F.embedding_bag(i, t, starts, mode="max", padding_idx=padding)

    for rows in ([0, 2, 1, 3, 4, 2, 6, 0, 5], [2, 0, 1, 6, 2, 2, 5, 6, 1]):
        check(bags, table, torch.tensor(rows))
        check(lambda i: bags(table, i), torch.tensor(rows))


def some(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Small numbers, whose sums are exact; a NaN and infinities among floats."""
    x = torch.randint(0, 5, shape).to(dtype)
    if dtype.is_floating_point:
        x.view(-1)[:3] = torch.tensor([float("nan"), float("inf"), -0.0]).to(dtype)
    return x


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.bfloat16, torch.int64, torch.uint8], ids=str
)
def test_many_updates_of_rows(dtype: torch.dtype) -> None:
    """Sorted, or by atomics; several blocks of places and of columns, equal indices, and
    rows without updates."""
    torch.manual_seed(1)
    x, updates = some(dtype, 37, 40), some(dtype, 101, 40)
    index = torch.randint(3, 30, (101,))
    check(lambda x, i, u: x.index_add(0, i, u), x, index, updates)
    check(lambda x, i, u: x.index_reduce(0, i, u, "amin"), x, index, updates)
    check(lambda x, i, u: x.index_put((i,), u[:, :1], True), x, index, updates)


@pytest.mark.parametrize(
    ("dtype", "axis"),
    [(torch.int8, 0), (torch.float32, 1), (torch.float16, 2), (torch.bool, 2)],
    ids=str,
)
def test_many_updates_of_elements(dtype: torch.dtype, axis: int) -> None:
    """Each row along the axis has indices of its own. More than one run is sorted."""
    torch.manual_seed(axis)
    # One update after the other: PyTorch promises no order of several.
    shape, updated = [5, 7, 9], [5, 7, 9]
    updated[axis] = 4500 if axis == 1 else 70
    if axis == 1:
        shape, updated = [2, 900, 1], [2, 4500, 1]
    x, updates = some(dtype, *shape), some(dtype, *updated)
    index = torch.randint(0, shape[axis], updated)
    if dtype != torch.bool:
        check(lambda x, i, u: x.scatter_add(axis, i, u), x, index, updates)
        check(lambda x, i, u: x.scatter_reduce(axis, i, u, "amax"), x, index, updates)
    wanted = x.clone()
    for update in range(updated[axis]):
        at = index.narrow(axis, update, 1)
        wanted.scatter_(axis, at, updates.narrow(axis, update, 1))
    found = compiled(
        lambda x, i, u: x.scatter(axis, i, u),
        x,
        index,
        updates,
        target="cuda:interpret",
    )(x, index, updates)
    torch.testing.assert_close(found, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=str)
def test_many_updates_out_of_range(dtype: torch.dtype) -> None:
    """They update nothing; PyTorch raises an error."""
    x, updates = some(dtype, 11, 3), some(dtype, 100, 3)
    good = torch.arange(100) % 11
    bad = good.clone()
    bad[::3] = torch.tensor([2**40, -(2**62), 11, -12, 2**31])[torch.arange(34) % 5]
    kept = torch.arange(100) % 3 > 0
    program = compiled(
        lambda x, i, u: x.index_add(0, i, u), x, good, updates, target="cuda:interpret"
    )
    wanted = x.index_add(0, good[kept], updates[kept])
    torch.testing.assert_close(program(x, bad, updates), wanted, equal_nan=True)


@pytest.mark.parametrize("precision", ["strict", "default", "fast"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32], ids=str)
def test_atomics_where_the_order_does_not_matter(
    dtype: torch.dtype, precision: str
) -> None:
    x, index = torch.zeros(50_000, 64, dtype=dtype), torch.zeros(10_000).long()
    model = Call(lambda x, i, u: x.index_add(0, i, u)).eval()
    exported = torch.export.export(model, (x, index, x[:10_000]), strict=False)
    program = devproc.compile(
        exported, "cuda:interpret", precision=precision, cache=False
    )
    kernels = list(read_code(program.artifact.code["cuda"]).kernels.values())
    is_atomic = dtype == torch.int32 or precision == "fast"
    assert any("tl.atomic_add(" in k.source for k in kernels) == is_atomic
    assert any("tl.sort(" in k.source for k in kernels) != is_atomic
    # No program takes the updates of all others.
    assert kernels[-1].grid[0] == (1250 if is_atomic else 6250)
    for arch in ("sm_80", "sm_90"):
        assert compile_kernel(kernels[-1], arch).resources().spilled_bytes == 0


def test_sums_by_atomics() -> None:
    x, updates = torch.randn(9, 33), torch.randn(200, 33)
    index = torch.randint(0, 9, (200,))
    model = Call(lambda x, i, u: x.index_add(0, i, u)).eval()
    exported = torch.export.export(model, (x, index, updates), strict=False)
    program = devproc.compile(exported, "cuda:interpret", precision="fast", cache=False)
    wanted = x.double().index_add(0, index, updates.double()).float()
    torch.testing.assert_close(program(x, index, updates), wanted)
