"""Which scatters write only the elements that have updates.

The size is a rule of thumb from published Triton tuning, not a measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineMap

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.dialects.sched import BlockUpdateSchedule
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)

COLUMNS = 512
"""Most elements of a program: four for each thread."""


@dataclass(frozen=True)
class UpdateNest(BlockNest):
    """A single scatter."""

    op: ScatterOp

    @property
    def axis(self) -> int:
        """The axis that the indices are of."""
        return self.op.axis.value.data

    @property
    def place_dims(self) -> tuple[int, ...]:
        """The loops that the index depends on, the axis among them."""
        shape = memref_of(self.op.index).get_shape()
        return tuple(d for d, size in enumerate(shape) if size > 1 or d == self.axis)

    @property
    def column_dims(self) -> tuple[int, ...]:
        """The other loops: their elements share an index."""
        places = self.place_dims
        return tuple(d for d in range(len(self.anchor.extents)) if d not in places)

    @property
    def sizes(self) -> tuple[int, int]:
        """The indices, and the elements at each of them."""
        places, columns = (
            prod(self.anchor.extents[d] for d in dims)
            for dims in (self.place_dims, self.column_dims)
        )
        return places, columns

    @property
    def count(self) -> int:
        """The updates along the axis."""
        return self.anchor.extents[self.axis]


def match(kernel: KernelOps) -> Iterator[UpdateNest]:
    """Each scatter; what copies the old elements is a nest before it."""
    for op in kernel.ops:
        if isinstance(op, ScatterOp):
            map_ = AffineMap.identity(len(op.loop_sizes))
            scatter = Generic(op, (), (op.target,), (map_,), op.loop_sizes, ())
            yield UpdateNest((scatter,), op)


def plan(nest: UpdateNest, family: str, target: TargetAttr) -> Decision:
    """A block of elements at one index for each program."""
    places, columns = nest.sizes
    schedule = BlockUpdateSchedule(columns=min(power_of_two(columns), COLUMNS), warps=4)
    why = f"{places} indices, with {columns} elements each"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: UpdateNest, schedule: BlockUpdateSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a scatter."""
    places, columns = nest.sizes
    grid = places * ceil_div(columns, schedule.columns)
    return size_problem(max(schedule.columns, power_of_two(nest.count)), grid=(grid,))
