"""Blocks of the result of a scatter.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineMap

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.sequential import ScatterSortedOp
from devproc.dialects.sched import BlockScatterSchedule
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)

BLOCK = 512
"""Elements of a program: four for each thread."""

ADJACENT = 128
"""The most adjacent elements of a program."""


@dataclass(frozen=True)
class ScatterNest(BlockNest):
    """A single scatter of sorted updates."""

    op: ScatterSortedOp

    @property
    def axis(self) -> int:
        """The axis that the indices are of."""
        return self.op.axis.value.data

    @property
    def place_dims(self) -> tuple[int, ...]:
        """The dimensions on which it depends which updates an element has."""
        rows = [*memref_of(self.op.index).get_shape()[:-1]]
        rows.insert(self.axis, 0)
        return tuple(d for d, size in enumerate(rows) if d == self.axis or size > 1)

    @property
    def column_dims(self) -> tuple[int, ...]:
        """The other dimensions."""
        places = self.place_dims
        return tuple(d for d in range(len(self.anchor.extents)) if d not in places)

    @property
    def sizes(self) -> tuple[int, int]:
        """The places, and the elements at each of them."""
        places, columns = (
            prod(self.anchor.extents[d] for d in dims)
            for dims in (self.place_dims, self.column_dims)
        )
        return places, columns


def match(kernel: KernelOps) -> Iterator[ScatterNest]:
    """The scatter of a kernel that consists of one."""
    if len(kernel.ops) != 1 or not isinstance(op := kernel.ops[0], ScatterSortedOp):
        return
    shape = memref_of(op.target).get_shape()
    maps = (AffineMap.identity(len(shape)),) * 2
    scatter = Generic(op, (op.operand,), (op.target,), maps, shape, ())
    yield ScatterNest((scatter,), op)


def plan(nest: ScatterNest, family: str, target: TargetAttr) -> Decision:
    """Elements that are adjacent in memory first, then others."""
    places, columns = nest.sizes
    if nest.place_dims[-1] == len(nest.anchor.extents) - 1:
        rows = min(power_of_two(places), ADJACENT)
        width = min(power_of_two(columns), BLOCK // rows)
    else:
        width = min(power_of_two(columns), ADJACENT)
        rows = min(power_of_two(places), BLOCK // width)
    schedule = BlockScatterSchedule(places=rows, columns=width, warps=4)
    count = memref_of(nest.op.index).get_shape()[-1]
    why = f"{count} updates of {places} places, with {columns} elements each"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: ScatterNest, schedule: BlockScatterSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a scatter."""
    places, columns = nest.sizes
    grid = ceil_div(places, schedule.places) * ceil_div(columns, schedule.columns)
    return size_problem(schedule.places, schedule.columns, grid=(grid,))
