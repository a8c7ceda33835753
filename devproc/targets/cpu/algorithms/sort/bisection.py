"""The k-th smallest element by bisection; rows over threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation, SSAValue

from devproc.dialects.linalg_ext.order import KthValueOp
from devproc.dialects.sched import SortSchedule
from devproc.targets.cpu.algorithms.sort.order_loops import OrderLoops
from devproc.targets.cpu.transforms.loops.combiners import Combiner
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.sparse_visits import BLOCK, visit_sparse
from devproc.targets.cpu.transforms.loops.vector_types import (
    INDEX,
    is_vector,
    memref_of,
    vector_type,
)


@dataclass(frozen=True)
class Elements:
    """A prefix of the last dimension of a memref."""

    memory: SSAValue
    row: list[SSAValue]
    length: SSAValue


class Bisection(OrderLoops[KthValueOp]):
    """A binary search for the least value that enough elements do not exceed.

    It is between the smallest and the largest element. Each step counts the elements up
    to the middle and halves the range: as many steps as the range has bits, and nothing
    is moved. With a buffer, the elements between the bounds are copied once they are
    few, and the search continues on the copy.
    """

    def __init__(
        self, op: KthValueOp, schedule: SortSchedule, emitter: Emitter, vector_bits: int
    ):
        super().__init__(op, schedule, emitter, vector_bits)
        self.ranks = memref_of(op.ranks).get_shape()[-1]

    def _row(self, row: list[SSAValue]) -> None:
        """One row: its bounds, then each rank."""
        emitter = self.emitter
        size = emitter.index(self.size)
        whole = Elements(self.op.operand, row, size)
        least = self._combined(whole, arith.MinSIOp, lambda x: x)
        most = self._combined(whole, arith.MaxSIOp, lambda x: x)

        def find(number: SSAValue) -> None:
            rank = emitter.load(self.op.ranks, [*row, number])
            rank = emitter.value(arith.MaxSIOp, (rank, emitter.number(0, i64)))
            last = emitter.number(self.size - 1, i64)
            rank = emitter.value(arith.MinSIOp, (rank, last))
            rank = emitter.value(arith.IndexCastOp, (rank,), INDEX)
            state: Sequence[SSAValue] = [least, most, emitter.index(0), size]
            if self.op.room is None:
                state = self._search(whole, rank, state, 0)
            else:
                most_left = memref_of(self.op.room).get_shape()[-1] - 1
                state = self._search(whole, rank, state, most_left)
                few = self._between(whole, self.op.room, state[0], state[1])
                state = self._search(few, rank, state, 0)
            value, _, smaller, _ = state
            place = self._place(whole, value, emitter.sub(rank, smaller))
            place = emitter.value(arith.IndexCastOp, (place,), i64)
            emitter.store(place, self.op.places, [*row, number])

        emitter.loop_to(self.ranks, find)

    def _search(
        self, elements: Elements, rank: SSAValue, state: Sequence[SSAValue], few: int
    ) -> Sequence[SSAValue]:
        """Narrow the bounds until they meet, or at most `few` elements remain.

        The state: the lowest and the highest value that the element of this rank may
        have, how many elements of the row are less than the lowest, and how many do not
        exceed the highest. Some of the former may be missing in `elements`.
        """
        emitter, one = self.emitter, self.emitter.number(1, self.element)
        outside = state[2]

        def test(carried: Sequence[SSAValue]) -> tuple[SSAValue, Sequence[SSAValue]]:
            low, high, smaller, reached = carried
            left = emitter.sub(reached, smaller)
            many = compare(emitter, "sgt", left, emitter.index(few))
            apart = compare(emitter, "slt", low, high)
            return emitter.value(arith.AndIOp, (many, apart)), carried

        def halve(passed: Sequence[SSAValue]) -> Sequence[SSAValue]:
            low, high, smaller, reached = passed
            # Unsigned: the distance may exceed the range of signed integers.
            way = emitter.value(arith.SubiOp, (high, low))
            way = emitter.value(arith.ShRUIOp, (way, one))
            middle = emitter.value(arith.AddiOp, (low, way))
            above = emitter.value(arith.AddiOp, (middle, one))
            count = emitter.add(outside, self._count_up_to(elements, middle))
            enough = compare(emitter, "sgt", count, rank)
            return [
                select(emitter, enough, low, above),
                select(emitter, enough, middle, high),
                select(emitter, enough, smaller, count),
                select(emitter, enough, count, reached),
            ]

        return emitter.loop_while(state, test, halve)

    def _between(
        self, whole: Elements, room: SSAValue, low: SSAValue, high: SSAValue
    ) -> Elements:
        """Copy the elements from `low` to `high` to the buffer; none if these are
        equal."""
        emitter, zero, one = self.emitter, self.emitter.index(0), self.emitter.index(1)
        apart = select(emitter, compare(emitter, "slt", low, high), one, zero)

        def inside(x: SSAValue) -> SSAValue:
            bounds = (low, high)
            if is_vector(x):
                bounds = (emitter.broadcast(v, self.lanes) for v in bounds)
            least, most = bounds
            tests = (
                compare(emitter, "sge", x, least),
                compare(emitter, "sle", x, most),
            )
            return emitter.value(arith.AndIOp, tests)

        def collect(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            (count,) = carried
            x = emitter.load(whole.memory, [*whole.row, i])
            # Written unconditionally; only kept if it is counted.
            emitter.store(x, room, [*whole.row, count])
            return [emitter.add(count, select(emitter, inside(x), apart, zero))]

        source = (whole.memory, whole.row)
        (count,) = visit_sparse(
            emitter,
            source,
            range(self.size),
            (self.lanes, BLOCK),
            inside,
            [zero],
            collect,
        )
        return Elements(room, whole.row, count)

    def _count_up_to(self, elements: Elements, bound: SSAValue) -> SSAValue:
        """The number of elements that do not exceed a value."""
        emitter = self.emitter

        def flag(x: SSAValue) -> SSAValue:
            limit = emitter.broadcast(bound, self.lanes) if is_vector(x) else bound
            one, zero = (emitter.number(n, x.type) for n in (1, 0))
            return select(emitter, compare(emitter, "sgt", x, limit), one, zero)

        larger = self._combined(elements, arith.AddiOp, flag)
        larger = emitter.value(arith.IndexCastOp, (larger,), INDEX)
        return emitter.sub(elements.length, larger)

    def _combined(
        self,
        elements: Elements,
        op: type[Operation],
        of: Callable[[SSAValue], SSAValue],
    ) -> SSAValue:
        """Reduce all elements: whole vectors, then the remaining elements."""
        emitter, lanes, combiner = self.emitter, self.lanes, Combiner(op, {})
        identity = combiner.identity(self.element)
        start = emitter.number(identity, vector_type(self.element, lanes))

        def step(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            places = [emitter.offset(i, v * lanes) for v in range(len(carried))]
            loads = [
                emitter.load_vector(elements.memory, [*elements.row, at], lanes)
                for at in places
            ]
            pairs = zip(carried, map(of, loads), strict=True)
            return [combiner.combine(emitter, total, x) for total, x in pairs]

        def single(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            x = emitter.load(elements.memory, [*elements.row, i])
            return [combiner.combine(emitter, carried[0], of(x))]

        def whole(step: int) -> SSAValue:
            return emitter.mul(emitter.div(elements.length, step), emitter.index(step))

        block = self.vectors * lanes
        first, second = whole(block), whole(lanes)
        totals = emitter.loop(
            emitter.index(0), first, block, [start] * self.vectors, step
        )
        total = reduce(lambda a, b: combiner.combine(emitter, a, b), totals)
        (total,) = emitter.loop(first, second, lanes, [total], step)
        total = combiner.across_lanes(emitter, total)
        (total,) = emitter.loop(second, elements.length, 1, [total], single)
        return total

    def _place(self, whole: Elements, value: SSAValue, skipped: SSAValue) -> SSAValue:
        """The position of the element that this many equal ones precede."""
        emitter = self.emitter
        zero, one = emitter.index(0), emitter.index(1)

        def test(carried: Sequence[SSAValue]) -> tuple[SSAValue, Sequence[SSAValue]]:
            place, left = carried
            x = emitter.load(whole.memory, [*whole.row, place])
            equal = compare(emitter, "eq", x, value)
            found = compare(emitter, "eq", left, zero)
            found = emitter.value(arith.AndIOp, (equal, found))
            missing = emitter.value(arith.XOrIOp, (found, emitter.number(1, i1)))
            left = emitter.sub(left, select(emitter, equal, one, zero))
            return missing, [place, left]

        def move(passed: Sequence[SSAValue]) -> Sequence[SSAValue]:
            place, left = passed
            return [emitter.offset(place, 1), left]

        place, _ = emitter.loop_while([zero, skipped], test, move)
        return place
