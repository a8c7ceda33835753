"""The positions of the tiles of Winograd's algorithm on images, and their order.

If m does not divide a line, its last tiles overlap their neighbours, each by one pixel
if there are enough tiles: 14 pixels are four tiles at 0, 4, 7 and 10. The product at
the point 0 affects only a tile's first pixel, so an overlapping tile does not need it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare, select


@dataclass(frozen=True)
class TileLine:
    """The tiles of `size` pixels on a line of `length`."""

    length: int
    size: int

    @property
    def count(self) -> int:
        """All tiles."""
        return -(-self.length // self.size)

    @property
    def excess(self) -> int:
        """Pixels by which the tiles exceed the line."""
        return self.count * self.size - self.length

    @property
    def late(self) -> int:
        """The number of late tiles, which overlap their neighbours."""
        return self.excess if self.excess < self.count else 1

    @property
    def overlap(self) -> int:
        """Pixels of each late tile that its neighbour stores."""
        return self.excess // max(1, self.late)

    def first_pixel(self, emitter: Emitter, index: SSAValue) -> SSAValue:
        """The first pixel of the tile with this number."""
        start = emitter.mul(index, emitter.index(self.size))
        if not self.late:
            return start
        # The distance of late tiles, too, is the number of pixels that they store.
        step = self.size - self.overlap
        first = self.length - self.size - (self.count - 1) * step
        late = emitter.offset(emitter.mul(index, emitter.index(step)), first)
        return emitter.minimum(start, late)

    def old_pixels(self, emitter: Emitter, index: SSAValue) -> SSAValue:
        """Pixels of this tile that its neighbour stores."""
        zero = emitter.index(0)
        if not self.late:
            return zero
        early = emitter.index(self.count - self.late)
        is_early = compare(emitter, "ult", index, early)
        return select(emitter, is_early, zero, emitter.index(self.overlap))


@dataclass(frozen=True)
class TileGrid:
    """The tiles of images, and the blocks of them.

    If `by_need`, a block holds whole images, and the tiles that need the products at
    the point 0 of their lines, of their columns, or of both, are consecutive: first the
    early lines of tiles, from the last column to the first, then the late ones, from
    the first column to the last.
    """

    images: int
    lines: TileLine
    columns: TileLine
    block: int
    """Tiles of a block; the last one may have fewer."""
    by_need: bool

    @property
    def count(self) -> int:
        """All tiles."""
        return self.images * self.lines.count * self.columns.count

    @property
    def blocks(self) -> int:
        """All blocks."""
        return -(-self.count // self.block)

    @property
    def _whole(self) -> int:
        """Images of a block, if it holds whole ones."""
        return self.images // self.blocks

    def place(
        self, emitter: Emitter, tile: SSAValue
    ) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Image, line of tiles and column of tiles of a tile."""
        lines, columns = self.lines.count, self.columns.count
        if not self.by_need:
            line = emitter.div(tile, columns)
            image, line = emitter.div(line, lines), emitter.mod(line, lines)
            return image, line, emitter.mod(tile, columns)
        images = self._whole
        block, tile = emitter.div(tile, self.block), emitter.mod(tile, self.block)
        early = images * (lines - self.lines.late)
        column = emitter.sub(emitter.index(columns - 1), emitter.div(tile, early))
        line = emitter.mod(tile, early)
        if self.lines.late:
            late, half = images * self.lines.late, early * columns
            rest = emitter.sub(tile, emitter.index(half))
            is_early = compare(emitter, "ult", tile, emitter.index(half))
            column = select(emitter, is_early, column, emitter.div(rest, late))
            below = emitter.offset(emitter.mod(rest, late), early)
            line = select(emitter, is_early, line, below)
        first = emitter.mul(block, emitter.index(images))
        image = emitter.add(first, emitter.mod(line, images))
        return image, emitter.div(line, images), column

    def needing(self, first_line: bool, first_column: bool) -> range:
        """The tiles of a block that need products of the first line of points, or of
        the first column."""
        if not self.by_need:
            return range(self.block)
        images = self._whole
        late_columns, columns = self.columns.late, self.columns.count
        early_lines = images * (self.lines.count - self.lines.late)
        late_lines = images * self.lines.late
        end = early_lines * columns if first_line else self.block
        if not first_column:
            return range(end)
        behind = self.block - late_lines * late_columns
        return range(early_lines * late_columns, min(end, behind))
