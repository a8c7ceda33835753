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

from devproc.transforms.cpu.contraction import Panel, PanelReader, Roles
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import grain_of
from devproc.transforms.cpu.nest_emitter import NestEmitter
from devproc.transforms.cpu.register_tile import RegisterTile

MAX_VECTORS = 4
"""Vectors side by side in a tile at most."""


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


class ContractionLoops(NestEmitter):
    """The state of one contraction being emitted."""

    def __init__(
        self,
        roles: Roles,
        emitter: Emitter,
        vector_bits: int,
        threads: int,
    ):
        nest = roles.nest
        super().__init__(nest, roles.column, emitter, vector_bits, threads)
        self.roles = roles
        columns = nest.sizes[roles.column]
        self.width = roles.panel or self._unpacked_width(columns)
        self.vectors = self.width // self.lanes
        rows = nest.sizes[roles.row] if roles.row is not None else 1
        self.rows = RowSplit.balanced(rows, tile_rows(self.vectors, vector_bits))
        self.panels = -(-columns // self.width)
        self.last = columns - (self.panels - 1) * self.width

    def _unpacked_width(self, columns: int) -> int:
        needed = -(-columns // self.lanes)
        best = 3 if needed % 3 == 0 or needed == 3 else 2
        return min(best, needed) * self.lanes

    @property
    def fits(self) -> bool:
        """Whether whole vectors make a panel, and a tile of it fits the registers."""
        return self.width % self.lanes == 0 and self.vectors <= MAX_VECTORS

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
            emitter.branch_below(index, first, lambda: one(index), lambda: other(index))

    def _tile(self, row: SSAValue, height: int, panel: Panel) -> None:
        rows = [self.emitter.offset(row, i) for i in range(height)]
        tile = RegisterTile(self, self.roles, self.reader, rows, panel)
        tile.emit()
