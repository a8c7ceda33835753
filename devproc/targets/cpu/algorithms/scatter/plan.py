"""Plans how a scatter is spread over threads."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from devproc.algorithms.base import Choice, Decision
from devproc.algorithms.single_op import SingleOp, match_each, sharing_problem
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.dialects.sched import ScatterSchedule
from devproc.targets.cpu.transforms.loops.kernels import grain_of

UPDATE_WORK = 8
"""The cost of one update in scalar operations."""

ScatterNest: TypeAlias = SingleOp[ScatterOp]

match = match_each(ScatterOp, SingleOp[ScatterOp])


def plan(nest: ScatterNest, family: str, target: TargetAttr) -> Decision:
    """The schedule: the dimensions before the axis are spread over threads."""
    outer, updates = prod(outer_sizes(nest.op)), prod(nest.op.loop_sizes)
    grain = grain_of(outer, updates * UPDATE_WORK, target.threads.data)
    why = f"{updates} updates, {outer} times those that may meet"
    return Choice(ScatterSchedule(grain=grain), why)


def refuse(
    nest: ScatterNest, schedule: ScatterSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a scatter."""
    return sharing_problem(outer_sizes(nest.op), schedule.grain)


def outer_sizes(op: ScatterOp) -> Sequence[int]:
    """The sizes of the dimensions before the axis."""
    return op.loop_sizes[: op.axis.value.data]
