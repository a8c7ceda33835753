"""Schedules of bottlenecks: what is planned, what is refused, and others than planned."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch

from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import (
    BottleneckSchedule,
    PixelTileSchedule,
    RegisterTileSchedule,
    VectorsSchedule,
)
from devproc.targets.cpu.algorithms.bottleneck.nest import Bottleneck as Nest
from tests.algorithms.overrides import nest_of, overridden, planned_by
from tests.cpu.test_bottleneck import (
    Bottleneck,
    InputBetween,
    check,
    image,
    is_one_kernel,
    program_of,
)
from tests.targets import target_attr

BOTTLENECK = algorithm("bottleneck")

FORMS = {
    "residual": (Bottleneck((7, 48, 7), residual=True), (1, 7, 86, 41)),
    "narrow": (Bottleneck((7, 48, 7)), (4, 7, 300, 1)),
    "stride": (Bottleneck((5, 45, 19), stride=2), (1, 5, 68, 59)),
}
VECTORS = VectorsSchedule(
    loop=1, lanes=16, vectors=1, inner=None, crossing=None, ragged="mask",
    block=None, split=None, grain=None,
)  # fmt: skip


def target_of(**options: Any) -> TargetAttr:
    given: dict[str, Any] = {"vector_bits": 512} | options
    return target_attr(**given)


@cache
def nest(form: str) -> Nest:
    """The bottleneck of a model, for vectors of 512 bits."""
    module, shape = FORMS[form]
    return nest_of("bottleneck", module, (image(*shape),), target_of())


def planned(form: str, **options: Any) -> Any:
    return planned_by("bottleneck", nest(form), target_of(**options))


def test_plans() -> None:
    wide = planned("residual", threads=2)
    tile = (
        "#sched.register_tile<weight = #dev.layout<[3, 0, 1, 2], [1, 1, 1, {}]>,"
        " rows = {}, vectors = {}, order = panels, cut = none, block = 64,"
        " accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0,"
        " grain = none>"
    )
    assert str(wide.schedule) == (
        f"#sched.bottleneck<expansion = {tile.format(48, 7, 3)}, window ="
        " #sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = none,"
        f" grain = none>, projection = {tile.format(16, 11, 1)}, parts = 2, grain = 1>"
    )
    assert wide.why == "3 of 88 lines are kept, 24 KB of 709"
    narrow = planned("narrow").schedule
    assert narrow.window == VECTORS.replace(loop=2, vectors=2)
    assert (narrow.parts, narrow.grain) == (1, None)


def test_threads_change_only_what_keeps_digits() -> None:
    plans = [planned("residual", threads=n).schedule for n in (1, 2, 40)]
    assert [plan.parts for plan in plans] == [1, 2, 18]
    assert plans[0].fixed == plans[1].fixed == plans[2].fixed


def test_what_another_family_or_a_part_is() -> None:
    ops = nest("residual").ops
    assert BOTTLENECK.nest_of(KernelOps(ops, "bottleneck")) is not None
    assert BOTTLENECK.nest_of(KernelOps(ops, "window")) is None
    assert BOTTLENECK.nest_of(KernelOps(ops[:-4], "bottleneck")) is None


def refusal(schedule: BottleneckSchedule) -> str | None:
    return BOTTLENECK.problem(nest("residual"), schedule, target_of())


def test_refusals() -> None:
    schedule = planned("residual").schedule
    tile, window = schedule.expansion, schedule.window
    assert isinstance(tile, RegisterTileSchedule)
    assert isinstance(window, PixelTileSchedule)
    assert refusal(schedule.replace(parts=87, grain=1)) == (
        "'parts' must be at most 86, the lines of the result"
    )
    assert refusal(schedule.replace(grain=1)) == (
        "'grain' must be none: one image in one part is one chunk of work"
    )
    assert refusal(schedule.replace(expansion=tile.replace(rows=30))) == (
        "in 'expansion': 'rows': 41 rows are not tiles of 30 or 29"
    )
    assert refusal(schedule.replace(expansion=tile.replace(vectors=2))) == (
        "in 'expansion': 'vectors' must make up a panel of 48 columns, of 16 each"
    )
    assert refusal(schedule.replace(window=window.replace(pixels=30))) == (
        "in 'window': 'pixels': 41 pixels are not tiles of 30 or 29"
    )
    # Its loops are numbered without the one image; the lines are loop 0.
    assert refusal(schedule.replace(window=VECTORS.replace(loop=2, inner=0))) == (
        "in 'window': 'inner': no parallel loop has the number 0"
    )
    others = schedule.replace(projection=window), schedule.replace(projection=VECTORS)
    assert [refusal(other) for other in others] == [
        "in 'projection': 'pixel_tile' does not compute it",
        "in 'projection': 'vectors' does not compute it",
    ]


def changed(schedule: BottleneckSchedule, change: str) -> BottleneckSchedule:
    """Another schedule than the planned one."""
    expansion, window, projection = (
        schedule.expansion,
        schedule.window,
        schedule.projection,
    )
    match change:
        case "parts":
            return schedule.replace(parts=11, grain=1)
        case "one thread":
            return schedule.replace(parts=1, grain=None)
        case "rows":
            return schedule.replace(
                expansion=expansion.replace(rows=6, order="rows"),
                projection=projection.replace(rows=1, block=5, accumulators=4),
            )
        case "blocks of rows":
            return schedule.replace(expansion=expansion.replace(rows=4, cut=(0, 3)))
        case "pixels":
            return schedule.replace(window=window.replace(pixels=6, vectors=1))
    return schedule.replace(window=VECTORS.replace(loop=2, lanes=8))


@pytest.mark.parametrize(
    ("form", "change"),
    [
        ("residual", "parts"),
        ("residual", "one thread"),
        ("residual", "rows"),
        ("residual", "blocks of rows"),
        ("residual", "pixels"),
        ("residual", "vectors"),
        ("narrow", "vectors"),
        ("stride", "parts"),
        ("stride", "pixels"),
    ],
)
def test_other_schedules_give_right_values(form: str, change: str) -> None:
    torch.manual_seed(5)
    module, shape = FORMS[form]
    x = image(*shape)
    with overridden("bottleneck", lambda known: changed(known, change)) as used:
        program = program_of(module, x)
    assert len(used) == 1
    check(module, x, program(x.numpy()))


def test_an_input_that_is_contiguous_along_the_lines() -> None:
    """A line is fixed: inputs are not transposed along it."""
    module, x = (
        InputBetween((48, 48, 5), 1, padding=0, norms=False),
        image(1, 48, 3300, 1),
    )
    with overridden("bottleneck") as used:
        program = program_of(module, x, threads=1)
    assert is_one_kernel(program)
    (schedule,) = used
    assert isinstance(schedule, BottleneckSchedule)
    assert isinstance(schedule.window, VectorsSchedule)
    assert schedule.window.crossing is None
    check(module, x, program(x.numpy()))
