"""One register tile of a contraction: accumulators from their start to their store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.algorithms.register_tile.factor_readers import (
    Panel,
    PanelReader,
    RowReader,
)
from devproc.algorithms.register_tile.plan import BLOCK
from devproc.algorithms.register_tile.roles import Roles, outer_product
from devproc.dialects.sched import RegisterTileSchedule
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.lanewise import Lanewise
from devproc.transforms.cpu.nests.loop_space import Operand
from devproc.transforms.cpu.nests.nest_emitter import PartEmitter, Values
from devproc.transforms.cpu.nests.prefetch import Prefetch, ask_for_result

MOST_STREAMS = 4
"""Terms that a tile takes at a time at most."""

Terms: TypeAlias = Callable[[SSAValue, int, Values], Values]
"""Adds so many terms, from an index on, to the carried sums."""


def block_size(size: int, most: int) -> int:
    """The terms of a block: at most `most`, and all blocks equal where that is possible.

    Then they are one loop, whose outer sums LLVM keeps out of the way of the inner ones;
    of a block and a rest behind it, it keeps the block's sums in registers.
    """
    least = -(-size // -(-size // most))
    even = (n for n in range(least, most // 2 - 1, -1) if size % n == 0)
    return next(even, least)


def sum_in_blocks(
    emitter: Emitter, size: int, carried: Values, terms: Terms, block: int = BLOCK
) -> Values:
    """The sums of `size` terms, floats; where there are many, block by block."""
    zero = emitter.index(0)
    if size <= block:
        return terms(zero, size, carried)
    zeros = [emitter.number(0, value.type) for value in carried]
    block = block_size(size, block)
    rest = size % block

    def part(lower: SSAValue, count: int, values: Values) -> Values:
        pairs = zip(values, terms(lower, count, zeros), strict=True)
        return [emitter.value(arith.AddfOp, pair) for pair in pairs]

    whole = emitter.index(size - rest)
    carried = emitter.loop(
        zero, whole, block, carried, lambda lower, values: part(lower, block, values)
    )
    return part(whole, rest, carried) if rest else carried


class RegisterTile:
    """Some rows of a panel; accumulators row by row, vector by vector."""

    def __init__(
        self,
        context: PartEmitter,
        roles: Roles,
        schedule: RegisterTileSchedule,
        readers: tuple[RowReader, PanelReader],
        rows: Sequence[SSAValue],
        panel: Panel,
    ):
        self.context, self.emitter = context, context.emitter
        self.roles, self.schedule = roles, schedule
        self.left, self.right = readers
        self.rows, self.panel = rows, panel
        self.parts = context.parts(panel.start, panel.size)
        self.point = context.point

    def emit(self, prefetch: Prefetch | None) -> None:
        """The whole sum, the epilogue and the stores."""
        self.prefetch = prefetch
        self.left.stand_at(self.rows)
        start: list[SSAValue] = []
        for row in self.rows:
            self._stand_at(row)
            for part in self.parts:
                (value,) = self.context.start(part)
                assert value is not None
                start.append(part.body.widen(value))
        for number in self.schedule.prefetch_results:
            self._prefetch_result(self.roles.nest.results[number])
        totals = iter(self._sum(self.roles.nest.reductions, start))
        for row in self.rows:
            self._stand_at(row)
            for part in self.parts:
                self.context.finish(part, [next(totals)])

    def _prefetch_result(self, result: Operand) -> None:
        """Prefetch the lines that are stored to after the sum."""
        loop = self.roles.row
        assert loop is not None
        for row in self.rows:
            self._stand_at(row)
            ask_for_result(self.context, result, loop, self.parts[0], self.panel.size)

    def _stand_at(self, row: SSAValue) -> None:
        if self.roles.row is not None:
            self.point[self.roles.row] = row

    def _sum(self, loops: Sequence[int], carried: Values) -> Values:
        """The sum over some loops, where it is long in blocks: of the outermost loop that
        has several iterations to a block."""
        sizes = [self.roles.nest.sizes[d] for d in loops]
        inside, block = prod(sizes[1:]), self.schedule.block
        is_float = Lanewise(self.emitter, carried[0].type).is_float
        is_here = is_float and inside <= block < inside * sizes[0]
        block = block // inside if is_here else sizes[0]

        def terms(lower: SSAValue, count: int, values: Values) -> Values:
            return self._terms(loops, lower, count, values)

        return sum_in_blocks(self.emitter, sizes[0], carried, terms, block)

    def _terms(
        self, loops: Sequence[int], lower: SSAValue, count: int, carried: Values
    ) -> Values:
        """`count` iterations of the first loop, and all of the others."""
        first, *rest = loops
        if not rest:
            return self._streams(first, lower, count, carried)

        def body(index: SSAValue, values: Values) -> Values:
            self.point[first] = index
            return self._sum(rest, values)

        return self.emitter.loop(
            lower, self.emitter.offset(lower, count), 1, carried, body
        )

    def _streams(
        self, loop: int, lower: SSAValue, count: int, carried: Values
    ) -> Values:
        """The terms; a small tile takes several at a time, into accumulators of their own."""
        emitter, width = self.emitter, len(carried)
        streams = max(1, min(MOST_STREAMS, self.schedule.accumulators // width))
        if count < 2 * streams:
            streams = 1
        zeros = [emitter.number(0, value.type) for value in carried] * (streams - 1)

        def body(index: SSAValue, values: Values) -> Values:
            made: list[SSAValue] = []
            for stream in range(len(values) // width):
                self.point[loop] = emitter.offset(index, stream)
                made += self._term(values[stream * width : (stream + 1) * width])
            return made

        whole = emitter.offset(lower, count // streams * streams)
        done = emitter.loop(lower, whole, streams, [*carried, *zeros], body)
        total: Values = done[:width]
        for stream in range(1, streams):
            total = self._add(total, done[stream * width : (stream + 1) * width])
        if count % streams == 0:
            return total
        return emitter.loop(whole, emitter.offset(lower, count), 1, total, body)

    def _add(self, a: Values, b: Values) -> Values:
        lanewise = Lanewise(self.emitter, a[0].type)
        op = arith.AddfOp if lanewise.is_float else arith.AddiOp
        return [self.emitter.value(op, pair) for pair in zip(a, b, strict=True)]

    def _term(self, carried: Values) -> Values:
        """One term for every accumulator: a row of the panel times a column of rows."""
        emitter, roles = self.emitter, self.roles
        bodies = [part.body for part in self.parts]
        vectors = self.right.read(self.point, self.panel, bodies)
        right = [
            roles.rhs.convert(vector, body)
            for vector, body in zip(vectors, bodies, strict=True)
        ]
        if self.prefetch is not None:
            self.prefetch.emit(emitter, self.point[roles.nest.reductions[0]])
        left = (self._number(row) for row in range(len(self.rows)))
        return outer_product(emitter, left, right, carried)

    def _number(self, row: int) -> SSAValue:
        """The factor that all columns of a row take."""
        value = self.left.read(self.point, row)
        return self.roles.lhs.convert(value, self.parts[0].body)
