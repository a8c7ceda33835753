"""The order of long rows by a radix sort; rows over threads."""

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
from devproc.targets.cpu.transforms.loops.vector_types import INDEX

DIGIT, WORD = 8, 32
"""Bits of a digit; bits of a key that share an integer with a position."""


class RadixSort(OrderLoops[SortOp]):
    """A stable counting sort by each digit, from the least to the most significant.

    The sorted items are i64: half of a key in the upper bits, the element's position in
    the lower. Digits are counted first, and a digit that all elements share is skipped.
    A key of 64 bits is sorted by its lower half, then, loaded by position, by its upper
    one.
    """

    def __init__(
        self, op: SortOp, schedule: SortSchedule, emitter: Emitter, vector_bits: int
    ):
        super().__init__(op, schedule, emitter, vector_bits)
        assert op.room is not None
        self.words = 2 if self.element == i64 else 1
        self.digits, self.values = WORD // DIGIT, 1 << DIGIT
        self.room = op.room

    def _row(self, row: list[SSAValue]) -> None:
        """One row; the sorted copy alternates with each digit that is not skipped."""
        emitter = self.emitter
        self.counts = emitter.stack(self.digits, self.values, element=i64)
        copy = emitter.index(0)
        for word in range(self.words):
            self._fill(row, copy, word)
            copy = self._sort(row, copy)

        def result(i: SSAValue) -> None:
            place = self._place(emitter.load(self.room, [*row, copy, i]))
            emitter.store(place, self.op.places, [*row, i])

        emitter.loop_to(self.size, result)

    def _fill(self, row: list[SSAValue], copy: SSAValue, word: int) -> None:
        """Pair half of each key with the element's position, and count the digits."""
        emitter = self.emitter
        digits = [emitter.index(digit) for digit in range(self.digits)]
        zero, one = (emitter.number(n, i64) for n in (0, 1))

        def clear(value: SSAValue) -> None:
            for digit in digits:
                emitter.store(zero, self.counts, [digit, value])

        def fill(i: SSAValue) -> None:
            place = emitter.value(arith.IndexCastOp, (i,), i64)
            if word:
                place = self._place(emitter.load(self.room, [*row, copy, i]))
            pair = self._pair(row, place, word)
            emitter.store(pair, self.room, [*row, copy, i])
            for digit in digits:
                at = [digit, self._digit(pair, digit)]
                count = emitter.load(self.counts, at)
                emitter.store(
                    emitter.value(arith.AddiOp, (count, one)), self.counts, at
                )

        emitter.loop_to(self.values, clear)
        emitter.loop_to(self.size, fill)

    def _pair(self, row: list[SSAValue], place: SSAValue, word: int) -> SSAValue:
        """Half of a key above its position. With the sign bit flipped, unsigned order
        is the order of signed keys."""
        emitter = self.emitter
        index = emitter.value(arith.IndexCastOp, (place,), INDEX)
        key = emitter.load(self.op.operand, [*row, index])
        if self.words == 1:
            key = emitter.value(arith.ExtSIOp, (key,), i64)
        if word == 0:
            key = emitter.value(arith.ShLIOp, (key, emitter.number(WORD, i64)))
        else:
            key = emitter.value(arith.AndIOp, (key, emitter.number(-1 << WORD, i64)))
        if word == self.words - 1:
            key = emitter.value(arith.XOrIOp, (key, emitter.number(-1 << 63, i64)))
        return emitter.value(arith.OrIOp, (key, place))

    def _place(self, pair: SSAValue) -> SSAValue:
        """The position in a pair."""
        low = self.emitter.number((1 << WORD) - 1, i64)
        return self.emitter.value(arith.AndIOp, (pair, low))

    def _digit(self, pair: SSAValue, digit: SSAValue) -> SSAValue:
        """A digit of the key in a pair."""
        emitter = self.emitter
        bits = emitter.offset(emitter.mul(digit, emitter.index(DIGIT)), WORD)
        bits = emitter.value(arith.IndexCastOp, (bits,), i64)
        shifted = emitter.value(arith.ShRUIOp, (pair, bits))
        mask = emitter.number(self.values - 1, i64)
        shifted = emitter.value(arith.AndIOp, (shifted, mask))
        return emitter.value(arith.IndexCastOp, (shifted,), INDEX)

    def _sort(self, row: list[SSAValue], copy: SSAValue) -> SSAValue:
        """Sort the pairs by all digits; returns which copy is sorted."""
        emitter, zero, one = self.emitter, self.emitter.index(0), self.emitter.index(1)
        every = emitter.number(self.size, i64)

        def sort_by(digit: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            (source,) = carried
            target = emitter.sub(one, source)
            first = emitter.load(self.room, [*row, source, zero])
            alike = emitter.load(self.counts, [digit, self._digit(first, digit)])
            differ = compare(emitter, "ne", alike, every)
            emitter.when(differ, lambda: self._move(row, digit, source, target))
            return [select(emitter, differ, target, source)]

        (copy,) = emitter.loop(zero, emitter.index(self.digits), 1, [copy], sort_by)
        return copy

    def _move(
        self, row: list[SSAValue], digit: SSAValue, source: SSAValue, target: SSAValue
    ) -> None:
        """Turn the counts into the first slot of each digit value, and move each pair
        to the next slot of its digit."""
        emitter, one = self.emitter, self.emitter.number(1, i64)

        def add(value: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            (start,) = carried
            count = emitter.load(self.counts, [digit, value])
            emitter.store(start, self.counts, [digit, value])
            return [emitter.value(arith.AddiOp, (start, count))]

        def move(i: SSAValue) -> None:
            pair = emitter.load(self.room, [*row, source, i])
            at = [digit, self._digit(pair, digit)]
            place = emitter.load(self.counts, at)
            index = emitter.value(arith.IndexCastOp, (place,), INDEX)
            emitter.store(pair, self.room, [*row, target, index])
            emitter.store(emitter.value(arith.AddiOp, (place, one)), self.counts, at)

        zero, end = emitter.index(0), emitter.index(self.values)
        emitter.loop(zero, end, 1, [emitter.number(0, i64)], add)
        emitter.loop_to(self.size, move)
