"""Plans loops over elements: which of them threads share."""

from __future__ import annotations

from math import prod

from devproc.algorithms.base import Choice, Decision
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ElementsSchedule
from devproc.targets.cpu.algorithms.elements.nest import ElementsNest
from devproc.targets.cpu.transforms.loops.kernels import body_work, grain_of

PIECES = 8
"""Chunks of work per thread, for load balancing."""


def plan(nest: ElementsNest, family: str, target: TargetAttr) -> Decision:
    """As many of the parallel loops, outermost first, as give enough chunks."""
    threads = target.threads.data
    work = prod(nest.sizes) * body_work(nest.op)
    spread, pieces = 0, 1
    while spread < len(nest.parallel) and pieces < PIECES * threads:
        pieces *= nest.sizes[nest.parallel[spread]]
        spread += 1
    grain = grain_of(pieces, work, threads)
    if grain is None:
        spread = 0
    why = f"{work} scalar operations, one element at a time"
    return Choice(ElementsSchedule(spread=spread, grain=grain), why)


def refuse(
    nest: ElementsNest, schedule: ElementsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal: it spreads loops that are not parallel."""
    most = len(nest.parallel)
    if schedule.spread > most:
        return f"'spread' must be at most {most}: so many outer loops are parallel"
    return None
