"""Emits a contraction as register tiles over panels.

A panel of columns stays in the cache while tiles of rows pass over it. A tile of
`rows x vectors` accumulators stays in registers through the whole sum and the epilogue.
A ragged end of the columns is a panel of its own, masked; rows are split into tiles of
nearly equal height.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from devproc.transforms.cpu.contraction import PanelReader, Roles, multiply_add
from devproc.transforms.cpu.emitter import Emitter, memref_of, vector_type
from devproc.transforms.cpu.kernels import grain_of
from devproc.transforms.cpu.access import load_element
from devproc.transforms.cpu.nest_emitter import NestEmitter, Part, Values

MAX_VECTORS = 4
"""Vectors side by side in a tile at most."""

STREAM_ACCUMULATORS = 8
"""Independent accumulators that hide the latency of a fused multiply-add."""

STRICT_BLOCK = 256
"""Terms that one accumulator takes when the precision is strict."""


def register_count(vector_bits: int) -> int:
    """Vector registers of the machine: 32 with AVX-512, else 16."""
    return 32 if vector_bits == 512 else 16


def tile_rows(vectors: int, vector_bits: int) -> int:
    """Rows of the largest tile: accumulators, one row of the panel and a spare fit.

    More than 12 rows gain nothing, more than 8 with 3 vectors neither.
    """
    free = register_count(vector_bits) - vectors - 1
    return max(1, min(free // vectors, 8 if vectors >= 3 else 12))


@dataclass(frozen=True)
class RowSplit:
    """Rows in tiles of nearly equal height: `tall` tiles of `height`, the rest one less."""

    count: int
    height: int
    tall: int

    @staticmethod
    def balanced(rows: int, most: int) -> RowSplit:
        """The fewest tiles of at most `most` rows."""
        count = -(-rows // most)
        height = -(-rows // count)
        return RowSplit(count, height, count - (count * height - rows))


@dataclass(frozen=True)
class Panel:
    """Columns that are computed together: where they start, which panel, how many."""

    start: SSAValue
    number: SSAValue
    size: int


class ContractionLoops(NestEmitter):
    """The state of one contraction being emitted."""

    def __init__(
        self,
        roles: Roles,
        emitter: Emitter,
        vector_bits: int,
        threads: int,
        strict: bool,
    ):
        nest = roles.nest
        super().__init__(nest, roles.column, emitter, vector_bits, threads)
        self.roles = roles
        columns = nest.sizes[roles.column]
        if roles.panel is not None and roles.panel % self.lanes == 0:
            self.width = roles.panel
        else:
            self.width = self._unpacked_width(columns)
        self.vectors = self.width // self.lanes
        rows = nest.sizes[roles.row] if roles.row is not None else 1
        self.rows = RowSplit.balanced(rows, tile_rows(self.vectors, vector_bits))
        self.panels = -(-columns // self.width)
        self.last = columns - (self.panels - 1) * self.width
        self.block = STRICT_BLOCK if strict else None

    def _unpacked_width(self, columns: int) -> int:
        needed = -(-columns // self.lanes)
        best = 3 if needed % 3 == 0 or needed == 3 else 2
        return min(best, needed) * self.lanes

    # Loops over panels and tiles of rows.

    def emit(self) -> None:
        """Emit the loops."""
        nest, roles = self.nest, self.roles
        nest.view(self.emitter)
        self.reader = PanelReader(roles, self.emitter, self.lanes)
        sizes = [nest.sizes[d] for d in roles.outer] + [self.panels, self.rows.count]
        split, count = 0, 1
        while split < len(sizes) and count < 4 * self.threads:
            count *= sizes[split]
            split += 1
        grain = grain_of(count, 2 * nest.work, self.threads)
        if grain is None:
            self._serial(0, [])
            return
        spread = [position for position in range(split) if sizes[position] > 1]

        def body(indices: list[SSAValue]) -> None:
            zero = self.emitter.index(0)
            found = [zero] * split
            for position, index in zip(spread, indices, strict=True):
                found[position] = index
            self._serial(split, found)

        self.emitter.parallel([sizes[position] for position in spread], grain, body)

    def _serial(self, depth: int, indices: Sequence[SSAValue]) -> None:
        """The loops from `depth` on, the ones before standing at `indices`."""
        outer = self.roles.outer
        if depth < len(outer):
            self.emitter.loop_to(
                self.nest.sizes[outer[depth]],
                lambda index: self._serial(depth + 1, [*indices, index]),
            )
            return
        for loop, index in zip(outer, indices, strict=False):
            self.point[loop] = index
        panel, tile = (*indices[len(outer) :], None, None)[:2]
        self._panels(panel, tile)

    def _panels(self, panel: SSAValue | None, tile: SSAValue | None) -> None:
        whole = self.panels if self.last == self.width else self.panels - 1

        def full(number: SSAValue) -> None:
            self._tiles(self._panel(number, self.width), tile)

        def ragged(number: SSAValue) -> None:
            self._tiles(self._panel(number, self.last), tile)

        self._either(panel, whole, self.panels, full, ragged)

    def _panel(self, number: SSAValue, size: int) -> Panel:
        start = self.emitter.mul(number, self.emitter.index(self.width))
        return Panel(start, number, size)

    def _tiles(self, panel: Panel, tile: SSAValue | None) -> None:
        split, emitter = self.rows, self.emitter

        def tall(number: SSAValue) -> None:
            start = emitter.mul(number, emitter.index(split.height))
            self._tile(start, split.height, panel)

        def short(number: SSAValue) -> None:
            start = emitter.mul(number, emitter.index(split.height - 1))
            self._tile(emitter.offset(start, split.tall), split.height - 1, panel)

        self._either(tile, split.tall, split.count, tall, short)

    def _either(
        self,
        index: SSAValue | None,
        first: int,
        count: int,
        one: Callable[[SSAValue], None],
        other: Callable[[SSAValue], None],
    ) -> None:
        """`one` for iterations below `first`, `other` up to `count`.

        A given index is one iteration of a parallel loop; without it all run in order.
        """
        emitter = self.emitter
        if index is None:
            emitter.loop_range(0, first, one)
            emitter.loop_range(first, count, other)
        elif first == count:
            one(index)
        elif first == 0:
            other(index)
        else:
            below = emitter.below(index, first)
            emitter.branch(below, lambda: one(index), lambda: other(index))

    # One register tile.

    def _tile(self, row: SSAValue, height: int, panel: Panel) -> None:
        emitter = self.emitter
        parts = self.parts(panel.start, panel.size)
        rows = [emitter.offset(row, i) for i in range(height)]
        start = [value for r in rows for value in self._start_row(r, parts)]
        totals = self._sum(start, rows, parts, panel)
        for index, r in enumerate(rows):
            self._stand_at(r)
            mine = totals[index * len(parts) : (index + 1) * len(parts)]
            for part, value in zip(parts, mine, strict=True):
                self.finish(part, [value])

    def _stand_at(self, row: SSAValue) -> None:
        if self.roles.row is not None:
            self.point[self.roles.row] = row

    def _start_row(self, row: SSAValue, parts: Sequence[Part]) -> list[SSAValue]:
        self._stand_at(row)
        values = [self.start(part)[0] for part in parts]
        return [
            part.body.widen(value)
            for part, value in zip(parts, values, strict=True)
            if value is not None
        ]

    def _sum(
        self,
        start: Values,
        rows: Sequence[SSAValue],
        parts: Sequence[Part],
        panel: Panel,
    ) -> Values:
        """The tile after the whole sum."""
        loops = self.nest.reductions
        return self._sum_loops(loops, start, rows, parts, panel)

    def _sum_loops(
        self,
        loops: Sequence[int],
        carried: Values,
        rows: Sequence[SSAValue],
        parts: Sequence[Part],
        panel: Panel,
    ) -> Values:
        emitter, (first, *rest) = self.emitter, loops
        size = self.nest.sizes[first]
        zero, end = emitter.index(0), emitter.index(size)
        if rest:

            def outer(index: SSAValue, values: Values) -> Values:
                self.point[first] = index
                return self._sum_loops(rest, values, rows, parts, panel)

            return emitter.loop(zero, end, 1, carried, outer)

        def terms(lower: SSAValue, upper: SSAValue, values: Values) -> Values:
            def body(index: SSAValue, values: Values) -> Values:
                self.point[first] = index
                return self._terms(values, rows, parts, panel)

            return emitter.loop(lower, upper, 1, values, body)

        if self.block is None or size <= self.block:
            return self._streams(first, size, carried, rows, parts, panel, terms)
        return self._blocks(size, self.block, carried, terms)

    def _blocks(
        self,
        size: int,
        block: int,
        carried: Values,
        terms: Callable[[SSAValue, SSAValue, Values], Values],
    ) -> Values:
        """Blocks of terms, each with accumulators of its own, then added."""
        emitter = self.emitter
        zeros = [emitter.number(0, value.type) for value in carried]

        def one(lower: SSAValue, values: Values) -> Values:
            made = terms(lower, emitter.offset(lower, block), zeros)
            return self._add(values, made)

        whole = emitter.index(size // block * block)
        carried = emitter.loop(emitter.index(0), whole, block, carried, one)
        if size % block:
            carried = self._add(carried, terms(whole, emitter.index(size), zeros))
        return carried

    def _streams(
        self,
        loop: int,
        size: int,
        carried: Values,
        rows: Sequence[SSAValue],
        parts: Sequence[Part],
        panel: Panel,
        terms: Callable[[SSAValue, SSAValue, Values], Values],
    ) -> Values:
        """A small tile takes several terms at a time, each into its own accumulators."""
        emitter, count = self.emitter, len(carried)
        streams = min(4, STREAM_ACCUMULATORS // count)
        zero, end = emitter.index(0), emitter.index(size)
        if streams < 2 or size < 2 * streams:
            return terms(zero, end, carried)
        zeros = [emitter.number(0, value.type) for value in carried] * (streams - 1)

        def body(index: SSAValue, values: Values) -> Values:
            made: list[SSAValue] = []
            for stream in range(streams):
                self.point[loop] = emitter.offset(index, stream)
                mine = values[stream * count : (stream + 1) * count]
                made += self._terms(mine, rows, parts, panel)
            return made

        whole = emitter.index(size // streams * streams)
        done = emitter.loop(zero, whole, streams, [*carried, *zeros], body)
        total: Values = done[:count]
        for stream in range(1, streams):
            total = self._add(total, done[stream * count : (stream + 1) * count])
        return terms(whole, end, total)

    def _add(self, a: Values, b: Values) -> Values:
        from devproc.transforms.cpu.contraction import add

        return [add(self.emitter, x, y) for x, y in zip(a, b, strict=True)]

    def _terms(
        self,
        carried: Values,
        rows: Sequence[SSAValue],
        parts: Sequence[Part],
        panel: Panel,
    ) -> Values:
        """One term of the sum for every accumulator: one row of the panel, all rows."""
        emitter, roles = self.emitter, self.roles
        right = [
            roles.rhs.convert(
                self.reader.read(self.point, self._at(panel), i * self.lanes, part.body),
                part.body,
            )
            for i, part in enumerate(parts)
        ]
        done: list[SSAValue] = []
        for index, row in enumerate(rows):
            self._stand_at(row)
            operand = roles.lhs.operand
            value = load_element(emitter, operand.value, operand.map, self.point)
            value = roles.lhs.convert(value, parts[0].body)
            left = emitter.broadcast(value, self.lanes)
            for i, right_value in enumerate(right):
                old = carried[index * len(parts) + i]
                done.append(multiply_add(emitter, left, right_value, old))
        return done

    def _at(self, panel: Panel) -> SSAValue:
        return panel.number if self.roles.panel == self.width else panel.start


__all__ = ["MAX_VECTORS", "ContractionLoops", "memref_of", "vector_type"]
