"""The first few elements of a sorted row, by insertion; rows over threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from devproc.dialects.linalg_order import SortOp
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import grain_of, lanes_of
from devproc.transforms.cpu.loops.lanewise import compare, select
from devproc.transforms.cpu.loops.sparse_visits import visit_sparse
from devproc.transforms.cpu.loops.vector_types import memref_of

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
    vector_bits: int

    def __post_init__(self) -> None:
        type_ = memref_of(self.op.operand)
        *self.rows, self.size = type_.get_shape()
        self.element = type_.element_type
        self.lanes = lanes_of(self.element, self.vector_bits)
        self.places = self.op.places
        self.count = memref_of(self.places).get_shape()[-1]

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
        self.keys = emitter.stack(self.count, element=self.element)

        def enter(i: SSAValue) -> None:
            self._insert(row, emitter.load(self.op.operand, [*row, i]), i, i)

        def passes(x: SSAValue) -> SSAValue:
            largest = emitter.broadcast(emitter.load(self.keys, [last]), self.lanes)
            return compare(emitter, "slt", x, largest)

        def compete(i: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            key = emitter.load(self.op.operand, [*row, i])
            before = compare(emitter, "slt", key, emitter.load(self.keys, [last]))
            emitter.when(before, lambda: self._insert(row, key, i, last))
            return []

        emitter.loop_range(0, self.count, enter)
        source, others = (self.op.operand, row), range(self.count, self.size)
        visit_sparse(emitter, source, others, self.lanes, passes, [], compete)

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
            other = emitter.load(self.keys, [above])
            its_place = emitter.load(self.places, [*row, above])
            before = compare(emitter, "slt", key, other)
            emitter.store(select(emitter, before, other, key), self.keys, [there])
            moved = select(emitter, before, its_place, place)
            emitter.store(moved, self.places, [*row, there])
            # Behind the new element's place, what was there is carried on, and stored.
            pairs = ((key, other), (place, its_place))
            return [select(emitter, before, mine, theirs) for mine, theirs in pairs]

        zero = emitter.index(0)
        key, place = emitter.loop(zero, top, 1, [key, place], step)
        emitter.store(key, self.keys, [zero])
        emitter.store(place, self.places, [*row, zero])
