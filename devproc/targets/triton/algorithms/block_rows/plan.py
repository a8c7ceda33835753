"""How many rows a program computes, and in blocks of how many columns.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from devproc.algorithms.base import Decision, Refusal, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockRowsSchedule
from devproc.targets.triton.algorithms.block_rows.chain import Chain, chain_of
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)

LONGEST_ROW = 1 << 16
"""Bytes of a row, in its widest type, that fit the registers of a program."""

LONGEST_SINGLE = 1 << 12
"""Elements of a row in registers, where the row is read in a single pass anyway."""

FULL_BLOCK = 1 << 13
"""Elements of a step of a row that all threads of a program read at a time."""


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """Some rows for each program: for reductions, and products that `tl.dot`
    refuses."""
    if family not in ("reduction", "contraction", "vector_product"):
        return Refusal(f"a kernel of family '{family}' has no rows that are reduced")
    chain = chain_of(nest)
    if isinstance(chain, Refusal):
        return chain
    if not chain.is_contiguous:
        return Refusal("columns, not rows, are contiguous")
    schedule = schedule_of(chain, arch_of(target).processors)
    rows, columns = chain.sizes
    why = f"{rows} rows of {columns} elements, {schedule.rows} for each program"
    if schedule.width < columns:
        why += f", in steps of {schedule.width}"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def schedule_of(chain: Chain, processors: int) -> BlockRowsSchedule:
    """The block of one program."""
    rows, columns = chain.sizes
    longest = LONGEST_ROW // chain.item_size if chain.passes() > 1 else LONGEST_SINGLE
    if columns > longest:
        # The fewer programs there are, the more threads each needs.
        if rows >= 4 * processors:
            return BlockRowsSchedule(rows=1, width=LONGEST_SINGLE, warps=8)
        warps = 16 if rows >= processors else 32
        return BlockRowsSchedule(rows=1, width=FULL_BLOCK, warps=warps)
    width = power_of_two(columns)
    # Short rows share a program once there are enough programs for all processors, very
    # short ones always.
    height = min(1024 // width, floor_power(rows // (4 * processors)))
    height = min(max(height, 128 // width, 1), power_of_two(rows))
    return BlockRowsSchedule(rows=height, width=width, warps=warps_of(height * width))


def warps_of(elements: int) -> int:
    """Warps for a block: one, which needs no barrier, up to 32 elements for each thread;
    16 elements of a larger block, at most 32 warps."""
    return 1 if elements <= 1024 else min(max(elements // 512, 4), 32)


def floor_power(size: int) -> int:
    """The largest power of two <= `size`; 1 for 0."""
    return 1 << max(size.bit_length() - 1, 0)


def refuse(
    nest: BlockNest, schedule: BlockRowsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    chain = chain_of(nest)
    if isinstance(chain, Refusal):
        return chain.why
    problem = loop_problem(chain, schedule.width)
    if problem is not None:
        return problem
    grid = (ceil_div(chain.sizes[0], schedule.rows),)
    return size_problem(schedule.rows, schedule.width, grid=grid)


def loop_problem(chain: Chain, width: int) -> str | None:
    """Why a row cannot be read in several blocks; None if it fits one, or can."""
    if width < chain.sizes[1] and chain.passes() > 1 and chain.overwrites:
        return "a row that is overwritten must fit a block: it is read several times"
    return None
