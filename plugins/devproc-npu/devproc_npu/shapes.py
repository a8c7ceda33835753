"""The shape of a product, its tiles, and what they take of the memories.

A product is a convolution of one line whose window is one pixel. Its results are pixels of
lines, its sum runs over the taps of the window and the channels of a tap.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
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
    short: str = "last"
    """Which tile of lines and pixels is shorter, "first" or "last": no other work hides the
    load of the first, and the store of the last."""

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
