"""The first few elements of a sorted row, by insertion; rows over threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from devproc.dialects.linalg_sequential import SortOp
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import grain_of
from devproc.transforms.cpu.lanewise import select
from devproc.transforms.cpu.scalar_body import inline_region
from devproc.transforms.cpu.vector_types import memref_of

STEP_WORK = 8
"""Scalar operations that one element costs, which seldom is among the first."""


@dataclass
class Insertion:
    """A sorted list of the first elements so far.

    An element that comes before the list's last takes its place and moves up. Of equal
    elements the later one stays behind, so they keep their order.
    """

    op: SortOp
    emitter: Emitter
    threads: int

    def __post_init__(self) -> None:
        *self.rows, self.size = memref_of(self.op.operand).get_shape()
        self.values, self.places = self.op.outputs
        self.count = memref_of(self.values).get_shape()[-1]

    def lower(self) -> None:
        """Emit the loops over the rows."""
        if not self.count or not prod(self.rows):
            return
        work = prod(self.rows) * self.size * STEP_WORK
        grain = grain_of(prod(self.rows), work, self.threads)
        self.emitter.for_each(self.rows, grain, self._row)

    def _row(self, row: list[SSAValue]) -> None:
        """One row: its first elements make the list, the others have to get in."""
        emitter, last = self.emitter, self.emitter.index(self.count - 1)

        def enter(i: SSAValue) -> None:
            self._insert(row, emitter.load(self.op.operand, [*row, i]), i, i)

        def compete(i: SSAValue) -> None:
            key = emitter.load(self.op.operand, [*row, i])
            least = emitter.load(self.values, [*row, last])
            before = self._before(key, least)
            emitter.when(before, lambda: self._insert(row, key, i, last))

        emitter.loop_range(0, self.count, enter)
        emitter.loop_range(self.count, self.size, compete)

    def _before(self, a: SSAValue, b: SSAValue) -> SSAValue:
        (before,) = inline_region(self.emitter, self.op.body.block, [a, b])
        return before

    def _insert(
        self, row: list[SSAValue], key: SSAValue, index: SSAValue, top: SSAValue
    ) -> None:
        """Shift what comes after the new element, from `top` on, one to the end."""
        emitter = self.emitter
        place = emitter.value(arith.IndexCastOp, (index,), i64)

        def step(j: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            key, place = carried
            there = emitter.value(arith.SubiOp, (top, j))
            above = emitter.offset(there, -1)
            other = emitter.load(self.values, [*row, above])
            its_place = emitter.load(self.places, [*row, above])
            before = self._before(key, other)
            pairs = ((self.values, key, other), (self.places, place, its_place))
            for target, mine, theirs in pairs:
                value = select(emitter, before, theirs, mine)
                emitter.store(value, target, [*row, there])
            # Behind the new element's place, what was there is carried on, and stored.
            return [select(emitter, before, mine, theirs) for _, mine, theirs in pairs]

        zero = emitter.index(0)
        key, place = emitter.loop(zero, top, 1, [key, place], step)
        emitter.store(key, self.values, [*row, zero])
        emitter.store(place, self.places, [*row, zero])
