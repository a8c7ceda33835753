"""Tiles of a product or convolution: what is a tile, what stays in the scratchpad.

A product is a convolution of one line whose window is one pixel. Its `m` results are pixels
of lines, its sum runs over the taps of the window and the channels of a tap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf

from devproc_npu.isa import Type
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
    # Two blocks of more rows than this never fit the accumulator.
    boxes = {(lines, w) for lines, w in boxes if lines * w <= 512}
    columns = {*range(COLUMNS, min(c.columns, 512), COLUMNS), c.columns}
    channels = {*range(ROWS, c.channels, ROWS), c.channels}
    for lines, width in sorted(boxes):
        for n in sorted(columns):
            for k in sorted(channels):
                for keeps in ("none", "left", "right"):
                    yield Tiling(lines, width, n, k, keeps)


def scratchpad_bytes(c: Convolution, t: Tiling, type: Type) -> int:
    """What a tiling takes: two copies of each part, one of what is loaded only once; each
    at a multiple of 64 bytes."""
    depth, blocks = c.taps * t.channels, parts(t.columns, COLUMNS)

    def copies(operand: str, is_whole: bool) -> int:
        kept = parts(c.channels, t.channels) * (1 if is_whole else 2)
        return kept if t.keeps == operand else 2

    held = (
        (t.rows * depth, copies("left", t.lines >= c.lines and t.width >= c.width)),
        (
            parts(depth, ROWS) * ROWS * blocks * COLUMNS,
            copies("right", t.columns >= c.columns),
        ),
        (t.rows * t.columns, 2),
        (blocks * type.channel_bytes // type.size, 2),
    )
    return sum(count * parts(part * type.size, 64) * 64 for part, count in held)


def fits(c: Convolution, t: Tiling, machine: Machine, type: Type) -> bool:
    """Whether scratchpad and accumulator hold it."""
    # One block of columns is computed while another leaves.
    sums = t.rows * max(2, parts(t.columns, COLUMNS))
    return (
        sums <= machine.accumulator_rows
        and scratchpad_bytes(c, t, type) <= machine.scratchpad
    )


def estimate(c: Convolution, t: Tiling, machine: Machine, type: Type) -> float:
    """Cycles, by steps of one part of the sum of one tile of average size.

    A step takes what the array or the DMA engine takes, whichever is longer. As operands
    have two copies, two steps take at least one on the array, from the first weights to the
    last result, and one load with its latency; once per tile also the store of the results,
    and the longest step if they differ.
    Time left over where an operand is kept does not help the tiles that load it.
    """
    tiles_m = parts(c.lines, t.lines) * parts(c.width, t.width)
    tiles_n, tiles_k = parts(c.columns, t.columns), parts(c.channels, t.channels)
    rows, wait = c.lines * c.width / tiles_m, ROWS + machine.drain
    interval = rows + wait
    if machine.shadow:
        last = c.lines * c.width - (tiles_m - 1) * t.rows
        whole = max(t.rows, ROWS)
        interval = whole + (max(last, ROWS) - whole) / tiles_m
    wait = machine.latency + (wait if machine.shadow else 0)
    interval *= parts(c.columns, COLUMNS) / tiles_n
    array = parts(c.taps * c.channels, ROWS) / tiles_k * interval
    longest = parts(c.taps * t.channels, ROWS) * interval
    size, bandwidth = type.size, machine.bandwidth * type.size
    run = c.kernel[1] if t.channels == c.channels else 1
    windows = c.taps // run
    left = rows * windows * machine.moved(1, run * t.channels * size) / bandwidth
    right = machine.moved(1, c.taps * t.channels * t.columns * size) / bandwidth
    if not c.constant:
        right = machine.moved(c.taps * t.channels, t.columns * size) / bandwidth
    left, right = left + machine.issue * windows, right + machine.issue
    out = rows * machine.moved(1, t.columns * size) / bandwidth + machine.issue

    def tile(load: float) -> float:
        step = max(array, load + out / tiles_k, (array + load + wait) / 2)
        return tiles_k * step + max(0, longest + load + out + wait - 2 * step)

    fresh = {"left": tiles_m, "right": tiles_n}.get(t.keeps, tiles_m * tiles_n)
    again = {"left": right, "right": left}.get(t.keeps, 0)
    cycles = fresh * tile(left + right) + (tiles_m * tiles_n - fresh) * tile(again)
    edges = left + right + out + 2 * machine.latency
    return cycles + edges + rows * t.columns / machine.lanes


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
