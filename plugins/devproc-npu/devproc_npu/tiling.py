"""Tiles of a product or convolution: what is a tile, what stays in the scratchpad.

A product is a convolution of one line whose window is one pixel. Its `m` results are pixels
of lines, its sum runs over the taps of the window and the channels of a tap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf

from devproc_npu.isa import CHANNEL_BYTES, Type
from devproc_npu.machine import COLUMNS, ROWS, Machine


@dataclass(frozen=True)
class Convolution:
    """`lines` x `width` pixels of `columns` channels, from an image with its padding."""

    lines: int
    width: int
    columns: int
    channels: int
    kernel: tuple[int, int] = (1, 1)
    stride: int = 1
    constant: bool = True
    """Whether the right operand is a weight, packed by tile at compile time."""

    @property
    def taps(self) -> int:
        """Pixels of a window."""
        return self.kernel[0] * self.kernel[1]

    @property
    def image_width(self) -> int:
        """Pixels of a line of the image."""
        return (self.width - 1) * self.stride + self.kernel[1]

    @property
    def multiplications(self) -> int:
        """Multiply-accumulates of the whole."""
        return self.lines * self.width * self.columns * self.taps * self.channels


@dataclass(frozen=True)
class Tiling:
    """The sizes of a tile, and the operand of which all parts of a sum stay."""

    lines: int
    width: int
    columns: int
    channels: int
    keeps: str
    """"left", "right" or "none"."""

    @property
    def rows(self) -> int:
        """Pixels of a tile."""
        return self.lines * self.width


def parts(size: int, most: int) -> int:
    """How many parts of at most this size there are."""
    return ceil(size / most)


def candidates(c: Convolution) -> Iterator[Tiling]:
    """Whole lines, or parts of the only line; whole pieces of the array's size."""
    if c.lines == 1:
        boxes = {(1, w) for w in {*range(ROWS, c.width, ROWS), c.width}}
    else:
        boxes = {(lines, c.width) for lines in range(1, c.lines + 1)}
    # More than two tiles' worth of rows never fit the accumulator.
    boxes = {(lines, w) for lines, w in boxes if lines * w <= 512}
    columns = {*range(COLUMNS, min(c.columns, 512), COLUMNS), c.columns}
    channels = {*range(ROWS, c.channels, ROWS), c.channels}
    for lines, width in sorted(boxes):
        for n in sorted(columns):
            for k in sorted(channels):
                for keeps in ("none", "left", "right"):
                    yield Tiling(lines, width, n, k, keeps)


def scratchpad_bytes(c: Convolution, t: Tiling, type: Type) -> int:
    """What a tiling takes: two copies of each part, one of what is loaded only once."""
    left, right = t.rows * c.taps * t.channels, c.taps * t.channels * t.columns
    if t.keeps == "left":
        once = t.lines >= c.lines and t.width >= c.width
        left = t.rows * c.taps * c.channels * (1 if once else 2)
    else:
        left *= 2
    if t.keeps == "right":
        right = c.taps * c.channels * t.columns * (1 if t.columns >= c.columns else 2)
    else:
        right *= 2
    results = 2 * t.rows * t.columns
    scales = 2 * parts(t.columns, COLUMNS) * CHANNEL_BYTES
    return (left + right + results) * type.size + scales + 256


def fits(c: Convolution, t: Tiling, machine: Machine, type: Type) -> bool:
    """Whether scratchpad and accumulator hold it."""
    sums = 2 * t.rows * parts(t.columns, COLUMNS)
    return (
        sums <= machine.accumulator_rows
        and scratchpad_bytes(c, t, type) <= machine.scratchpad
    )


def estimate(c: Convolution, t: Tiling, machine: Machine, type: Type) -> float:
    """Cycles, by steps of one part of the sum of one tile.

    A step takes what the array or the DMA engine takes, whichever is longer; and as a part
    has two copies, two steps take at least one on the array, one load, and its latency.
    """
    tiles_m = parts(c.lines, t.lines) * parts(c.width, t.width)
    tiles_n, tiles_k = parts(c.columns, t.columns), parts(c.channels, t.channels)
    steps = tiles_m * tiles_n * tiles_k
    interval = max(t.rows, ROWS) if machine.shadow else t.rows + ROWS + machine.drain
    array = parts(c.taps * t.channels, ROWS) * parts(t.columns, COLUMNS) * interval
    size, bandwidth = type.size, machine.bandwidth * type.size
    run = c.kernel[1] if t.channels == c.channels else 1
    left = machine.moved(t.rows * c.taps // run, run * t.channels * size)
    right = machine.moved(1, c.taps * t.channels * t.columns * size)
    if not c.constant:
        right = machine.moved(c.taps * t.channels, t.columns * size)
    loads = left / (tiles_n if t.keeps == "left" else 1)
    loads += right / (tiles_m if t.keeps == "right" else 1)
    out = machine.moved(t.rows, t.columns * size) / tiles_k
    load = loads / bandwidth + machine.issue * (c.taps // run + 1)
    dma = load + out / bandwidth + machine.issue
    step = max(array, dma, (array + load + machine.latency) / 2)
    edges = (left + right + out * tiles_k) / bandwidth + 2 * machine.latency
    return steps * step + edges + t.rows * t.columns / machine.lanes


def best_tiling(c: Convolution, machine: Machine, type: Type) -> Tiling:
    """The tiling with the least estimate; ties go to the first.

    Raises ValueError where none fits.
    """
    best, least = None, inf
    for tiling in candidates(c):
        if fits(c, tiling, machine, type):
            cycles = estimate(c, tiling, machine, type)
            if cycles < least:
                best, least = tiling, cycles
    if best is None:
        raise ValueError(f"no tile of {c} fits the scratchpad")
    return best
