"""One line of a product: the algorithms that compute it for a fixed image and line."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from devproc.algorithms import algorithm
from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import (
    PixelTileSchedule,
    RegisterTileSchedule,
    VectorsSchedule,
)
from devproc.targets.cpu.algorithms import pixel_tile, register_tile, vectors
from devproc.targets.cpu.algorithms.bottleneck.nest import IMAGE, LINE
from devproc.targets.cpu.algorithms.pixel_tile.plan import schedule_of as plan_pixels
from devproc.targets.cpu.algorithms.pixel_tile.plan import window_of
from devproc.targets.cpu.algorithms.register_tile.plan import schedule_of as plan_tiles
from devproc.targets.cpu.algorithms.register_tile.roles import contraction_of
from devproc.targets.cpu.algorithms.vectors.match import vectorized
from devproc.targets.cpu.algorithms.vectors.plan import schedule_of as plan_vectors
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.nest import Nest

LineSchedule: TypeAlias = RegisterTileSchedule | PixelTileSchedule | VectorsSchedule


@dataclass(frozen=True)
class LineAlgorithm:
    """The functions of an algorithm for one line.

    `find`: the nest of an algorithm for a simplified nest with some loops fixed; None
    if it does not match. `plan`: the schedule of that nest on one thread, or a refusal.
    """

    find: Callable[[Nest, Collection[int | None]], Any]
    plan: Callable[[Any, TargetAttr], LineSchedule | Refusal]
    refuse: Callable[[Any, Any, TargetAttr], str | None]


def _tiles(found: Any, target: TargetAttr) -> LineSchedule | Refusal:
    planned = plan_tiles(found, "bottleneck", target)
    if isinstance(planned, Refusal):
        return planned
    return planned.replace(spread=0, grain=None)


LINE_ALGORITHMS: dict[type[LineSchedule], LineAlgorithm] = {
    RegisterTileSchedule: LineAlgorithm(contraction_of, _tiles, register_tile.refuse),
    PixelTileSchedule: LineAlgorithm(
        window_of,
        lambda found, target: plan_pixels(found, target).replace(
            split=None, grain=None
        ),
        pixel_tile.refuse,
    ),
    VectorsSchedule: LineAlgorithm(
        vectorized,
        lambda found, target: plan_vectors(found, target).replace(
            split=None, grain=None
        ),
        vectors.refuse,
    ),
}
"""The algorithms for a line, in the order in which they are tried."""


def plan_line(nest: Nest, target: TargetAttr) -> LineSchedule | None:
    """The schedule of a line of a product; None if it cannot be vectorised."""
    for line in LINE_ALGORITHMS.values():
        found = line.find(nest, _fixed(nest))
        planned = None if found is None else line.plan(found, target)
        if planned is not None and not isinstance(planned, Refusal):
            return planned
    return None


def refuse_line(nest: Nest, schedule: LineSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a line of a product."""
    line = LINE_ALGORITHMS[type(schedule)]
    found = line.find(nest, _fixed(nest))
    if found is None:
        return f"'{schedule.algorithm}' does not compute it"
    return line.refuse(found, schedule, target)


def expand_line(
    nest: Nest,
    schedule: LineSchedule,
    emitter: Emitter,
    target: TargetAttr,
    place: tuple[SSAValue, SSAValue],
) -> None:
    """Emit a line of a product. `place`: the indices of the image and the line."""
    fixed = dict(zip(_fixed(nest), place, strict=True))
    found = LINE_ALGORITHMS[type(schedule)].find(nest, _fixed(nest))
    algorithm(schedule.algorithm).expand(found, schedule, emitter, target, fixed)


def _fixed(nest: Nest) -> tuple[int | None, int | None]:
    """The loops over images and lines; None for a loop of one iteration."""
    return nest.loops[IMAGE], nest.loops[LINE]
