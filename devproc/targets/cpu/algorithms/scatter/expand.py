"""The loops of a scatter, which apply one update after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.dialects.sched import ScatterSchedule
from devproc.targets.cpu.algorithms.scatter.plan import ScatterNest
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import INDEX, memref_of
from devproc.targets.cpu.transforms.nests.scalar_body import inline_region


def expand(
    nest: ScatterNest, schedule: ScatterSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops; none where there are no updates."""
    if 0 not in nest.op.loop_sizes:
        ScatterLoops(nest.op, schedule, emitter).emit()


@dataclass
class ScatterLoops:
    """A loop for each dimension; those before the axis, where updates do not conflict,
    are spread over threads.
    """

    op: ScatterOp
    schedule: ScatterSchedule
    emitter: Emitter

    def __post_init__(self) -> None:
        self.sizes = self.op.loop_sizes
        self.axis = self.op.axis.value.data

    def emit(self) -> None:
        """Emit the nest."""
        emitter, grain = self.emitter, self.schedule.grain
        if grain is None:
            self._loops([])
        else:
            emitter.parallel(self.sizes[: self.axis], grain, self._loops)

    def _loops(self, point: list[SSAValue]) -> None:
        """The loops from here to the last one that indexes the index, then the others
        if the index is in range."""
        index_shape = memref_of(self.op.index).get_shape()
        d = len(point)
        if d > self.axis and all(size == 1 for size in index_shape[d:]):
            self._update(point)
            return
        self.emitter.loop_to(self.sizes[d], lambda i: self._loops([*point, i]))

    def _update(self, point: list[SSAValue]) -> None:
        emitter = self.emitter
        rest = [emitter.index(0)] * (len(self.sizes) - len(point))
        index = emitter.load(self.op.index, self._held(self.op.index, [*point, *rest]))
        place = emitter.value(arith.IndexCastOp, (index,), INDEX)
        bound = memref_of(self.op.target).get_shape()[self.axis]
        # Unsigned comparison: a negative index is out of range, too.
        emitter.branch_below(
            place, bound, lambda: self._inner(point, place), lambda: None
        )

    def _inner(self, point: list[SSAValue], place: SSAValue) -> None:
        """The loops over the dimensions that the index lacks."""
        d, lanes = len(point), self.schedule.lanes
        if d == len(self.sizes):
            self._element(point, place)
        elif d == len(self.sizes) - 1 and lanes > 1:
            self.emitter.loop_to(
                self.sizes[d] // lanes, lambda i: self._vector(point, i, place)
            )
        else:
            self.emitter.loop_to(
                self.sizes[d], lambda i: self._inner([*point, i], place)
            )

    def _vector(self, point: list[SSAValue], number: SSAValue, place: SSAValue) -> None:
        """Replace a vector of a row of the target."""
        emitter, op, lanes = self.emitter, self.op, self.schedule.lanes
        start = emitter.mul(number, emitter.index(lanes))
        there = [place if d == self.axis else i for d, i in enumerate(point)]
        here = self._held(op.updates, [*point, start])
        new = emitter.load_vector(op.updates, here, lanes)
        emitter.store_vector(new, op.target, [*there, start])

    def _element(self, point: list[SSAValue], place: SSAValue) -> None:
        emitter, op = self.emitter, self.op
        there = [place if d == self.axis else i for d, i in enumerate(point)]
        new = emitter.load(op.updates, self._held(op.updates, point))
        old = emitter.load(op.target, there)
        (value,) = inline_region(emitter, op.body.block, [new, old])
        emitter.store(value, op.target, there)

    def _held(self, value: SSAValue, point: Sequence[SSAValue]) -> list[SSAValue]:
        """The point with 0 for the dimensions along which the operand is broadcast."""
        zero = self.emitter.index(0)
        sizes = memref_of(value).get_shape()
        return [zero if n == 1 else i for n, i in zip(sizes, point, strict=True)]
