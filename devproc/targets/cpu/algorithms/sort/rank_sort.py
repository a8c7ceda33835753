"""The order of short rows by comparison counting; rows over threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from devproc.dialects.linalg_ext.order import SortOp
from devproc.dialects.sched import SortSchedule
from devproc.targets.cpu.algorithms.sort.order_loops import OrderLoops
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.vector_types import INDEX, vector_type


class RankSort(OrderLoops[SortOp]):
    """Comparison counting: an element's rank is the number of its predecessors.

    A block of the row, a few vectors, is compared with one element after the other.
    Among equal elements those on the left precede: before the block all but the larger
    ones are counted, after it the smaller ones, and within it positions break ties.
    """

    def __init__(
        self, op: SortOp, schedule: SortSchedule, emitter: Emitter, vector_bits: int
    ):
        super().__init__(op, schedule, emitter, vector_bits)
        self.block = self.vectors * self.lanes

    def _row(self, row: list[SSAValue]) -> None:
        """One row: a copy padded to whole blocks, the ranks, then the positions."""
        emitter = self.emitter
        padded = -(-self.size // self.block) * self.block
        self.keys, self.ranks = (
            emitter.stack(padded, element=self.element) for _ in range(2)
        )

        def copy(i: SSAValue) -> None:
            emitter.store(emitter.load(self.op.operand, [*row, i]), self.keys, [i])

        def place(i: SSAValue) -> None:
            rank = emitter.load(self.ranks, [i])
            rank = emitter.value(arith.IndexCastOp, (rank,), INDEX)
            number = emitter.value(arith.IndexCastOp, (i,), i64)
            emitter.store(number, self.op.places, [*row, rank])

        emitter.loop_to(self.size, copy)
        zero, end = emitter.index(0), emitter.index(padded)
        emitter.loop_between(zero, end, self._rank_block, self.block)
        emitter.loop_to(self.size, place)

    def _rank_block(self, start: SSAValue) -> None:
        """The ranks of the elements from `start` on."""
        emitter, lanes, count = self.emitter, self.lanes, range(self.vectors)
        size, type_ = emitter.index(self.size), vector_type(self.element, lanes)
        end = emitter.minimum(emitter.offset(start, self.block), size)
        places = [emitter.offset(start, v * lanes) for v in count]
        mine = [emitter.load_vector(self.keys, [place], lanes) for place in places]

        def larger(_: SSAValue, x: SSAValue) -> list[SSAValue]:
            return [compare(emitter, "sgt", x, vector) for vector in mine]

        def smaller(_: SSAValue, x: SSAValue) -> list[SSAValue]:
            return [compare(emitter, "slt", x, vector) for vector in mine]

        def before(i: SSAValue, x: SSAValue) -> list[SSAValue]:
            number = self._in_lanes(emitter.sub(i, start))
            result: list[SSAValue] = []
            for v, (vector, less) in enumerate(zip(mine, smaller(i, x), strict=True)):
                own = emitter.lanes(range(v * lanes, (v + 1) * lanes), type_)
                earlier = compare(emitter, "slt", number, own)
                tie = compare(emitter, "eq", x, vector)
                tie = emitter.value(arith.AndIOp, (earlier, tie))
                result.append(emitter.value(arith.OrIOp, (less, tie)))
            return result

        totals: Sequence[SSAValue] = [self._in_lanes(start)] * self.vectors
        totals = self._count(emitter.index(0), start, totals, arith.SubiOp, larger)
        totals = self._count(start, end, totals, arith.AddiOp, before)
        totals = self._count(end, size, totals, arith.AddiOp, smaller)
        for place, total in zip(places, totals, strict=True):
            emitter.store_vector(total, self.ranks, [place])

    def _count(
        self,
        lower: SSAValue,
        upper: SSAValue,
        totals: Sequence[SSAValue],
        op: type[Operation],
        test: Callable[[SSAValue, SSAValue], list[SSAValue]],
    ) -> Sequence[SSAValue]:
        """Add (or subtract) 1 in the lanes for which the comparison with each holds."""
        emitter = self.emitter
        one, zero = (emitter.number(n, totals[0].type) for n in (1, 0))

        def step(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            x = emitter.broadcast(emitter.load(self.keys, [i]), self.lanes)
            flags = [select(emitter, mask, one, zero) for mask in test(i, x)]
            pairs = zip(carried, flags, strict=True)
            return [emitter.value(op, pair) for pair in pairs]

        return emitter.loop(lower, upper, 1, totals, step)

    def _in_lanes(self, index: SSAValue) -> SSAValue:
        """An index as an integer of the elements' width, broadcast to all lanes."""
        number = self.emitter.value(arith.IndexCastOp, (index,), self.element)
        return self.emitter.broadcast(number, self.lanes)
