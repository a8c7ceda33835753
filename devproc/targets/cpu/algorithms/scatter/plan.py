"""Plans a scatter: vectors of elements that replace others, and threads."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import TypeAlias

from devproc.algorithms.base import Choice, Decision
from devproc.algorithms.single_op import SingleOp, match_each, sharing_problem
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.dialects.sched import ScatterSchedule
from devproc.ir.program.structured import shape_of
from devproc.ir.types import is_bool
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of, lanes_of
from devproc.targets.cpu.transforms.loops.vector_types import memref_of

UPDATE_WORK = 8
"""The cost of one update in scalar operations."""

ScatterNest: TypeAlias = SingleOp[ScatterOp]

match = match_each(ScatterOp, SingleOp[ScatterOp])


def plan(nest: ScatterNest, family: str, target: TargetAttr) -> Decision:
    """The schedule: the dimensions before the axis are spread over threads."""
    outer, updates = prod(outer_sizes(nest.op)), prod(nest.op.loop_sizes)
    grain = grain_of(outer, updates * UPDATE_WORK, target.threads.data)
    lanes = gcd(row_elements(nest.op), most_lanes(nest.op, target))
    why = f"{updates} updates, {outer} times those that may meet"
    if lanes > 1:
        why += f"; vectors of {lanes}"
    return Choice(ScatterSchedule(grain=grain, lanes=lanes), why)


def refuse(
    nest: ScatterNest, schedule: ScatterSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a scatter."""
    elements, most = row_elements(nest.op), most_lanes(nest.op, target)
    if gcd(elements, most) % schedule.lanes:
        return (
            f"'lanes' must divide {elements}, the adjacent elements that replace others, "
            f"and the {most} of a register"
        )
    return sharing_problem(outer_sizes(nest.op), schedule.grain)


def row_elements(op: ScatterOp) -> int:
    """The adjacent updates at one index, which replace adjacent elements of the target; 1
    where there is just one, or where elements are combined."""
    size, block = op.loop_sizes[-1], op.body.block
    last = block.last_op
    assert last is not None
    is_row = (
        op.axis.value.data < len(op.loop_sizes) - 1
        and shape_of(op.index)[-1] == 1
        and shape_of(op.updates)[-1] == size
    )
    replaces = last.operands[0] is block.args[0]
    is_stored_whole = not is_bool(memref_of(op.target).element_type)
    return size if is_row and replaces and is_stored_whole else 1


def most_lanes(op: ScatterOp, target: TargetAttr) -> int:
    """The elements of a register."""
    element = memref_of(op.target).element_type
    return lanes_of(element, machine_of(target).vector_bits.data)


def outer_sizes(op: ScatterOp) -> Sequence[int]:
    """The sizes of the dimensions before the axis."""
    return op.loop_sizes[: op.axis.value.data]
