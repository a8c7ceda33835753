"""Blocks of the pairs of elements that a program compares.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from devproc.algorithms.base import Decision, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockRankSchedule
from devproc.targets.triton.algorithms.block_sort.plan import longest_run, match
from devproc.targets.triton.transforms.to_triton.runs import RunsNest
from devproc.targets.triton.transforms.to_triton.sizes import power_of_two, size_problem

__all__ = ["match", "plan", "refuse"]

PAIRS = 4096
"""Pairs that a program compares at a time: 32 for each thread of four warps."""

LONGEST_RUN = 1024
"""Elements of a run from which on comparing all pairs does not pay."""


def plan(nest: RunsNest, family: str, target: TargetAttr) -> Decision:
    """A run for each program."""
    size = longest_run(nest)
    width = power_of_two(size)
    schedule = BlockRankSchedule(width=width, step=max(PAIRS // width, 1), warps=4)
    why = f"{nest.rows} x {nest.runs} runs of {size} elements, compared in pairs"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: RunsNest, schedule: BlockRankSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a sort."""
    size = longest_run(nest)
    if schedule.width < size:
        return f"'width' must be at least the {size} elements of a run"
    if schedule.width > LONGEST_RUN:
        return f"a run of {size} elements has too many pairs"
    return size_problem(schedule.width, schedule.step, grid=(nest.rows * nest.runs,))
