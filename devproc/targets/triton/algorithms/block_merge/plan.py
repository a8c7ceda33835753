"""How many elements of a merge a program takes.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from collections.abc import Iterator

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.order import MergeRunsOp
from devproc.dialects.sched import BlockMergeSchedule
from devproc.targets.triton.transforms.to_triton.runs import RunsNest, match_runs
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div, size_problem

SIZE = 256
"""Elements of a program: two for each thread, whose searches hide each other's latency."""


def match(kernel: KernelOps) -> Iterator[RunsNest]:
    """The merge of a kernel that consists of one."""
    return match_runs(kernel, MergeRunsOp)


def plan(nest: RunsNest, family: str, target: TargetAttr) -> Decision:
    """A block of the elements of all rows for each program."""
    schedule = BlockMergeSchedule(size=SIZE, warps=4)
    why = (
        f"{nest.rows} rows of {nest.size} elements in runs of {nest.op.run.value.data}"
        f" become {nest.runs}, {SIZE} elements for each program"
    )
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: RunsNest, schedule: BlockMergeSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a merge."""
    grid = (ceil_div(nest.rows * nest.size, schedule.size),)
    return size_problem(schedule.size, grid=grid)
