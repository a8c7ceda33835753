"""Schedules of attention over a cache: plans, refusals, and others than planned."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, KernelOps
from devproc.dialects.sched.parsing import parse_schedule
from devproc.driver import run_stages, stages_between
from devproc.ir.program.kernel_modules import host_kernels
from devproc.options import set_options
from devproc.source import read_source
from devproc.targets.cpu.algorithms.cached_attention.nest import CachedAttention
from devproc.targets.cpu.transforms.loops.kernels import structured_ops
from tests.repository import context
from tests.targets import target_attr

CACHED = algorithm("cached_attention")


class Decoder(nn.Module):
    """Attention over a cache, within a window."""

    def forward(self, q: Tensor, k: Tensor, v: Tensor, position: Tensor) -> Tensor:
        key, last = torch.arange(k.shape[-2]), position[:, None]
        mask = (key <= last) & (key > last - 40)
        return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)


def operands(
    group: int, queries: int, keys: int = 200, depth: int = 19
) -> tuple[Tensor, ...]:
    """Two heads of keys for `group` heads of queries each; 37 numbers of a value."""
    rng = torch.Generator().manual_seed(group * queries)
    q = torch.randn(1, 2 * group, queries, depth, generator=rng)
    k = torch.randn(1, 2, keys, depth, generator=rng)
    v = torch.randn(1, 2, keys, 37, generator=rng)
    return q, k, v, torch.arange(keys // 2, keys // 2 + queries)


@cache
def nest(group: int, queries: int, keys: int = 200, depth: int = 19) -> CachedAttention:
    """An attention over a cache for vectors of 512 bits."""
    inputs = operands(group, queries, keys, depth)
    module = read_source(torch.export.export(Decoder(), inputs)).module
    set_options(module, target_attr(vector_bits=512), {})
    run_stages(module, context(), stages_between(None, "buffers"), verify=False)
    (kernel,) = host_kernels(module, "attention")
    ops = KernelOps(structured_ops(kernel), "attention")
    (found,) = CACHED.match(ops)
    assert not list(algorithm("bottleneck").match(ops))
    return found


def planned(nest: CachedAttention, **options: Any) -> Choice:
    given: dict[str, Any] = {"vector_bits": 512} | options
    target = target_attr(**given)
    decision = CACHED.plan(nest, "attention", target)
    assert isinstance(decision, Choice)
    assert CACHED.problem(nest, decision.schedule, target) is None
    assert parse_schedule(str(decision.schedule)) == decision.schedule
    return decision


def test_plans() -> None:
    three = planned(nest(3, 1))
    assert str(three.schedule) == (
        "#sched.cached_attention<rows = 3, keys = 16, mix = 3, prefetch = no, parts = 1,"
        " grain = none>"
    )
    assert three.why == "3 = 1 x 3 queries; 4 keys a vector of scores"
    many = planned(nest(3, 7))
    assert many.why == "21 = 1 x 11 + 1 x 10 queries; 1 keys a vector of scores"


def test_blocks_are_whole_vectors_of_scores() -> None:
    kernel, target = nest(3, 1), target_attr(vector_bits=512)
    schedule = planned(kernel).schedule
    assert CACHED.problem(kernel, schedule.replace(keys=12), target) is None
    assert CACHED.problem(kernel, schedule.replace(keys=18), target) == (
        "'keys' must be a multiple of 4, those of a vector of scores"
    )


def test_blocks_have_few_bytes() -> None:
    """Of 128 elements in f32, 8 keys are 4 KB; a vector of one row has 16."""
    assert planned(nest(3, 1, depth=128)).schedule.values["keys"] == 8
    assert planned(nest(1, 1, depth=128)).schedule.values["keys"] == 16


def test_large_caches_are_prefetched_and_split() -> None:
    schedule: Any = planned(nest(1, 1, 20_000), threads=8).schedule
    assert (schedule.prefetch, schedule.parts, schedule.grain) == (True, 4, 1)
    # As many tiles as threads.
    assert planned(nest(1, 1, 20_000), threads=2).schedule.parts == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rows": 20}, "'rows': 21 queries are not tiles of 20 or 19"),
        ({"rows": 21}, "'rows': a vector of scores has 16 lanes"),
        ({"keys": 16_384}, "a block takes "),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    kernel, target = nest(3, 7), target_attr(vector_bits=512)
    problem = CACHED.problem(
        kernel, planned(kernel).schedule.replace(**changes), target
    )
    assert problem is not None
    assert problem.startswith(reason)


CHANGES = {
    "a tile for each row": (
        3,
        1,
        "rows = 1, keys = 16, mix = 3, prefetch = no, parts = 1",
    ),
    "blocks of many keys": (
        3,
        1,
        "rows = 3, keys = 64, mix = 1, prefetch = yes, parts = 1",
    ),
    "parts": (3, 1, "rows = 3, keys = 16, mix = 2, prefetch = no, parts = 5"),
    "more parts than keys": (
        1,
        1,
        "rows = 1, keys = 16, mix = 2, prefetch = no, parts = 60",
    ),
    "parts of two kinds of tiles": (
        *(3, 7),
        "rows = 11, keys = 32, mix = 1, prefetch = yes, parts = 3",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_other_schedules_give_right_values(name: str) -> None:
    group, queries, fields = CHANGES[name]
    inputs = operands(group, queries)
    program = devproc.compile(
        torch.export.export(Decoder(), inputs),
        threads=2,
        cache=False,
        schedules={
            "cached_attention*": f"#sched.cached_attention<{fields}, grain = 1>"
        },
    )
    exact = Decoder()(*(x.double() if x.is_floating_point() else x for x in inputs))
    torch.testing.assert_close(program(*inputs).double(), exact, rtol=1e-5, atol=2e-6)
