"""How many rows of a sort fit the registers of a program.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import i32
from xdsl.ir.affine import AffineMap

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.order import SortOp
from devproc.dialects.sched import BlockSortSchedule
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)

LONGEST_ROW = 4096
"""Elements of a row for which the network compiles in seconds, and fits registers."""


@dataclass(frozen=True)
class SortNest(BlockNest):
    """A single sort."""

    op: SortOp

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The number of rows, of elements in each, and of places that are wanted."""
        *rows, size = memref_of(self.op.operand).get_shape()
        return prod(rows), size, memref_of(self.op.places).get_shape()[-1]


def match(kernel: KernelOps) -> Iterator[SortNest]:
    """The sort of a kernel that consists of one."""
    if len(kernel.ops) != 1 or not isinstance(op := kernel.ops[0], SortOp):
        return
    shape = memref_of(op.operand).get_shape()
    maps = (AffineMap.identity(len(shape)),) * 2
    last = len(shape) - 1
    sort = Generic(op, (op.operand,), (op.places,), maps, shape, (last,))
    if sort.has_results and memref_of(op.places).get_shape()[-1]:
        yield SortNest((sort,), op)


def plan(nest: SortNest, family: str, target: TargetAttr) -> Decision:
    """A row for each program, or several short ones."""
    rows, size, wanted = nest.sizes
    width = power_of_two(size)
    height = min(power_of_two(rows), max(512 // width, 1))
    warps = 4 if width <= 1024 else 8
    schedule = BlockSortSchedule(rows=height, width=width, warps=warps)
    why = f"{rows} rows of {size} elements, the first {wanted} in order"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: SortNest, schedule: BlockSortSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a sort."""
    rows, size, _ = nest.sizes
    if memref_of(nest.op.operand).element_type != i32:
        return "keys of 64 bits leave no room for an index"
    if schedule.width < size:
        return f"'width' must be at least the {size} elements of a row"
    if schedule.width > LONGEST_ROW:
        return f"a row of {size} elements does not fit one program"
    grid = (ceil_div(rows, schedule.rows),)
    return size_problem(schedule.rows, schedule.width, grid=grid)
