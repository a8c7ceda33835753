"""Schedules of attention: what is planned, what is refused, and others than planned."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from xdsl.utils.exceptions import VerifyException

import devproc
from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps
from devproc.dialects.sched import AttentionSchedule
from devproc.targets.cpu.algorithms.attention.nest import Attention
from tests.algorithms.overrides import nest_of, overridden, planned_by
from tests.targets import target_attr

ATTENTION = algorithm("attention")


class Masked(nn.Module):
    """Attention; with a mask, of bools or of addends."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, mask)


def operands(queries: int, keys: int, mask: str = "none") -> tuple[Tensor, ...]:
    """Five heads, 19 numbers of a query and of a key, 37 of a value."""
    rng = torch.Generator().manual_seed(queries * keys)
    q, k, v = (
        torch.randn(5, *shape, generator=rng)
        for shape in ((queries, 19), (keys, 19), (keys, 37))
    )
    if mask == "causal":
        return q, k, v, torch.ones(queries, keys).tril(keys // 3).bool()
    if mask == "addends":
        return q, k, v, torch.randn(queries, keys, generator=rng)
    return q, k, v


@cache
def nest(queries: int, keys: int, mask: str = "none", bits: int = 512) -> Attention:
    """An attention for vectors of so many bits."""
    target = target_attr(vector_bits=bits)
    return nest_of("attention", Masked(), operands(queries, keys, mask), target)


def planned(nest: Attention, **options: Any) -> Any:
    given: dict[str, Any] = {"vector_bits": 512} | options
    return planned_by("attention", nest, target_attr(**given))


def test_plans() -> None:
    many = planned(nest(67, 53))
    assert str(many.schedule) == (
        "#sched.attention<keys = panels, side = 2, rows = 12, mask = apply,"
        " mix = [2, 2], block = 64, chunks = 1, grain = none>"
    )
    assert many.why == "67 = 1 x 12 + 5 x 11 queries; 24 sums fit 32 registers"
    causal = planned(nest(45, 33, "causal"), threads=2)
    assert str(causal.schedule) == (
        "#sched.attention<keys = panels, side = 3, rows = 5, mask = apply,"
        " mix = [3], block = 64, chunks = 1, grain = 1>"
    )
    one = planned(nest(1, 53), vector_bits=256)
    assert str(one.schedule) == (
        "#sched.attention<keys = rows, side = 2, rows = 1, mask = apply, mix = [5],"
        " block = 64, chunks = 1, grain = none>"
    )


def test_masks_that_hide_panels_are_skipped() -> None:
    def mask(*kernel: Any) -> str:
        return planned(nest(*kernel)).schedule.mask

    assert mask(67, 70, "causal") == "skip"
    assert mask(67, 70, "addends") == "apply"
    assert mask(67, 70) == "apply"
    # One panel; two tiles.
    assert mask(67, 30, "causal") == mask(20, 70, "causal") == "apply"


def test_threads_change_only_what_keeps_digits() -> None:
    kernel = nest(60, 53)
    plans = [planned(kernel, threads=n).schedule for n in (1, 2, 16)]
    assert plans[2].chunks == 5
    assert plans[0].fixed == plans[1].fixed == plans[2].fixed
    assert plans[2].replace(chunks=1, grain=None) == plans[0]


def test_what_another_family_or_a_part_is() -> None:
    kernel = nest(67, 53)
    assert ATTENTION.nest_of(KernelOps(kernel.ops, "reduction")) is None
    assert ATTENTION.nest_of(KernelOps(kernel.ops[1:], "attention")) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rows": 60}, "'rows': 67 queries are not tiles of 60 or 59"),
        (
            {"mix": (2,)},
            "'mix' must have 2 numbers, one for each height of 1 x 12 + 5 x",
        ),
        ({"mask": "skip"}, "'mask' must be apply: no bools, contiguous along the keys"),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    kernel, target = nest(67, 53), target_attr(vector_bits=512)
    schedule = planned(kernel).schedule.replace(**changes)
    problem = ATTENTION.problem(kernel, schedule, target)
    assert problem is not None
    assert problem.startswith(reason)


def test_one_chunk_is_refused() -> None:
    single = Masked(), tuple(x[:1] for x in operands(4, 9))
    target = target_attr(vector_bits=512)
    kernel = nest_of("attention", *single, target)
    schedule = planned(kernel).schedule.replace(grain=1)
    assert ATTENTION.problem(kernel, schedule, target) == (
        "'grain' must be none: one head in one part is one chunk of work"
    )


def test_keys_by_rows_for_single_queries_alone() -> None:
    with pytest.raises(VerifyException, match="rows for a single query alone"):
        planned(nest(67, 53)).schedule.replace(keys="rows")


CHANGES = {
    "tiles of five": ((23, 70, "causal"), {"rows": 5, "mix": (1, 4)}),
    "one tile, too tall": ((23, 70, "addends"), {"rows": 24, "mix": (1,)}),
    "single queries by rows": ((7, 70), {"keys": "rows", "rows": 1, "mix": (3,)}),
    "a query by panels": ((1, 70, "causal"), {"keys": "panels", "mask": "skip"}),
    "one vector of keys": ((23, 70, "causal"), {"side": 1, "mask": "skip"}),
    "four vectors of keys": ((23, 70), {"side": 4, "block": 7}),
    "skipping in one panel": ((23, 15, "causal"), {"side": 4, "mask": "skip"}),
    "nothing skipped": ((67, 70, "causal"), {"mask": "apply"}),
    "more chunks than tiles": ((23, 70, "causal"), {"chunks": 9, "grain": 1}),
    "blocks of one key": ((23, 70), {"block": 1}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_other_schedules_give_right_values(name: str) -> None:
    kernel, changes = CHANGES[name]
    inputs = operands(*kernel)

    def change(schedule: AttentionSchedule) -> AttentionSchedule:
        return schedule.replace(**changes)

    with overridden("attention", change) as used:
        exported = torch.export.export(Masked(), inputs)
        program = devproc.compile(exported, threads=2, cache=False)
    assert len(used) == 1
    exact = Masked()(*(x.double() if x.is_floating_point() else x for x in inputs))
    torch.testing.assert_close(program(*inputs).double(), exact, rtol=1e-5, atol=2e-6)
