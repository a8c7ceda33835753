"""How many runs of a sort fit the registers of a program.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import i32

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.order import SortRunsOp
from devproc.dialects.sched import BlockSortSchedule
from devproc.targets.triton.transforms.to_triton.runs import RunsNest, match_runs
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)

LONGEST_RUN = 4096
"""Elements of a run for which the network compiles in seconds, and fits registers."""


def match(kernel: KernelOps) -> Iterator[RunsNest]:
    """The sort of a kernel that consists of one."""
    return match_runs(kernel, SortRunsOp)


def longest_run(nest: RunsNest) -> int:
    """The elements of the longest run: a row may be shorter than a run."""
    return min(nest.run, nest.size)


def plan(nest: RunsNest, family: str, target: TargetAttr) -> Decision:
    """A run for each program, or several short rows."""
    size = longest_run(nest)
    width = power_of_two(size)
    height = min(power_of_two(nest.rows), max(512 // width, 1)) if nest.runs == 1 else 1
    warps = 4 if width <= 1024 else 8
    schedule = BlockSortSchedule(rows=height, width=width, warps=warps)
    what = f"{nest.rows} rows of {size} elements"
    if nest.runs > 1:
        what = f"{nest.rows} x {nest.runs} runs of {size} elements"
    why = f"{what}, the first {min(nest.first, size)} in order"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: RunsNest, schedule: BlockSortSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a sort."""
    size = longest_run(nest)
    if nest.key != i32:
        return "keys of 64 bits leave no room for an index"
    if schedule.width < size:
        return f"'width' must be at least the {size} elements of a run"
    if schedule.width > LONGEST_RUN:
        return f"a run of {size} elements does not fit one program"
    if nest.runs > 1 and schedule.rows > 1:
        return "'rows' must be 1: a row has several runs"
    grid = (ceil_div(nest.rows, schedule.rows) * nest.runs,)
    return size_problem(schedule.rows, schedule.width, grid=grid)
