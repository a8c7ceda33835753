"""The first few elements of a sorted row, by insertion; rows over threads."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from devproc.dialects.linalg_ext.order import SortOp
from devproc.dialects.sched import SortSchedule
from devproc.targets.cpu.algorithms.sort.order_loops import OrderLoops
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.sparse_visits import visit_sparse
from devproc.targets.cpu.transforms.loops.vector_types import memref_of


class Insertion(OrderLoops[SortOp]):
    """A sorted list of the first elements so far.

    An element that precedes the last of the list replaces it and moves up. Among equal
    elements the later one stays after the earlier one, so the order is stable.
    """

    def __init__(
        self, op: SortOp, schedule: SortSchedule, emitter: Emitter, vector_bits: int
    ):
        super().__init__(op, schedule, emitter, vector_bits)
        self.places = op.places
        self.count = memref_of(self.places).get_shape()[-1]

    def _row(self, row: list[SSAValue]) -> None:
        """One row: its first elements initialise the list, the others may be
        inserted."""
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
        block = (self.lanes, self.vectors)
        visit_sparse(emitter, source, others, block, passes, [], compete)

    def _insert(
        self, row: list[SSAValue], key: SSAValue, index: SSAValue, top: SSAValue
    ) -> None:
        """Shift the elements after the new one, from `top` on, towards the end."""
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
            # From the new element's position on, previous entries move by one.
            pairs = ((key, other), (place, its_place))
            return [select(emitter, before, mine, theirs) for mine, theirs in pairs]

        zero = emitter.index(0)
        key, place = emitter.loop(zero, top, 1, [key, place], step)
        emitter.store(key, self.keys, [zero])
        emitter.store(place, self.places, [*row, zero])
