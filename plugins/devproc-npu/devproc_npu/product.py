"""Instructions of a product or convolution by tiles, with double buffering."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from devproc_npu.isa import Compute, Preload, Requantize
from devproc_npu.machine import COLUMNS, ROWS
from devproc_npu.moves import Place, load, store
from devproc_npu.stream import Part, Stream
from devproc_npu.tiling import Convolution, Tiling, parts, scratchpad_bytes, slots


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

    image: int
    lines: Span
    width: Span
    columns: Span

    @property
    def rows(self) -> int:
        """Its pixels."""
        return self.lines.size * self.width.size

    @property
    def pixels(self) -> tuple[int, Span, Span]:
        """Which pixels these are."""
        return self.image, self.lines, self.width


@dataclass(frozen=True)
class Operands:
    """Where the operands of a product are: for the number of an image, the place of its
    lines, pixels and channels."""

    left: Callable[[int], Place]
    right: Callable[[int], Place]
    """Rows and elements; of a constant, the packed bytes."""
    channels: Place
    out: Callable[[int], Place]


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


def packed_bytes(c: Convolution, tiling: Tiling, size: int) -> int:
    """The length of what `pack` returns."""
    rows = sum(padded(c.taps * k.size) for k in spans(c.channels, tiling.channels))
    return rows * sum(padded(n.size) for n in spans(c.columns, tiling.columns)) * size


def padded(columns: int) -> int:
    """Columns, or rows, in whole pieces."""
    return parts(columns, COLUMNS) * COLUMNS


class Products:
    """The tiles of one convolution, as instructions at the end of a stream."""

    def __init__(
        self,
        stream: Stream,
        c: Convolution,
        tiling: Tiling,
        operands: Operands,
        bounds: tuple[int, int],
    ):
        self.stream, self.c, self.t, self.bounds = stream, c, tiling, bounds
        self.operands = operands
        self.size, self.result_size = stream.type.size, c.result_size(stream.type)
        self.scale_bytes = stream.type.channel_bytes
        stream.scratchpad.reserve(scratchpad_bytes(c, tiling, stream.type))
        made = {
            name: stream.slots(size, copies, count)
            for name, (copies, count, size) in slots(c, tiling, stream.type).items()
        }
        self.slots: dict[str, Iterator[list[Part]]] = made
        blocks = max(2, parts(tiling.columns, COLUMNS))
        stream.accumulator.reserve(blocks * tiling.rows)
        self.sum_slots = cycle(
            [stream.accumulator.part(tiling.rows) for _ in range(blocks)]
        )

    def tiles(self) -> Iterator[Tile]:
        """All tiles: what is kept changes last."""
        c, t = self.c, self.t
        pixels = [
            (image, lines, width)
            for image in range(c.images)
            for lines in spans(c.lines, t.lines)
            for width in spans(c.width, t.width)
        ]
        columns = spans(c.columns, t.columns)
        if t.keeps == "right" and c.constant:
            return (Tile(*p, n) for n in columns for p in pixels)
        if t.keeps == "right":
            each = len(pixels) // c.images
            return (
                Tile(*p, n)
                for image in range(c.images)
                for n in columns
                for p in pixels[image * each : (image + 1) * each]
            )
        return (Tile(*p, n) for p in pixels for n in columns)

    def emit(self) -> None:
        """All tiles."""
        before: Tile | None = None
        chunks = spans(self.c.channels, self.t.channels)
        left: list[Part] = []
        right: list[Part] = []
        for tile in self.tiles():
            same_columns = before is not None and before.columns == tile.columns
            same_right = same_columns and (
                self.c.constant or (before is not None and before.image == tile.image)
            )
            same_left = before is not None and before.pixels == tile.pixels
            has_left = self.t.keeps == "left" and same_left
            has_right = self.t.keeps == "right" and same_right
            if self.t.keeps == "left" and not has_left:
                left = next(self.slots["left"])
            if self.t.keeps == "right" and not has_right:
                right = next(self.slots["right"])
            if not same_columns:
                (self.scales,) = next(self.slots["scales"])
                self._load_scales(tile)
            count = parts(tile.columns.size, COLUMNS)
            sums = [next(self.sum_slots) for _ in range(count)]
            for number, k in enumerate(chunks):
                a = (
                    left[number]
                    if self.t.keeps == "left"
                    else next(self.slots["left"])[0]
                )
                b = (
                    right[number]
                    if self.t.keeps == "right"
                    else next(self.slots["right"])[0]
                )
                if not has_right:
                    self._load_right(tile, k, b)
                if not has_left:
                    self._load_left(tile, k, a)
                self._multiply(tile, k, a, b, sums)
            self._finish(tile, sums)
            before = tile

    def _load_scales(self, tile: Tile) -> None:
        first, count = tile.columns.start // COLUMNS, parts(tile.columns.size, COLUMNS)
        place = self.operands.channels.at(first)
        load(self.stream, place, self.scales, [(count * self.scale_bytes, 1, 1)])

    def _load_left(self, tile: Tile, k: Span, to: Part) -> None:
        """The windows of the pixels of a tile, as rows: im2col by strides."""
        c, size = self.c, self.size
        image = self.operands.left(tile.image)
        line, pixel, _ = image.strides
        row = c.taps * k.size * size
        run = c.kernel[1] if k.size == c.channels and pixel == k.size * size else 1
        for tap in range(0, c.taps, run):
            y, x = divmod(tap, c.kernel[1])
            place = image.at(
                tile.lines.start * c.stride + y,
                tile.width.start * c.stride + x,
                k.start,
            )
            dimensions = [
                (tile.lines.size, c.stride * line, tile.width.size * row),
                (tile.width.size, c.stride * pixel, row),
                (run * k.size * size, 1, 1),
            ]
            load(self.stream, place, to, dimensions, tap * k.size * size)

    def _load_right(self, tile: Tile, k: Span, to: Part) -> None:
        c, t, size, n = self.c, self.t, self.size, tile.columns
        place = self.operands.right(tile.image)
        if c.constant:
            rows = [padded(c.taps * s.size) for s in spans(c.channels, t.channels)]
            # What the tiles before hold: those of full columns, then of full channels.
            number = k.start // t.channels
            before = n.start * sum(rows) + padded(n.size) * sum(rows[:number])
            move = [(rows[number] * padded(n.size) * size, 1, 1)]
            load(self.stream, place.at(before * size), to, move)
        elif c.transposed:
            row = k.size * size
            move = [(n.size, place.strides[0], row), (row, 1, 1)]
            load(self.stream, place.at(n.start, k.start), to, move)
        else:
            move = [
                (k.size, place.strides[0], padded(n.size) * size),
                (n.size * size, 1, 1),
            ]
            load(self.stream, place.at(k.start, n.start), to, move)

    def _multiply(
        self, tile: Tile, k: Span, a: Part, b: Part, sums: list[Part]
    ) -> None:
        """Each piece of the weights, and all rows through it."""
        c, size = self.c, self.size
        depth, rows, wide = c.taps * k.size, tile.rows, padded(tile.columns.size)
        pieces = parts(depth, ROWS)
        for j in range(parts(tile.columns.size, COLUMNS)):
            columns = min(COLUMNS, tile.columns.size - j * COLUMNS)
            for i in range(pieces):
                deep = min(ROWS, depth - i * ROWS)
                if c.constant:
                    piece, stride = (j * pieces + i) * ROWS * COLUMNS, COLUMNS
                elif c.transposed:
                    piece, stride = j * COLUMNS * depth + i * ROWS, depth
                else:
                    piece, stride = i * ROWS * wide + j * COLUMNS, wide
                self.stream.add(
                    Preload(
                        b.address + piece * size, deep, columns, stride * size,
                        int(c.transposed),
                    ),
                    [b],
                )  # fmt: skip
                self.stream.add(
                    Compute(
                        a.address + i * ROWS * size, rows, deep, depth * size,
                        sums[j].address, int(k.start > 0 or i > 0),
                    ),
                    [a], [sums[j]],
                )  # fmt: skip

    def _finish(self, tile: Tile, sums: list[Part]) -> None:
        """The sums of a tile become results, and leave."""
        size, n = self.result_size, tile.columns
        (out,) = next(self.slots["out"])
        for j in range(parts(n.size, COLUMNS)):
            self.stream.add(
                Requantize(
                    sums[j].address, tile.rows,
                    min(COLUMNS, n.size - j * COLUMNS),
                    out.address + j * COLUMNS * size, n.size * size,
                    self.scales.address + j * self.scale_bytes, *self.bounds,
                    int(self.c.wide),
                ),
                [sums[j], self.scales], [out],
            )  # fmt: skip
        image = self.operands.out(tile.image)
        row = n.size * size
        dimensions = [
            (tile.lines.size, image.strides[0], tile.width.size * row),
            (tile.width.size, image.strides[1], row),
            (row, 1, 1),
        ]
        place = image.at(tile.lines.start, tile.width.start, n.start)
        store(self.stream, place, out, dimensions)
