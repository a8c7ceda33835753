"""Whether the ops of a kernel share one linear index, and how large its blocks are.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from math import prod

from devproc.algorithms.base import Decision, Refusal, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlocksSchedule
from devproc.targets.triton.machine_code import THREADS
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)
from devproc.targets.triton.transforms.to_triton.walk import Step, walk

FAMILIES = (
    "pointwise",
    "reduction",
    "contraction",
    "vector_product",
    "window",
    "gather",
    "scatter",
)
"""The families of kernels whose generics describe completely what is computed. A scatter's
copy its target."""


WARPS = 4
"""Of a program."""

INPUT_REGISTERS = 160
"""Registers of a thread for elements of inputs, which are all loaded before one is used."""


def most_elements(nest: BlockNest) -> int:
    """The elements of a block whose inputs fit the registers of `WARPS` warps."""
    count = max(len(nest.inputs), 1)
    return max(INPUT_REGISTERS // count, 1) * THREADS * WARPS


def elements_of(nest: BlockNest) -> list[Step] | Refusal:
    """The position of each op in the results of the anchor, or why there is none."""
    anchor = nest.anchor
    for generic in nest.generics:
        if not generic.reductions:
            continue
        if generic.extents != anchor.extents:
            return Refusal("two reductions walk different dimensions")
        if generic.parallels != anchor.parallels:
            return Refusal("two reductions reduce different dimensions")
    return walk(
        nest,
        anchor,
        anchor.parallels,
        defers=lambda number: nest.generics[number] is not anchor,
    )


def results_of(anchor: Generic) -> int:
    """The number of elements of a result."""
    return prod(anchor.extents[d] for d in anchor.parallels)


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """Blocks of results, for any kernel that no other algorithm accepts."""
    if family not in FAMILIES:
        return Refusal(
            f"the ops of family '{family}' do not compute elements on their own"
        )
    total = results_of(nest.anchor)
    # Blocks only grow once there are enough programs to fill the machine.
    size = power_of_two(ceil_div(total, 1024))
    size = min(max(size, 128), 1024, power_of_two(total))
    while size > most_elements(nest):
        size //= 2
    schedule = BlocksSchedule(size=size, warps=WARPS)
    why = f"{total} elements, {size} for each program"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(nest: BlockNest, schedule: BlocksSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a nest."""
    steps = elements_of(nest)
    if isinstance(steps, Refusal):
        return steps.why
    grid = (ceil_div(results_of(nest.anchor), schedule.size),)
    return size_problem(schedule.size, grid=grid)
