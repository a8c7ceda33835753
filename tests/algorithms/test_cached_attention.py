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
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.transforms.loops.kernels import structured_ops
from tests.repository import context
from tests.targets import target_attr

CACHED = algorithm("cached_attention")
VNNI = ("avx512vnni",)

needs_vnni = pytest.mark.skipif(
    VNNI[0] not in CPUTarget.host().present, reason="needs AVX-512 with VNNI"
)


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


class Int8Decoder(nn.Module):
    """The same with keys and values in int8, with a scale for each row."""

    def forward(
        self, q: Tensor, k: Tensor, ks: Tensor, v: Tensor, vs: Tensor, position: Tensor
    ) -> Tensor:
        return Decoder()(q, k.float() * ks, v.float() * vs, position)


def int8_operands(
    group: int, queries: int, depth: int = 64, keys: int = 200
) -> tuple[Tensor, ...]:
    """The same in int8, of which some rows are the largest numbers."""
    q, k, v, position = operands(group, queries, keys, depth)
    found = [q]
    for rows in (k, v):
        scales = rows.abs().amax(-1, keepdim=True) / 127
        numbers = (rows / scales).round().to(torch.int8)
        numbers[:, :, ::7] = 127
        numbers[:, :, 3::7] = -128
        found += [numbers, scales]
    return (*found, position)


def int8_nest(group: int, queries: int, depth: int) -> CachedAttention:
    """The nest of that for AVX-512 with VNNI."""
    inputs = int8_operands(group, queries, depth)
    module = read_source(torch.export.export(Int8Decoder(), inputs)).module
    set_options(module, target_attr(vector_bits=512, extensions=VNNI), {})
    run_stages(module, context(), stages_between(None, "buffers"), verify=False)
    (kernel,) = host_kernels(module, "attention")
    (found,) = CACHED.match(KernelOps(structured_ops(kernel), "attention"))
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
        "#sched.cached_attention<rows = 3, keys = 16, digits = 0, mix = 3, prefetch = no, parts = 1,"
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
        "rows = 1, keys = 16, digits = 0, mix = 3, prefetch = no, parts = 1",
    ),
    "blocks of many keys": (
        3,
        1,
        "rows = 3, keys = 64, digits = 0, mix = 1, prefetch = yes, parts = 1",
    ),
    "parts": (
        3,
        1,
        "rows = 3, keys = 16, digits = 0, mix = 2, prefetch = no, parts = 5",
    ),
    "more parts than keys": (
        1,
        1,
        "rows = 1, keys = 16, digits = 0, mix = 2, prefetch = no, parts = 60",
    ),
    "parts of two kinds of tiles": (
        *(3, 7),
        "rows = 11, keys = 32, digits = 0, mix = 1, prefetch = yes, parts = 3",
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


@pytest.mark.parametrize(
    ("group", "queries", "depth", "options", "digits"),
    [
        (3, 1, 64, {}, 3),
        (3, 1, 64, {"precision": "fast"}, 1),
        (3, 1, 64, {"precision": "strict"}, 0),
        (3, 1, 64, {"extensions": ()}, 0),
        (3, 1, 80, {}, 0),
        (4, 2, 128, {}, 3),
        (9, 1, 64, {}, 0),
    ],
)
def test_bytes_of_a_query(
    group: int, queries: int, depth: int, options: dict[str, Any], digits: int
) -> None:
    given: dict[str, Any] = {"extensions": VNNI} | options
    schedule: Any = planned(int8_nest(group, queries, depth), **given).schedule
    assert schedule.digits == digits
    assert schedule.keys == {64: 64, 80: 48, 128: 32}[depth]


def test_what_bytes_do_not_take() -> None:
    kernel = int8_nest(9, 1, 64)
    target = target_attr(vector_bits=512, extensions=VNNI)
    schedule = planned(kernel, extensions=VNNI).schedule
    for nest_, changed, reason in (
        (kernel, schedule.replace(digits=3), "'digits' needs fewer than 9 rows"),
        (
            kernel,
            schedule.replace(digits=3, rows=3, keys=24),
            "'keys' must be a multiple of 16",
        ),
        (
            nest(3, 1),
            planned(nest(3, 1)).schedule.replace(digits=1),
            "'digits' must be 0 unless queries are float32 and keys int8",
        ),
        (
            int8_nest(3, 1, 80),
            schedule.replace(digits=1, rows=3),
            "whole vectors of 64",
        ),
    ):
        assert reason in str(CACHED.problem(nest_, changed, target))


@needs_vnni
@pytest.mark.parametrize("depth", [64, 128])
@pytest.mark.parametrize(
    ("group", "queries", "fields"),
    [
        (1, 1, None),
        (2, 1, None),
        (3, 1, "rows = 3, keys = 16, digits = 3, mix = 2, prefetch = yes, parts = 3"),
        (4, 1, "rows = 4, keys = 32, digits = 3, mix = 1, prefetch = no, parts = 1"),
        (7, 1, None),
        (3, 5, "rows = 8, keys = 64, digits = 3, mix = 2, prefetch = no, parts = 2"),
    ],
)
def test_bytes_give_right_values(
    group: int, queries: int, fields: str | None, depth: int
) -> None:
    """As accurate as float32, wherever the keys in use end; NaN and infinities stay in the
    row of their query."""
    inputs = int8_operands(group, queries, depth)
    given: dict[str, Any] = {}
    if fields:
        text = f"#sched.cached_attention<{fields}, grain = 1>"
        given = {"schedules": {"cached_attention*": text}}
    exported = torch.export.export(Int8Decoder(), inputs)
    program = devproc.compile(exported, threads=2, cache=False, **given)
    assert "digits = 3" in program.ir("schedules")
    q, k, ks, v, vs, _ = inputs
    exact = (x.double() * y.double() for x, y in ((k, ks), (v, vs)))
    keys, values = exact
    for last in (0, 17, 63, 100, 199):
        position = torch.arange(last - queries + 1, last + 1).clamp(min=0)
        wanted = Decoder()(q.double(), keys, values, position)
        found = program(q, k, ks, v, vs, position).double()
        assert (found - wanted).norm() <= 1e-6 * wanted.norm()
    bad = q.clone()
    bad[0, 0, 0, 5], bad[0, -1, -1, 7] = float("nan"), -float("inf")
    found = program(bad, k, ks, v, vs, position)
    is_bad = ~bad.isfinite().all(-1)
    assert found[is_bad].isnan().all()
    assert (found.double() - wanted)[~is_bad].norm() <= 1e-6 * wanted.norm()
