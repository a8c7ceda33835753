"""How many columns a program computes, and in blocks of how many rows.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from devproc.algorithms.base import Decision, Refusal, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockColumnsSchedule
from devproc.targets.triton.algorithms.block_rows.chain import Chain, chain_of
from devproc.targets.triton.algorithms.block_rows.plan import loop_problem, warps_of
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)

LINES = 64, 32
"""Columns of a program: two lines of 128 bytes of float32, or one where programs are few."""

LARGEST_BLOCK = 1 << 13
"""Elements of a block that stays in registers between passes."""

STEP = 1 << 11
"""Elements of a block of a loop."""


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """Some columns for each program, if they are contiguous."""
    if family not in ("reduction", "contraction", "vector_product"):
        return Refusal(f"a kernel of family '{family}' has no columns that are reduced")
    chain = chain_of(nest)
    if isinstance(chain, Refusal):
        return chain
    if chain.is_contiguous:
        return Refusal("rows, not columns, are contiguous")
    schedule = schedule_of(chain, arch_of(target).processors)
    columns, rows = chain.sizes
    why = f"{columns} columns of {rows} elements, {schedule.columns} for each program"
    if schedule.height < rows:
        why += f", in steps of {schedule.height}"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def schedule_of(chain: Chain, processors: int) -> BlockColumnsSchedule:
    """The block of one program."""
    columns, rows = chain.sizes
    wide, narrow = LINES
    width = wide if columns >= wide * processors else narrow
    width = min(width, power_of_two(columns))
    height = power_of_two(rows)
    if height * width > (LARGEST_BLOCK if chain.passes() > 1 else STEP):
        height = max(STEP // width, 1)
    elements = height * width
    return BlockColumnsSchedule(columns=width, height=height, warps=warps_of(elements))


def refuse(
    nest: BlockNest, schedule: BlockColumnsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    chain = chain_of(nest)
    if isinstance(chain, Refusal):
        return chain.why
    problem = loop_problem(chain, schedule.height)
    if problem is not None:
        return problem
    grid = (ceil_div(chain.sizes[0], schedule.columns),)
    return size_problem(schedule.columns, schedule.height, grid=grid)
