"""A binary heap of the scores above the threshold, popped from the highest down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32, i64
from xdsl.ir import SSAValue

from devproc.dialects.linalg_ext.sequential import NmsOp
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.sparse_visits import BLOCK, visit_sparse
from devproc.targets.cpu.transforms.loops.vector_types import INDEX, memref_of


@dataclass
class Candidates:
    """The heap of one image, in the op's buffer for keys.

    A key has the score, as an integer of the same order, in the upper bits and the
    position, counted from the end, in the lower bits: keys are unique, and among equal
    scores the earlier one is higher.
    """

    op: NmsOp
    emitter: Emitter
    lanes: int
    row: list[SSAValue]

    def __post_init__(self) -> None:
        self.total = memref_of(self.op.scores).get_shape()[-1]
        self.least = self.op.score.value.data

    def collect(self) -> SSAValue:
        """Write the keys of scores above the threshold; returns their number."""
        emitter = self.emitter

        def passes(scores: SSAValue) -> SSAValue:
            return compare(
                emitter, "ogt", scores, emitter.number(self.least, scores.type)
            )

        (count,) = visit_sparse(
            emitter,
            (self.op.scores, self.row),
            range(self.total),
            (self.lanes, BLOCK),
            passes,
            [emitter.index(0)],
            self._collect_one,
        )
        return count

    def _collect_one(
        self, place: SSAValue, carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Write a key unconditionally; it is only kept if it is counted."""
        emitter, (count,) = self.emitter, carried
        score = emitter.load(self.op.scores, [*self.row, place])
        emitter.store(self._key(score, place), self.op.keys, [*self.row, count])
        above = compare(emitter, "ogt", score, emitter.number(self.least, f32))
        one = emitter.value(arith.ExtUIOp, (above,), i64)
        return [emitter.add(count, emitter.value(arith.IndexCastOp, (one,), INDEX))]

    def _key(self, score: SSAValue, place: SSAValue) -> SSAValue:
        """The ordered integer of a score: flips all but the sign of negatives; -0 is
        0."""
        emitter = self.emitter
        score = emitter.value(arith.AddfOp, (score, emitter.number(0.0, f32)))
        bits = emitter.value(arith.BitcastOp, (score,), i32)
        sign = emitter.value(arith.ShRSIOp, (bits, emitter.number(31, i32)))
        turned = emitter.value(arith.AndIOp, (sign, emitter.number(2**31 - 1, i32)))
        ordered = emitter.value(arith.XOrIOp, (bits, turned))
        high = emitter.value(arith.ExtSIOp, (ordered,), i64)
        high = emitter.value(arith.ShLIOp, (high, emitter.number(32, i64)))
        number = emitter.value(arith.IndexCastOp, (place,), i64)
        low = emitter.value(arith.SubiOp, (emitter.number(2**31 - 1, i64), number))
        return emitter.value(arith.OrIOp, (high, low))

    def arrange(self, count: SSAValue) -> None:
        """Heapify the keys, from the last parent to the first."""
        emitter = self.emitter
        half = emitter.div(count, 2)

        def settle(i: SSAValue) -> None:
            place = emitter.sub(emitter.sub(half, emitter.index(1)), i)
            key = emitter.load(self.op.keys, [*self.row, place])
            self._sink(place, key, count)

        emitter.loop_between(emitter.index(0), half, settle)

    def take_highest(self, count: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Pop the highest score; returns its position and the number of keys left."""
        emitter = self.emitter
        key = emitter.load(self.op.keys, [*self.row, emitter.index(0)])
        count = emitter.sub(count, emitter.index(1))
        last = emitter.load(self.op.keys, [*self.row, count])
        self._sink(emitter.index(0), last, count)
        low = emitter.value(arith.AndIOp, (key, emitter.number(2**31 - 1, i64)))
        place = emitter.value(arith.SubiOp, (emitter.number(2**31 - 1, i64), low))
        return emitter.value(arith.IndexCastOp, (place,), INDEX), count

    def _sink(self, place: SSAValue, key: SSAValue, count: SSAValue) -> None:
        """Sift a key down: larger children move up along one path."""
        emitter, keys, one = self.emitter, self.op.keys, self.emitter.index(1)
        last = emitter.sub(emitter.value(arith.MaxUIOp, (count, one)), one)

        def test(
            carried: Sequence[SSAValue],
        ) -> tuple[SSAValue, Sequence[SSAValue]]:
            (here,) = carried
            left = emitter.offset(emitter.add(here, here), 1)
            # If there is no child, the last key is read; the result is unused.
            places = [emitter.minimum(p, last) for p in (left, emitter.offset(left, 1))]
            a, b = (emitter.load(keys, [*self.row, p]) for p in places)
            is_right = compare(emitter, "sgt", b, a)
            child = select(emitter, is_right, places[1], places[0])
            larger = emitter.value(arith.MaxSIOp, (a, b))
            exists = compare(emitter, "ult", left, count)
            above = compare(emitter, "sgt", larger, key)
            goes_on = emitter.value(arith.AndIOp, (exists, above))
            return goes_on, [here, child, larger]

        def move(passed: Sequence[SSAValue]) -> Sequence[SSAValue]:
            here, child, larger = passed
            emitter.store(larger, keys, [*self.row, here])
            return [child]

        found, _, _ = emitter.loop_while([place], test, move)
        emitter.store(key, keys, [*self.row, found])
