"""Instructions of a product or convolution by tiles, with double buffering."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from devproc_npu.isa import Compute, Preload, Requantize
from devproc_npu.lowering.moves import Place, Sizes, load, spans, store, tiles
from devproc_npu.lowering.stream import Operand, Part, Parts, Stream
from devproc_npu.machine import COLUMNS, ROWS
from devproc_npu.shapes import Convolution, Slot, Tiling, aligned, parts, slots


def padded(columns: int) -> int:
    """Columns, or rows, in whole pieces."""
    return aligned(columns, COLUMNS)


def blocks_of(columns: range) -> range:
    """The blocks of 16 columns that have these."""
    return range(columns.start // COLUMNS, parts(columns.stop, COLUMNS))


def packed(c: Convolution, t: Tiling) -> dict[tuple[range, range], range]:
    """For the columns and channels of each tile, which elements of a packed weight it has."""
    found: dict[tuple[range, range], range] = {}
    start = 0
    for n, k in tiles((c.columns, c.channels), (t.columns, t.channels)):
        stop = start + padded(c.taps * len(k)) * padded(len(n))
        found[n, k], start = range(start, stop), stop
    return found


def pack(weight: NDArray, tiling: Tiling) -> NDArray[np.uint8]:
    """The bytes of a weight of shape (taps, channels, columns), tile by tile.

    A tile holds the taps and some channels of some columns as pieces of 16 rows, each
    piece 16 columns wide, columns outermost.
    """
    found: list[NDArray] = []
    shape = weight.shape[:0:-1]
    for n, k in tiles(shape, (tiling.columns, tiling.channels)):
        rows = weight[:, k.start : k.stop, n.start : n.stop].reshape(-1, len(n))
        padding = (0, -len(rows) % ROWS), (0, -len(n) % COLUMNS)
        pieces = np.pad(rows, padding).reshape(-1, parts(len(n), COLUMNS), COLUMNS)
        found.append(pieces.swapaxes(0, 1).ravel())
    return np.concatenate(found).view(np.uint8)


@dataclass(frozen=True)
class Operands:
    """Where the operands of a product are, by image first."""

    left: Place
    """Images, lines, pixels, channels."""
    right: Place
    """Images, rows, elements; of a constant, packed elements."""
    channels: Place
    """Blocks of 16 columns."""
    out: Place
    """Images, lines, pixels, columns."""


def requantize(
    stream: Stream, sums: Parts, shape: Sizes, scales: Part, out: Part, clamp: Sizes
) -> None:
    """Sums of a shape (rows, columns), 16 columns in each part, become results; `clamp`:
    low, high, whether they are int32 sums instead."""
    (rows, columns), (*_, wide) = shape, clamp
    step, size = stream.type.channel_bytes, 4 if wide else stream.type.size
    for j, (part, n) in enumerate(zip(sums, spans(columns, COLUMNS), strict=True)):
        source, to = (part.address, rows, len(n)), out.address + n.start * size
        where = to, columns * size, scales.address + j * step
        stream.add(Requantize(*source, *where, *clamp), [part, scales], [out])


@dataclass
class Products:
    """The tiles of one convolution, as instructions at the end of a stream."""

    stream: Stream
    c: Convolution
    t: Tiling
    places: Operands
    bounds: tuple[int, int]

    def __post_init__(self) -> None:
        stream, found = self.stream, slots(self.c, self.t, self.stream.type)
        left, right, self.out, scales = stream.scratchpad.turns(*found.values())
        self.left = Operand(self._load_left, left, found["left"].kept)
        self.right = Operand(self._load_right, right, found["right"].kept)
        self.packed = packed(self.c, self.t)
        load_scales = partial(load, stream, self.places.channels)
        self.scales = Operand(load_scales, scales, found["scales"].kept)
        blocks = max(2, parts(self.t.columns, COLUMNS))
        (self.sums,) = stream.accumulator.turns(Slot(blocks, self.t.rows))

    def emit(self) -> None:
        """All tiles: what is kept changes last."""
        c, t = self.c, self.t
        order = (0, 1, 2, 3)
        if t.keeps == "right":
            order = (3, 0, 1, 2) if c.constant else (0, 3, 1, 2)
        shape = c.images, c.lines, c.width, c.columns
        most = 1, t.lines, t.width, t.columns
        early = (1, 2) if t.short == "first" else ()
        clamp = *self.bounds, int(c.wide)
        for image, lines, width, n in tiles(shape, most, order, early):
            pixels = len(lines) * len(width)
            scales = self.scales.part(blocks_of(n))
            sums = [next(self.sums) for _ in blocks_of(n)]
            for k in spans(c.channels, t.channels):
                right = self.right.part(range(1) if c.constant else image, k, n)
                left = self.left.part(image, lines, width, k)
                self._multiply(pixels, n, k, left, right, sums)
            out = next(self.out)
            requantize(self.stream, sums, (pixels, len(n)), scales, out, clamp)
            store(self.stream, self.places.out, out, image, lines, width, n)

    def _load_left(self, to: Part, *tile: range) -> None:
        """The windows of the pixels of a tile, as rows: im2col by strides."""
        c, place, (image, lines, width, k) = self.c, self.places.left, tile
        of_image, line, pixel, size = place.strides
        steps = of_image, c.stride * line, c.stride * pixel, size
        row = c.taps * len(k) * size
        # Pixels that are adjacent, and whole, are one.
        run = c.kernel[1] if pixel == c.channels * size == len(k) * size else 1
        box = image, lines, width, range(k.start, k.start + run * len(k))
        inside = 0, len(width) * row, row, size
        for tap in range(0, c.taps, run):
            windows = place.at(0, *divmod(tap, c.kernel[1])).with_strides(*steps)
            load(self.stream, windows, to, *box, inside=inside, at=tap * len(k) * size)

    def _load_right(self, to: Part, image: range, k: range, n: range) -> None:
        c, place = self.c, self.places.right
        if c.constant:
            load(self.stream, place, to, self.packed[n, k])
        elif c.transposed:
            load(self.stream, place, to, image, n, k)
        else:
            inside = 0, padded(len(n)) * place.size, place.size
            load(self.stream, place, to, image, k, n, inside=inside)

    def _multiply(
        self, rows: int, n: range, k: range, a: Part, b: Part, sums: Parts
    ) -> None:
        """Each piece of the weights, and all rows through it."""
        c, size = self.c, self.stream.type.size
        depth = c.taps * len(k)
        # Elements from one column, row and row of a piece to the next.
        column, row, step = 1, padded(len(n)), padded(len(n))
        if c.constant:
            column, row, step = padded(depth), COLUMNS, COLUMNS
        elif c.transposed:
            column, row, step = depth, 1, depth
        for columns, to in zip(spans(len(n), COLUMNS), sums, strict=True):
            for part in spans(depth, ROWS):
                piece = b.address + (columns.start * column + part.start * row) * size
                shape = len(part), len(columns), step * size
                self.stream.add(Preload(piece, *shape, int(c.transposed)), [b])
                left = a.address + part.start * size, rows, len(part), depth * size
                is_more = k.start > 0 or part.start > 0
                self.stream.add(Compute(*left, to.address, int(is_more)), [a], [to])
