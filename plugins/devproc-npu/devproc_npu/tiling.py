"""Tiles of a product or convolution: what is a tile, what stays in the scratchpad.

A product is a convolution of one line whose window is one pixel. Its `m` results are pixels
of lines, its sum runs over the taps of the window and the channels of a tap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import ceil, inf
from typing import NamedTuple

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
    images: int = 1
    """How many alike, with another left operand each, and another right if not constant."""
    transposed: bool = False
    """Whether the right operand has a row for each column of results."""
    wide: bool = False
    """Whether results are sums of 32 bits."""

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
        results = self.images * self.lines * self.width * self.columns
        return results * self.taps * self.channels

    def result_size(self, type: Type) -> int:
        """Bytes of a result."""
        return 4 if self.wide else type.size


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

    @property
    def sum_rows(self) -> int:
        """Rows of the accumulator: one block of columns is computed while another
        leaves."""
        return self.rows * max(2, parts(self.columns, COLUMNS))


def aligned(size: int, alignment: int = 64) -> int:
    """Bytes up to the next start of a part."""
    return -(-size // alignment) * alignment


def parts(size: int, most: int) -> int:
    """How many parts of at most this size there are."""
    return ceil(size / most)


def pieces(size: int) -> list[int]:
    """The sizes of parts worth trying: whole pieces of the array, or all; of those that
    give the same number of parts, the smallest."""
    whole = parts(size, ROWS)
    found = {parts(whole, count) * ROWS for count in range(1, whole + 1)}
    return sorted(min(n, size) for n in found)


def candidates(c: Convolution) -> Iterator[Tiling]:
    """Whole lines, or parts of a line; whole pieces of the array's size."""
    boxes = {(lines, c.width) for lines in range(1, c.lines + 1)}
    if c.lines == 1 or c.width > 512:
        boxes |= {(1, w) for w in range(ROWS, min(c.width, 513), ROWS)}
    # Two blocks of more rows than this never fit the accumulator.
    boxes = {(lines, w) for lines, w in boxes if lines * w <= 512}
    columns = [n for n in pieces(c.columns) if n <= 512]
    channels = pieces(c.channels)
    for lines, width in sorted(boxes):
        for n in columns:
            for k in channels:
                for keeps in ("none", "left", "right"):
                    yield Tiling(lines, width, n, k, keeps)


class Slot(NamedTuple):
    """What an operand has in the scratchpad: so many copies of a part, which take turns, the
    bytes of one, and how many of the last stay until they have been used again."""

    copies: int
    size: int
    kept: int = 0


def slots(c: Convolution, t: Tiling, type: Type) -> dict[str, Slot]:
    """What a tiling has in the scratchpad. What is loaded only once has one copy."""
    depth, blocks = c.taps * t.channels, parts(t.columns, COLUMNS)
    rows = t.channels if c.transposed else parts(depth, ROWS) * ROWS
    columns = t.columns if c.transposed else blocks * COLUMNS
    is_alone = c.images == 1
    all_left = is_alone and t.lines >= c.lines and t.width >= c.width
    all_right = t.columns >= c.columns and (c.constant or is_alone)

    def operand(name: str, size: int, is_whole: bool) -> Slot:
        kept = parts(c.channels, t.channels) if t.keeps == name else 0
        copies = kept if kept and is_whole else 2 * max(kept, 1)
        return Slot(copies, size * type.size, kept)

    return {
        "left": operand("left", t.rows * depth, all_left),
        "right": operand("right", rows * columns, all_right),
        "out": Slot(2, t.rows * t.columns * c.result_size(type)),
        "scales": Slot(2, blocks * type.channel_bytes, 1),
    }


def scratchpad_bytes(slots: Iterable[Slot]) -> int:
    """What operands take."""
    return sum(slot.copies * aligned(slot.size) for slot in slots)


def fits(c: Convolution, t: Tiling, machine: Machine, type: Type) -> bool:
    """Whether scratchpad and accumulator hold it."""
    return (
        t.sum_rows <= machine.accumulator_rows
        and scratchpad_bytes(slots(c, t, type).values()) <= machine.scratchpad
    )


def estimate(c: Convolution, t: Tiling, machine: Machine, type: Type) -> float:
    """Cycles, by steps of one part of the sum of one tile of average size.

    A step takes what the array or the DMA engine takes, whichever is longer. As operands
    have two copies, two steps take at least one on the array, from the first weights to the
    last result, and one load with its latency; once per tile also the store of the results,
    and the longest step if they differ.
    Time left over where an operand is kept does not help the tiles that load it.
    """
    image = parts(c.lines, t.lines) * parts(c.width, t.width)
    tiles_n, tiles_k = parts(c.columns, t.columns), parts(c.channels, t.channels)
    rows, wait = c.lines * c.width / image, ROWS + machine.drain
    interval = rows + wait
    if machine.shadow:
        last = c.lines * c.width - (image - 1) * t.rows
        whole = max(t.rows, ROWS)
        interval = whole + (max(last, ROWS) - whole) / image
    wait = machine.latency + (wait if machine.shadow else 0)
    interval *= parts(c.columns, COLUMNS) / tiles_n
    array = parts(c.taps * c.channels, ROWS) / tiles_k * interval
    longest = parts(c.taps * t.channels, ROWS) * interval
    left, right, out = _loads(c, t, machine, type)

    def tile(load: float) -> float:
        step = max(array, load + out / tiles_k, (array + load + wait) / 2)
        return tiles_k * step + max(0, longest + load + out + wait - 2 * step)

    tiles = c.images * image * tiles_n
    kept = tiles_n if c.constant else c.images * tiles_n
    fresh = {"left": c.images * image, "right": kept}.get(t.keeps, tiles)
    again = {"left": right, "right": left}.get(t.keeps, 0)
    cycles = fresh * tile(left + right) + (tiles - fresh) * tile(again)
    edges = left + right + out + 2 * machine.latency
    return cycles + edges + rows * t.columns / machine.lanes


def _loads(
    c: Convolution, t: Tiling, machine: Machine, type: Type
) -> tuple[float, float, float]:
    """Cycles of the DMA engine for a part of either operand, and for a tile's results."""
    size, bandwidth = type.size, machine.bandwidth * type.size
    rows = c.lines * c.width / (parts(c.lines, t.lines) * parts(c.width, t.width))

    def moved(count: float, row: int, adjacent: bool = False) -> float:
        """Of rows in one move."""
        if adjacent:
            return machine.moved(1, ceil(count * row)) / bandwidth + machine.issue
        each = max(machine.moved(1, row) / bandwidth, 1 / machine.rows)
        return count * each + machine.issue

    run = c.kernel[1] if t.channels == c.channels else 1
    whole = t.channels == c.channels and c.taps == c.stride == 1
    left = c.taps // run * moved(rows, run * t.channels * size, whole)
    if c.constant:
        right = moved(1, c.taps * t.channels * t.columns * size)
    elif c.transposed:
        right = moved(t.columns, t.channels * size, t.channels == c.channels)
    else:
        right = moved(t.channels, t.columns * size, t.columns == c.columns)
    out = moved(rows, t.columns * c.result_size(type), t.columns == c.columns)
    return left, right, out


@cache
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
