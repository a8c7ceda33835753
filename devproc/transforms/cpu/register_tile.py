"""One register tile of a contraction: accumulators from their start to their store."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.transforms.cpu.access import load_element
from devproc.transforms.cpu.contraction import (
    Panel,
    PanelReader,
    Roles,
    multiply_add,
)
from devproc.transforms.cpu.lanewise import Lanewise
from devproc.transforms.cpu.nest_emitter import NestEmitter, Values

STREAM_ACCUMULATORS = 8
"""Independent accumulators that hide the latency of a fused multiply-add."""

BLOCK = 256
"""Terms that one accumulator takes before it is added to an outer one.

The outer ones may leave the registers: once a block costs nothing, and the error of a
long sum falls to a third.
"""

Terms = Callable[[SSAValue, SSAValue, Values], Values]
"""Emits the terms between two bounds of the innermost sum, added to accumulators."""


class RegisterTile:
    """Some rows of a panel; accumulators row by row, vector by vector."""

    def __init__(
        self,
        nest_emitter: NestEmitter,
        roles: Roles,
        reader: PanelReader,
        rows: Sequence[SSAValue],
        panel: Panel,
    ):
        self.context, self.emitter = nest_emitter, nest_emitter.emitter
        self.roles, self.reader = roles, reader
        self.rows, self.panel = rows, panel
        self.parts = nest_emitter.parts(panel.start, panel.size)
        self.point = nest_emitter.point

    def emit(self) -> None:
        """The whole sum, the epilogue and the stores."""
        start: list[SSAValue] = []
        for row in self.rows:
            self._stand_at(row)
            for part in self.parts:
                (value,) = self.context.start(part)
                assert value is not None
                start.append(part.body.widen(value))
        totals = iter(self._sum(self.roles.nest.reductions, start))
        for row in self.rows:
            self._stand_at(row)
            for part in self.parts:
                self.context.finish(part, [next(totals)])

    def _stand_at(self, row: SSAValue) -> None:
        if self.roles.row is not None:
            self.point[self.roles.row] = row

    def _sum(self, loops: Sequence[int], carried: Values) -> Values:
        emitter, (loop, *rest) = self.emitter, loops
        size = self.roles.nest.sizes[loop]

        def outer(index: SSAValue, values: Values) -> Values:
            self.point[loop] = index
            return self._sum(rest, values)

        def body(index: SSAValue, values: Values) -> Values:
            self.point[loop] = index
            return self._term(values)

        def terms(lower: SSAValue, upper: SSAValue, values: Values) -> Values:
            return emitter.loop(lower, upper, 1, values, body)

        if rest:
            zero, end = emitter.index(0), emitter.index(size)
            return emitter.loop(zero, end, 1, carried, outer)
        if self._streams_of(len(carried), size) > 1:
            return self._streams(loop, size, carried, terms)
        if size > BLOCK and Lanewise(emitter, carried[0].type).is_float:
            return self._blocks(size, carried, terms)
        return terms(emitter.index(0), emitter.index(size), carried)

    @staticmethod
    def _streams_of(accumulators: int, size: int) -> int:
        streams = min(4, STREAM_ACCUMULATORS // accumulators)
        return streams if size >= 2 * streams else 1

    def _blocks(self, size: int, carried: Values, terms: Terms) -> Values:
        """Blocks of terms, each with accumulators of its own, then added."""
        emitter, block = self.emitter, BLOCK
        zeros = [emitter.number(0, value.type) for value in carried]

        def one(lower: SSAValue, values: Values) -> Values:
            made = terms(lower, emitter.offset(lower, block), zeros)
            return self._add(values, made)

        whole = emitter.index(size // block * block)
        carried = emitter.loop(emitter.index(0), whole, block, carried, one)
        if size % block:
            carried = self._add(carried, terms(whole, emitter.index(size), zeros))
        return carried

    def _streams(self, loop: int, size: int, carried: Values, terms: Terms) -> Values:
        """A small tile takes several terms at a time, each into its own accumulators."""
        emitter, count = self.emitter, len(carried)
        streams = self._streams_of(count, size)
        zero, end = emitter.index(0), emitter.index(size)
        zeros = [emitter.number(0, value.type) for value in carried] * (streams - 1)

        def body(index: SSAValue, values: Values) -> Values:
            made: list[SSAValue] = []
            for stream in range(streams):
                self.point[loop] = emitter.offset(index, stream)
                made += self._term(values[stream * count : (stream + 1) * count])
            return made

        whole = emitter.index(size // streams * streams)
        done = emitter.loop(zero, whole, streams, [*carried, *zeros], body)
        total: Values = done[:count]
        for stream in range(1, streams):
            total = self._add(total, done[stream * count : (stream + 1) * count])
        return terms(whole, end, total)

    def _add(self, a: Values, b: Values) -> Values:
        lanewise = Lanewise(self.emitter, a[0].type)
        op = arith.AddfOp if lanewise.is_float else arith.AddiOp
        return [self.emitter.value(op, pair) for pair in zip(a, b, strict=True)]

    def _term(self, carried: Values) -> Values:
        """One term for every accumulator: a row of the panel times a column of rows."""
        emitter, roles, parts = self.emitter, self.roles, self.parts
        lanes = self.context.lanes
        right: list[SSAValue] = []
        for index, part in enumerate(parts):
            value = self.reader.read(self.point, self.panel, index * lanes, part.body)
            right.append(roles.rhs.convert(value, part.body))
        done: list[SSAValue] = []
        for row in self.rows:
            self._stand_at(row)
            operand = roles.lhs.operand
            value = load_element(emitter, operand.value, operand.map, self.point)
            value = roles.lhs.convert(value, parts[0].body)
            left = emitter.broadcast(value, lanes)
            for value in right:
                old = carried[len(done)]
                done.append(multiply_add(emitter, left, value, old))
        return done
