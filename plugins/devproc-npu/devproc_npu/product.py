"""Instructions of a product or convolution by tiles, with double buffering."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from devproc_npu.isa import Compute, Preload, Requantize
from devproc_npu.machine import COLUMNS, ROWS
from devproc_npu.moves import Place, load, spans, store, tiles
from devproc_npu.stream import Operand, Part, Stream
from devproc_npu.tiling import Convolution, Slot, Tiling, aligned, parts, slots


def padded(columns: int) -> int:
    """Columns, or rows, in whole pieces."""
    return aligned(columns, COLUMNS)


def blocks_of(columns: range) -> range:
    """The blocks of 16 columns that have these."""
    return range(columns.start // COLUMNS, parts(columns.stop, COLUMNS))


def pack(weight: NDArray, tiling: Tiling) -> NDArray[np.uint8]:
    """The bytes of a weight of shape (taps, channels, columns), tile by tile.

    A tile holds the taps and some channels of some columns as pieces of 16 rows, each
    piece 16 columns wide, columns outermost.
    """
    shape = weight.shape[1:]
    found: list[NDArray] = []
    for n, k in tiles(shape[::-1], (tiling.columns, tiling.channels)):
        rows = weight[:, k.start : k.stop, n.start : n.stop].reshape(-1, len(n))
        padding = (0, -len(rows) % ROWS), (0, -len(n) % COLUMNS)
        pieces = np.pad(rows, padding).reshape(-1, parts(len(n), COLUMNS), COLUMNS)
        found.append(pieces.swapaxes(0, 1).ravel())
    return np.concatenate(found).view(np.uint8)


def packed_bytes(c: Convolution, tiling: Tiling, size: int) -> int:
    """The length of what `pack` returns."""
    rows = sum(padded(c.taps * len(k)) for k in spans(c.channels, tiling.channels))
    return rows * sum(padded(len(n)) for n in spans(c.columns, tiling.columns)) * size


@dataclass(frozen=True)
class Operands:
    """Where the operands of a product are, by image first."""

    left: Place
    """Images, lines, pixels, channels."""
    right: Place
    """Images, rows, elements; of a constant, packed bytes."""
    channels: Place
    """Blocks of 16 columns."""
    out: Place
    """Images, lines, pixels, columns."""


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
        self.stream, self.c, self.t = stream, c, tiling
        self.places, self.bounds = operands, bounds
        found = slots(c, tiling, stream.type)
        left, right, self.out, scales = stream.scratchpad.turns(*found.values())
        self.left = Operand(self._load_left, left, found["left"].kept)
        self.right = Operand(self._load_right, right, found["right"].kept)
        load_scales = partial(load, stream, operands.channels)
        self.scales = Operand(load_scales, scales, found["scales"].kept)
        sums = Slot(max(2, parts(tiling.columns, COLUMNS)), tiling.rows)
        (self.sums,) = stream.accumulator.turns(sums)

    def emit(self) -> None:
        """All tiles: what is kept changes last."""
        c, t = self.c, self.t
        order = (0, 1, 2, 3)
        if t.keeps == "right":
            order = (3, 0, 1, 2) if c.constant else (0, 3, 1, 2)
        shape = c.images, c.lines, c.width, c.columns
        most = 1, t.lines, t.width, t.columns
        for image, lines, width, n in tiles(shape, most, order):
            pixels = len(lines) * len(width)
            scales = self.scales.part(blocks_of(n))
            sums = [next(self.sums) for _ in blocks_of(n)]
            for k in spans(c.channels, t.channels):
                right = self.right.part(range(1) if c.constant else image, k, n)
                left = self.left.part(image, lines, width, k)
                self._multiply(pixels, n, k, left, right, sums)
            out = next(self.out)
            self._requantize(pixels, n, scales, sums, out)
            store(self.stream, self.places.out, out, image, lines, width, n)

    def _load_left(
        self, to: Part, image: range, lines: range, width: range, k: range
    ) -> None:
        """The windows of the pixels of a tile, as rows: im2col by strides."""
        c, place = self.c, self.places.left
        of_image, line, pixel, size = place.strides
        steps = of_image, c.stride * line, c.stride * pixel, size
        row = c.taps * len(k) * size
        # Pixels that are adjacent, and whole, are one.
        run = c.kernel[1] if pixel == c.channels * size == len(k) * size else 1
        channels = range(k.start, k.start + run * len(k))
        for tap in range(0, c.taps, run):
            windows = place.at(0, *divmod(tap, c.kernel[1])).with_strides(*steps)
            box, inside = (
                (image, lines, width, channels),
                (0, len(width) * row, row, size),
            )
            load(self.stream, windows, to, *box, inside=inside, at=tap * len(k) * size)

    def _load_right(self, to: Part, image: range, k: range, n: range) -> None:
        c, t, place = self.c, self.t, self.places.right
        if c.constant:
            rows = [padded(c.taps * len(s)) for s in spans(c.channels, t.channels)]
            # What the tiles before hold: those of full columns, then of full channels.
            number = k.start // t.channels
            start = n.start * sum(rows) + padded(len(n)) * sum(rows[:number])
            stop, size = start + rows[number] * padded(len(n)), self.stream.type.size
            load(self.stream, place, to, range(start * size, stop * size))
        elif c.transposed:
            load(self.stream, place, to, image, n, k)
        else:
            inside = 0, padded(len(n)) * place.size, place.size
            load(self.stream, place, to, image, k, n, inside=inside)

    def _multiply(
        self, rows: int, n: range, k: range, a: Part, b: Part, sums: list[Part]
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
                self.stream.add(
                    Preload(
                        piece, len(part), len(columns), step * size, int(c.transposed)
                    ),
                    [b],
                )  # fmt: skip
                self.stream.add(
                    Compute(
                        a.address + part.start * size, rows, len(part), depth * size,
                        to.address, int(k.start > 0 or part.start > 0),
                    ),
                    [a], [to],
                )  # fmt: skip

    def _requantize(
        self, rows: int, n: range, scales: Part, sums: list[Part], out: Part
    ) -> None:
        """The sums of a tile become results."""
        size = self.places.out.size
        for j, columns in enumerate(spans(len(n), COLUMNS)):
            self.stream.add(
                Requantize(
                    sums[j].address, rows, len(columns),
                    out.address + columns.start * size, len(n) * size,
                    scales.address + j * self.stream.type.channel_bytes, *self.bounds,
                    int(self.c.wide),
                ),
                [sums[j], scales], [out],
            )  # fmt: skip
