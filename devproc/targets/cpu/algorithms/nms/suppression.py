"""Greedy suppression of boxes as loops: a heap of candidates, vectors of kept boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32, i64
from xdsl.ir import SSAValue

from devproc.dialects.linalg_ext.sequential import NmsOp
from devproc.dialects.sched import NmsSchedule
from devproc.targets.cpu.algorithms.nms.candidates import Candidates
from devproc.targets.cpu.transforms.loops.combiners import reduce_lanes
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare, select
from devproc.targets.cpu.transforms.loops.vector_types import (
    INDEX,
    memref_of,
    vector_type,
)

AREA = 4
"""The index of a kept box's area, after its corners."""


@dataclass
class Suppression:
    """Visits candidates from the highest score down and compares each with the kept
    boxes.

    The loop ends when enough boxes are kept, so the rest of the heap is never sorted. A
    dropped box costs one pass over the kept ones.
    """

    op: NmsOp
    schedule: NmsSchedule
    emitter: Emitter

    def __post_init__(self) -> None:
        self.lanes = self.schedule.lanes
        self.images, self.scores = memref_of(self.op.scores).get_shape()
        self.c = self.scores // memref_of(self.op.boxes).get_shape()[1]
        self.most = memref_of(self.op.indices).get_shape()[-1]
        self.has_classes = not self.op.agnostic.value.data and (
            self.c > 1 or self.op.classes is not None
        )

    def emit(self) -> None:
        """Emit the loop over the images."""
        self.emitter.for_each([self.images], self.schedule.grain, self._image)

    def _image(self, row: list[SSAValue]) -> None:
        emitter, zero = self.emitter, self.emitter.index(0)
        self._clear(row)
        candidates = Candidates(self.op, emitter, self.lanes, row)
        count = candidates.collect()
        candidates.arrange(count)
        _, kept = emitter.loop_while(
            [count, zero], self._is_unfinished, lambda c: self._next(candidates, c)
        )
        none = emitter.number(-1, i64)
        emitter.loop_between(
            kept,
            emitter.index(self.most),
            lambda i: emitter.store(none, self.op.indices, [*row, i]),
        )
        number = emitter.value(arith.IndexCastOp, (kept,), i64)
        emitter.store(number, self.op.count, row)

    def _clear(self, row: list[SSAValue]) -> None:
        """Initialise the kept boxes with boxes of size zero, which overlap nothing."""
        emitter, (_, numbers, size) = self.emitter, memref_of(self.op.kept).get_shape()
        nothing = emitter.number(0.0, vector_type(f32, self.lanes))
        no_class = emitter.number(0, vector_type(i64, self.lanes))

        def clear(i: SSAValue) -> None:
            for number in range(numbers):
                place = [*row, emitter.index(number), i]
                emitter.store_vector(nothing, self.op.kept, place)
            emitter.store_vector(no_class, self.op.kept_classes, [*row, i])

        zero, last = emitter.index(0), emitter.index(size)
        emitter.loop_between(zero, last, clear, self.lanes)

    def _is_unfinished(
        self, carried: Sequence[SSAValue]
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        """The loop condition: there are candidates left, and fewer boxes than
        allowed."""
        emitter, (count, kept) = self.emitter, carried
        left = compare(emitter, "ne", count, emitter.index(0))
        room = compare(emitter, "ult", kept, emitter.index(self.most))
        return emitter.value(arith.AndIOp, (left, room)), carried

    def _next(
        self, candidates: Candidates, carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Keep the highest candidate, or drop it if a kept box overlaps it."""
        emitter, row, (count, kept) = self.emitter, candidates.row, carried
        place, count = candidates.take_highest(count)
        box, group = self._box(row, place)
        stays = self._stays(row, box, group, kept)

        def keep() -> None:
            for number, value in enumerate(box):
                there = [*row, emitter.index(number), kept]
                emitter.store(value, self.op.kept, there)
            if group is not None:
                emitter.store(group, self.op.kept_classes, [*row, kept])
            index = emitter.value(arith.IndexCastOp, (place,), i64)
            emitter.store(index, self.op.indices, [*row, kept])

        emitter.when(stays, keep)
        one = emitter.value(arith.ExtUIOp, (stays,), i64)
        moved = emitter.value(arith.IndexCastOp, (one,), INDEX)
        return [count, emitter.add(kept, moved)]

    def _box(
        self, row: list[SSAValue], place: SSAValue
    ) -> tuple[list[SSAValue], SSAValue | None]:
        """Corners and area of a candidate's box, and its class."""
        emitter, op = self.emitter, self.op
        i, j = emitter.div(place, self.c), emitter.mod(place, self.c)
        own = j if memref_of(op.boxes).get_shape()[2] > 1 else emitter.index(0)
        x1, y1, x2, y2 = (
            emitter.load(op.boxes, [*row, i, own, emitter.index(d)]) for d in range(4)
        )
        width = emitter.value(arith.SubfOp, (x2, x1))
        height = emitter.value(arith.SubfOp, (y2, y1))
        area = emitter.value(arith.MulfOp, (width, height))
        group = None
        if self.has_classes and op.classes is not None:
            group = emitter.load(op.classes, [*row, place])
        elif self.has_classes:
            group = emitter.value(arith.IndexCastOp, (j,), i64)
        return [x1, y1, x2, y2, area], group

    def _stays(
        self,
        row: list[SSAValue],
        box: Sequence[SSAValue],
        group: SSAValue | None,
        kept: SSAValue,
    ) -> SSAValue:
        """Whether no kept box of the class overlaps this one too much."""
        emitter = self.emitter
        flags = vector_type(i32, self.lanes)
        every, none = emitter.number(-1, flags), emitter.number(0, flags)
        mine = [emitter.broadcast(v, self.lanes) for v in box]
        my_class = group and emitter.broadcast(group, self.lanes)

        def step(i: SSAValue, found: Sequence[SSAValue]) -> Sequence[SSAValue]:
            theirs = [
                emitter.load_vector(
                    self.op.kept, [*row, emitter.index(d), i], self.lanes
                )
                for d in range(AREA + 1)
            ]
            mask = self._overlaps(theirs, mine)
            hit = select(emitter, mask, every, none)
            if my_class is not None:
                kept_classes = emitter.load_vector(
                    self.op.kept_classes, [*row, i], self.lanes
                )
                same = compare(emitter, "eq", kept_classes, my_class)
                hit = select(emitter, same, hit, none)
            return [emitter.value(arith.OrIOp, (found[0], hit))]

        zero = emitter.index(0)
        (found,) = emitter.loop(zero, kept, self.lanes, [none], step)
        lane = reduce_lanes(emitter, "or", found)
        return compare(emitter, "eq", lane, emitter.number(0, i32))

    def _overlaps(
        self, theirs: Sequence[SSAValue], mine: Sequence[SSAValue]
    ) -> SSAValue:
        """torchvision's formula, with the same operations; NaN overlaps nothing."""
        emitter, type_ = self.emitter, vector_type(f32, self.lanes)
        zero = emitter.number(0.0, type_)

        def extent(d: int) -> SSAValue:
            low = self._chosen("olt", theirs[d], mine[d])
            high = self._chosen("ogt", theirs[d + 2], mine[d + 2])
            size = emitter.value(arith.SubfOp, (high, low))
            return self._chosen("olt", zero, size)

        both = emitter.value(arith.MulfOp, (extent(0), extent(1)))
        if self.op.iom is not None and self.op.iom.value.data:
            rest = self._smaller(theirs[AREA], mine[AREA])
        else:
            areas = emitter.value(arith.AddfOp, (theirs[AREA], mine[AREA]))
            rest = emitter.value(arith.SubfOp, (areas, both))
        shared = emitter.value(arith.DivfOp, (both, rest))
        limit = emitter.number(self.op.overlap.value.data, type_)
        return compare(emitter, "ogt", shared, limit)

    def _smaller(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The smaller of two values; NaN if either is NaN."""
        smaller = self._chosen("ogt", a, b)
        return select(self.emitter, compare(self.emitter, "uno", b, b), b, smaller)

    def _chosen(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`b` if the comparison of both holds, else `a`: one vector instruction."""
        return select(self.emitter, compare(self.emitter, predicate, a, b), b, a)
