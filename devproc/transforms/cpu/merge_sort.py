"""A stable merge sort as loops, from the bottom up; rows over threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1, i64
from xdsl.ir import SSAValue

from devproc.dialects.linalg_sequential import SortOp
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import grain_of
from devproc.transforms.cpu.scalar_body import inline_region
from devproc.transforms.cpu.vector_types import INDEX, memref_of

STEP_WORK = 16
"""Scalar operations that one element costs in one merge."""


@dataclass
class MergeSort:
    """Runs of one element merged two by two, until one is left.

    Each round merges twice: into the room and back, so the result is where it belongs.
    A merge whose runs are as long as the row is a copy.
    """

    op: SortOp
    emitter: Emitter
    threads: int

    def __post_init__(self) -> None:
        *self.rows, self.size = memref_of(self.op.operand).get_shape()
        values, places, more_values, more_places = self.op.outputs
        self.result, self.room = (values, places), (more_values, more_places)

    def lower(self) -> None:
        """Emit the loops over the rows."""
        if not self.size or not prod(self.rows):
            return
        self.rounds = ((self.size - 1).bit_length() + 1) // 2
        work = prod(self.rows) * self.size * 2 * self.rounds * STEP_WORK
        grain = grain_of(prod(self.rows), work, self.threads)
        self.emitter.for_each(self.rows, grain, self._row)

    def _row(self, row: list[SSAValue]) -> None:
        """One row: copied with its places, then merged."""
        emitter, (values, places) = self.emitter, self.result

        def copy(i: SSAValue) -> None:
            emitter.store(emitter.load(self.op.operand, [*row, i]), values, [*row, i])
            emitter.store(
                emitter.value(arith.IndexCastOp, (i,), i64), places, [*row, i]
            )

        emitter.loop_to(self.size, copy)

        def both(_: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            (width,) = carried
            self._merge_runs(row, width, self.result, self.room)
            width = emitter.add(width, width)
            self._merge_runs(row, width, self.room, self.result)
            return [emitter.add(width, width)]

        zero, rounds = emitter.index(0), emitter.index(self.rounds)
        emitter.loop(zero, rounds, 1, [emitter.index(1)], both)

    def _merge_runs(
        self,
        row: list[SSAValue],
        width: SSAValue,
        source: tuple[SSAValue, SSAValue],
        target: tuple[SSAValue, SSAValue],
    ) -> None:
        """Each two runs of `width` elements become one."""
        emitter, size = self.emitter, self.emitter.index(self.size)
        pair = emitter.add(width, width)
        count = emitter.value(arith.CeilDivUIOp, (size, pair))

        def merge(i: SSAValue) -> None:
            low = emitter.mul(i, pair)
            middle, high = (
                emitter.value(arith.MinUIOp, (emitter.add(low, length), size))
                for length in (width, pair)
            )
            self._merge(row, (low, middle, high), source, target)

        emitter.loop_between(emitter.index(0), count, merge)

    def _merge(
        self,
        row: list[SSAValue],
        run: tuple[SSAValue, SSAValue, SSAValue],
        source: tuple[SSAValue, SSAValue],
        target: tuple[SSAValue, SSAValue],
    ) -> None:
        """The next element is the right one only where it must come before the left one:
        equal elements keep their order. No branch depends on the data.
        """
        emitter, (low, middle, high) = self.emitter, run
        last = emitter.index(self.size - 1)

        def below(index: SSAValue, bound: SSAValue) -> SSAValue:
            less = arith.CMPI_COMPARISON_OPERATIONS.index("ult")
            return emitter.value(
                arith.CmpiOp, (index, bound), i1, {"predicate": IntegerAttr(less, i64)}
            )

        def step(k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            left, right = carried
            in_left, in_right = below(left, middle), below(right, high)
            # A run that is used up is read all the same, within the row.
            held = emitter.value(arith.MinUIOp, (right, last))
            keys = [emitter.load(source[0], [*row, at]) for at in (left, held)]
            (before,) = inline_region(emitter, self.op.body.block, keys[::-1])
            after_left = emitter.value(
                arith.XOrIOp, (in_left, emitter.number(True, i1))
            )
            wins = emitter.value(arith.OrIOp, (before, after_left))
            wins = emitter.value(arith.AndIOp, (in_right, wins))
            place = emitter.value(arith.SelectOp, (wins, held, left), INDEX)
            key = emitter.value(arith.SelectOp, (wins, *keys[::-1]), keys[0].type)
            emitter.store(key, target[0], [*row, k])
            emitter.store(emitter.load(source[1], [*row, place]), target[1], [*row, k])
            moved = emitter.value(arith.ExtUIOp, (wins,), i64)
            moved = emitter.value(arith.IndexCastOp, (moved,), INDEX)
            right = emitter.add(right, moved)
            # Together they have taken one element in each step.
            next_left = emitter.value(arith.SubiOp, (emitter.offset(k, 1), right))
            return [emitter.add(next_left, middle), right]

        emitter.loop(low, high, 1, [low, middle], step)
