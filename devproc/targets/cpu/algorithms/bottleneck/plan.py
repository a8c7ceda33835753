"""Plans a bottleneck: the schedule of each product for a line, and the threads."""

from __future__ import annotations

from devproc.algorithms.base import Choice, Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BottleneckSchedule
from devproc.ir.text.location import describe_location
from devproc.targets.cpu.algorithms.bottleneck.lines import (
    LineSchedule,
    plan_line,
    refuse_line,
)
from devproc.targets.cpu.algorithms.bottleneck.nest import Bottleneck, Lines
from devproc.targets.cpu.transforms.loops.kernels import grain_of

LEAST_LINES = 4
"""Fewest lines of the result per thread: the first of them recomputes expanded
lines."""


def plan(nest: Bottleneck, family: str, target: TargetAttr) -> Decision:
    """The schedule of a bottleneck, or why one of its products cannot be vectorised."""
    planned: dict[str, LineSchedule] = {}
    for product, line in zip(Lines._fields, nest.planned_lines, strict=True):
        schedule = plan_line(line, target)
        if schedule is None:
            place = describe_location(line.anchor.location)
            return Refusal(
                f"the {product} at {place} has no vectors along its channels"
            )
        planned[product] = schedule
    parts, grain = _shares(nest, target.threads.data)
    schedule = BottleneckSchedule(**planned, parts=parts, grain=grain)
    kept = 4 * nest.taps * nest.padded_width * nest.channels
    return Choice(
        schedule,
        f"{nest.taps} of {nest.padded} lines are kept, {kept >> 10} KB of"
        f" {kept * nest.padded // nest.taps >> 10}",
    )


def _shares(nest: Bottleneck, threads: int) -> tuple[int, int | None]:
    """The parts of an image, and the grain: with few images, threads share their
    lines."""
    parts = min(-(-threads // nest.images), max(1, nest.height // LEAST_LINES))
    # The fewest parts with this many lines.
    parts = -(-nest.height // -(-nest.height // parts))
    grain = grain_of(nest.images * parts, 2 * nest.work, threads)
    return (1, None) if grain is None else (parts, 1)


def refuse(
    nest: Bottleneck, schedule: BottleneckSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a bottleneck."""
    for product, line in zip(Lines._fields, nest.planned_lines, strict=True):
        problem = refuse_line(line, getattr(schedule, product), target)
        if problem is not None:
            return f"in '{product}': {problem}"
    if schedule.parts > nest.height:
        return f"'parts' must be at most {nest.height}, the lines of the result"
    if schedule.grain is not None and nest.images * schedule.parts == 1:
        return "'grain' must be none: one image in one part is one chunk of work"
    return None
