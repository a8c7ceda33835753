"""Whether whole rows fit into the registers of a program, and how many.

The sizes are rules of thumb from published Triton tuning, not measurements. Under
Triton's interpreter a program computes as many rows as possible: its cost is per
operation rather than per element.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.linalg.ops import FillOp

from devproc.algorithms.base import Choice, Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockRowsSchedule
from devproc.targets.triton.algorithms.block_rows.argmax import match_arg_extreme
from devproc.targets.triton.algorithms.block_rows.combiners import combiners
from devproc.targets.triton.dialect.options import is_interpreted
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    LARGEST_BLOCK,
    ceil_div,
    power_of_two,
    size_problem,
)
from devproc.targets.triton.transforms.to_triton.walk import Step, walk

LONGEST_ROW = 1 << 14
"""Elements of a row that fit the registers of a program."""

LARGEST_INTERPRETED = 1 << 17
"""Elements of a block for which NumPy's temporaries stay in cache."""


@dataclass(frozen=True)
class RowSteps:
    """The rows that all ops of a nest share, and the position of each op in them."""

    anchor: Generic
    steps: list[Step]

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of rows, and of columns in each."""
        extents = self.anchor.extents
        rows, columns = (
            prod(extents[d] for d in dims)
            for dims in (self.anchor.parallels, self.anchor.reductions)
        )
        return rows, columns


def rows_of(nest: BlockNest) -> RowSteps | Refusal:
    """The rows of a nest, or why its ops do not share any."""
    anchor = nest.anchor
    if not anchor.reductions:
        return Refusal("no op reduces")
    if not prod(anchor.extents[d] for d in anchor.reductions):
        return Refusal("rows have no elements")
    for generic in nest.generics:
        if not generic.reductions:
            continue
        found = combiners(generic)
        if isinstance(found, Refusal) and match_arg_extreme(generic) is None:
            return found
        if generic.reductions != anchor.reductions or generic.extents != anchor.extents:
            return Refusal("two reductions walk different dimensions")
    steps = walk(
        nest,
        anchor,
        range(len(anchor.extents)),
        defers=lambda number: isinstance(nest.generics[number].op, FillOp),
        is_parallel_to_anchor=lambda generic: generic.extents == anchor.extents,
    )
    return steps if isinstance(steps, Refusal) else RowSteps(anchor, steps)


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """Some rows for each program: for reductions, and products that `tl.dot`
    refuses."""
    if family not in ("reduction", "contraction"):
        return Refusal(f"a kernel of family '{family}' has no rows that are reduced")
    found = rows_of(nest)
    if isinstance(found, Refusal):
        return found
    rows, columns = found.sizes
    longest = LARGEST_BLOCK if is_interpreted(target) else LONGEST_ROW
    if columns > longest:
        return Refusal(f"a row of {columns} elements does not fit one program")
    width = power_of_two(columns)
    if is_interpreted(target):
        height, warps = max(LARGEST_INTERPRETED // width, 1), 4
    else:
        height = max(1024 // width, 1)
        warps = 4 if width <= 2048 else 8 if width <= 8192 else 16
    height = min(height, power_of_two(rows))
    schedule = BlockRowsSchedule(rows=height, width=width, warps=warps)
    problem = refuse(nest, schedule, target)
    if problem is not None:
        return Refusal(problem)
    why = f"{rows} rows of {columns} elements, {height} for each program"
    return Choice(schedule, why)


def refuse(
    nest: BlockNest, schedule: BlockRowsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    found = rows_of(nest)
    if isinstance(found, Refusal):
        return found.why
    rows, columns = found.sizes
    if schedule.width < columns:
        return f"'width' must be at least the {columns} elements of a row"
    grid = (ceil_div(rows, schedule.rows),)
    return size_problem(schedule.rows, schedule.width, grid=grid)
