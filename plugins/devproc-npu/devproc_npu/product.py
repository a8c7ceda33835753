"""Instructions of a product or convolution by tiles, with double buffering."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from devproc_npu.isa import Compute, Load, Preload, Requantize, Store
from devproc_npu.machine import COLUMNS, ROWS, Machine
from devproc_npu.stream import Part, Room, Stream
from devproc_npu.tiling import Convolution, Tiling, parts


@dataclass(frozen=True)
class Place:
    """A tensor in the external memory: its buffer, the byte of its first element that is
    read or written, and the bytes from one line, and one pixel, to the next."""

    buffer: int
    offset: int
    line: int
    pixel: int


@dataclass(frozen=True)
class Span:
    """A part of one dimension."""

    start: int
    size: int


def spans(size: int, most: int) -> list[Span]:
    """Parts of at most `most`, the last one shorter."""
    return [Span(s, min(most, size - s)) for s in range(0, size, most)]


@dataclass(frozen=True)
class Tile:
    """The part of the results that a tile computes."""

    lines: Span
    width: Span
    columns: Span

    @property
    def rows(self) -> int:
        """Its pixels."""
        return self.lines.size * self.width.size


def pack(weight: NDArray, tiling: Tiling) -> NDArray[np.uint8]:
    """The bytes of a weight of shape (taps, channels, columns), tile by tile.

    A tile holds the taps and some channels of some columns as pieces of 16 rows, each
    piece 16 columns wide, columns outermost.
    """
    taps, channels, columns = weight.shape
    found: list[NDArray] = []
    for n in spans(columns, tiling.columns):
        for k in spans(channels, tiling.channels):
            box = weight[:, k.start : k.start + k.size, n.start : n.start + n.size]
            rows = box.reshape(taps * k.size, n.size)
            padding = (0, -len(rows) % ROWS), (0, -n.size % COLUMNS)
            pieces = np.pad(rows, padding).reshape(-1, padded(n.size))
            found += [
                pieces[:, j : j + COLUMNS].ravel()
                for j in range(0, padded(n.size), COLUMNS)
            ]
    return np.concatenate(found).view(np.uint8)


def padded(columns: int) -> int:
    """Columns in whole pieces."""
    return parts(columns, COLUMNS) * COLUMNS


class Products:
    """The tiles of one convolution, as instructions at the end of a stream."""

    def __init__(
        self,
        stream: Stream,
        machine: Machine,
        c: Convolution,
        tiling: Tiling,
        places: tuple[Place, Place, Place, Place],
        bounds: tuple[int, int],
    ):
        self.stream, self.c, self.t, self.bounds = stream, c, tiling, bounds
        self.left, self.right, self.channels, self.out = places
        self.size = stream.type.size
        room = self.room = Room(machine.scratchpad)
        rows, depth = tiling.rows, c.taps * tiling.channels
        chunks = parts(c.channels, tiling.channels)
        once_left = tiling.lines >= c.lines and tiling.width >= c.width
        once_right = tiling.columns >= c.columns

        def slots(size: int, kept: bool, once: bool) -> Iterator[list[Part]]:
            """Generations of parts, one for each chunk of the sum where all are kept."""
            count = chunks if kept else 1
            copies = 1 if kept and once else 2
            made = [
                [room.part(size * self.size, 64) for _ in range(count)]
                for _ in range(copies)
            ]
            return cycle(made)

        self.left_slots = slots(rows * depth, tiling.keeps == "left", once_left)
        right = parts(depth, ROWS) * ROWS * padded(tiling.columns)
        self.right_slots = slots(right, tiling.keeps == "right", once_right)
        self.out_slots = cycle(
            [room.part(rows * tiling.columns * self.size, 64) for _ in range(2)]
        )
        blocks = parts(tiling.columns, COLUMNS)
        self.scale_bytes = stream.type.channel_bytes
        self.scale_slots = cycle(
            [room.part(blocks * self.scale_bytes, 64) for _ in range(2)]
        )
        self.sum_slots = cycle([Part(i * rows) for i in range(max(2, blocks))])

    def tiles(self) -> Iterator[Tile]:
        """All tiles: what is kept changes last."""
        c, t = self.c, self.t
        pixels = [
            (lines, width)
            for lines in spans(c.lines, t.lines)
            for width in spans(c.width, t.width)
        ]
        columns = spans(c.columns, t.columns)
        if t.keeps == "right":
            return (Tile(*p, n) for n in columns for p in pixels)
        return (Tile(*p, n) for p in pixels for n in columns)

    def emit(self) -> None:
        """All tiles."""
        before: Tile | None = None
        left: list[Part] = []
        right: list[Part] = []
        for tile in self.tiles():
            chunks = spans(self.c.channels, self.t.channels)
            same_left = before and (before.lines, before.width) == (
                tile.lines,
                tile.width,
            )
            same_right = before and before.columns == tile.columns
            has_left = self.t.keeps == "left" and same_left
            has_right = self.t.keeps == "right" and same_right
            if self.t.keeps == "left" and not has_left:
                left = next(self.left_slots)
            if self.t.keeps == "right" and not has_right:
                right = next(self.right_slots)
            if not same_right:
                self.scales = next(self.scale_slots)
                self._load_scales(tile)
            count = parts(tile.columns.size, COLUMNS)
            sums = [next(self.sum_slots) for _ in range(count)]
            for number, k in enumerate(chunks):
                a = left[number] if self.t.keeps == "left" else next(self.left_slots)[0]
                b = (
                    right[number]
                    if self.t.keeps == "right"
                    else next(self.right_slots)[0]
                )
                if not has_left:
                    self._load_left(tile, k, a)
                if not has_right:
                    self._load_right(tile, k, b)
                self._multiply(tile, k, a, b, sums)
            self._finish(tile, sums)
            before = tile

    def _load_scales(self, tile: Tile) -> None:
        first, count = tile.columns.start // COLUMNS, parts(tile.columns.size, COLUMNS)
        size = self.scale_bytes
        place = self.channels
        self.stream.add(
            Load(
                place.buffer, place.offset + first * size, self.scales.address,
                1, 1, count * size, 0, 0, 0, 0,
            ),
            writes=[self.scales],
        )  # fmt: skip

    def _load_left(self, tile: Tile, k: Span, to: Part) -> None:
        """The windows of the pixels of a tile, as rows: im2col by strides."""
        c, place, size = self.c, self.left, self.size
        row = c.taps * k.size * size
        run = (
            c.kernel[1] if k.size == c.channels and place.pixel == k.size * size else 1
        )
        for tap in range(0, c.taps, run):
            y, x = divmod(tap, c.kernel[1])
            line = tile.lines.start * c.stride + y
            pixel = tile.width.start * c.stride + x
            offset = place.offset + line * place.line + pixel * place.pixel
            self.stream.add(
                Load(
                    place.buffer, offset + k.start * size,
                    to.address + tap * k.size * size,
                    tile.lines.size, tile.width.size, run * k.size * size,
                    c.stride * place.line, c.stride * place.pixel,
                    tile.width.size * row, row,
                ),
                writes=[to],
            )  # fmt: skip

    def _load_right(self, tile: Tile, k: Span, to: Part) -> None:
        c, t, place, size = self.c, self.t, self.right, self.size
        if c.constant:
            rows = parts(c.taps * k.size, ROWS) * ROWS
            # What the tiles before hold: those of full columns, then of full channels.
            whole = spans(c.channels, t.channels)
            per_column = sum(parts(c.taps * s.size, ROWS) * ROWS for s in whole)
            before = tile.columns.start * per_column + padded(tile.columns.size) * sum(
                parts(c.taps * s.size, ROWS) * ROWS for s in whole if s.start < k.start
            )
            count = rows * padded(tile.columns.size)
            move = (1, 1, count * size, 0, 0, 0, 0)
            offset = place.offset + before * size
        else:
            offset = place.offset + k.start * place.pixel + tile.columns.start * size
            count = tile.columns.size * size
            move = (
                1,
                k.size,
                count,
                0,
                place.pixel,
                0,
                padded(tile.columns.size) * size,
            )
        self.stream.add(Load(place.buffer, offset, to.address, *move), writes=[to])

    def _multiply(
        self, tile: Tile, k: Span, a: Part, b: Part, sums: list[Part]
    ) -> None:
        """Each piece of the weights, and all rows through it."""
        depth, rows, size = self.c.taps * k.size, tile.rows, self.size
        pieces = parts(depth, ROWS)
        wide = padded(tile.columns.size)
        for j in range(parts(tile.columns.size, COLUMNS)):
            columns = min(COLUMNS, tile.columns.size - j * COLUMNS)
            for i in range(pieces):
                deep = min(ROWS, depth - i * ROWS)
                if self.c.constant:
                    piece = (j * pieces + i) * ROWS * COLUMNS * size
                    stride = COLUMNS * size
                else:
                    piece, stride = (i * ROWS * wide + j * COLUMNS) * size, wide * size
                self.stream.add(
                    Preload(b.address + piece, deep, columns, stride, 0), [b]
                )
                self.stream.add(
                    Compute(
                        a.address + i * ROWS * size, rows, deep, depth * size,
                        sums[j].address, int(k.start > 0 or i > 0),
                    ),
                    [a], [sums[j]],
                )  # fmt: skip

    def _finish(self, tile: Tile, sums: list[Part]) -> None:
        """The sums of a tile become results, and leave."""
        out, size, n = next(self.out_slots), self.size, tile.columns
        for j in range(parts(n.size, COLUMNS)):
            self.stream.add(
                Requantize(
                    sums[j].address, tile.rows,
                    min(COLUMNS, n.size - j * COLUMNS),
                    out.address + j * COLUMNS * size, n.size * size,
                    self.scales.address + j * self.scale_bytes, *self.bounds,
                ),
                [sums[j], self.scales], [out],
            )  # fmt: skip
        place = self.out
        offset = place.offset + tile.lines.start * place.line
        offset += tile.width.start * place.pixel + n.start * size
        self.stream.add(
            Store(
                place.buffer, offset, out.address,
                tile.lines.size, tile.width.size, n.size * size,
                tile.width.size * n.size * size, n.size * size, place.line, place.pixel,
            ),
            [out],
        )  # fmt: skip
