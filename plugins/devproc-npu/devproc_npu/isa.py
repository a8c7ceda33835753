"""The instructions, and their binary form: 16 little-endian words of 32 bits each.

Word 0 holds the opcode; the others hold the fields of the instruction in order, a word for
each, zero where none is left. Every instruction belongs to a queue; a queue runs its
instructions in order, and the four run side by side. Only `Fence` orders queues.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from enum import IntEnum
from typing import ClassVar, TypeAlias

from devproc_npu.machine import COLUMNS

WORDS = 16
CHANNEL_BYTES = COLUMNS * (4 + 4 + 1)
"""Biases, multipliers and shifts of 16 columns."""
ZEROS = 0xFFFF_FFFF
"""The buffer of a `Load` that fills with zeros."""


class Queue(IntEnum):
    """Where an instruction runs."""

    LOAD = 0
    ARRAY = 1
    VECTOR = 2
    STORE = 3


class Type(IntEnum):
    """What the array multiplies: int8 into int32 sums, or bf16 into f32 sums."""

    INT8 = 0
    BF16 = 1

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return 1 + self.value

    @property
    def channel_bytes(self) -> int:
        """Bytes of what `Requantize` reads for 16 columns: biases and multipliers, and for
        int8 the shifts."""
        return CHANNEL_BYTES if self is Type.INT8 else 8 * COLUMNS


@dataclass(frozen=True)
class Config:
    """The element type of all that follows; the first instruction of a program."""

    opcode: ClassVar = 1
    type: int


@dataclass(frozen=True)
class Fence:
    """`queue` goes on when `other` has completed `count` instructions of the program.

    Fences and `Config` count for no queue.
    """

    opcode: ClassVar = 2
    queue: int
    other: int
    count: int


@dataclass(frozen=True)
class Load:
    """Blocks of rows from a buffer of the external memory to the scratchpad.

    `size`: bytes of a row. Steps are bytes from one block, or row, to the next; two levels
    of both, so that one move makes the columns of a convolution.
    """

    opcode: ClassVar = 3
    queue: ClassVar = Queue.LOAD
    buffer: int
    offset: int
    address: int
    blocks: int
    rows: int
    size: int
    source_block: int
    source_row: int
    block: int
    row: int


@dataclass(frozen=True)
class Store:
    """Blocks of rows from the scratchpad to a buffer: the opposite of `Load`."""

    opcode: ClassVar = 4
    queue: ClassVar = Queue.STORE
    buffer: int
    offset: int
    address: int
    blocks: int
    rows: int
    size: int
    source_block: int
    source_row: int
    block: int
    row: int


@dataclass(frozen=True)
class Preload:
    """Weights of the array: `rows` x `columns` elements, the rest is zero.

    `row`: bytes from one row to the next. `transposed`: memory holds them by column.
    """

    opcode: ClassVar = 5
    queue: ClassVar = Queue.ARRAY
    address: int
    rows: int
    columns: int
    row: int
    transposed: int


@dataclass(frozen=True)
class Compute:
    """`rows` rows of `depth` elements through the array, into rows of the accumulator.

    `to`: the first row of the accumulator. `add`: whether to add to what is there.
    """

    opcode: ClassVar = 6
    queue: ClassVar = Queue.ARRAY
    address: int
    rows: int
    depth: int
    row: int
    to: int
    add: int


@dataclass(frozen=True)
class Requantize:
    """Rows of the accumulator to the scratchpad, as elements of the program's type.

    int8: `(sum + bias) * multiplier` shifted right as TOSA's RESCALE does with
    SINGLE_ROUND, then clamped to `low..high`; `sum + bias` wraps. `channels` addresses, for
    16 columns each: biases (int32), multipliers (int32), shifts (int8). bf16: the same in
    f32 with biases and multipliers alone, rounded to even; `low` and `high` are the bits of
    f32. `wide` (int8 only): int32 results, `sum + bias` as it is.
    """

    opcode: ClassVar = 7
    queue: ClassVar = Queue.VECTOR
    source: int
    rows: int
    columns: int
    address: int
    row: int
    channels: int
    low: int
    high: int
    wide: int = 0


@dataclass(frozen=True)
class Add:
    """The sum of two blocks of the scratchpad.

    int8: both rescaled and clamped to int32, their sum, which wraps, rescaled and clamped.
    `scales` addresses six int32: multiplier and shift of the left, the right and the sum.
    bf16: a sum of f32, clamped and rounded.
    """

    opcode: ClassVar = 8
    queue: ClassVar = Queue.VECTOR
    left: int
    left_row: int
    right: int
    right_row: int
    address: int
    row: int
    rows: int
    columns: int
    scales: int
    low: int
    high: int


@dataclass(frozen=True)
class Maximum:
    """The greater of two blocks of the scratchpad, element by element: pooling, clamping."""

    opcode: ClassVar = 9
    queue: ClassVar = Queue.VECTOR
    left: int
    left_row: int
    right: int
    right_row: int
    address: int
    row: int
    rows: int
    columns: int


@dataclass(frozen=True)
class Accumulate:
    """The sum of `rows` rows of the scratchpad, into one row of the accumulator."""

    opcode: ClassVar = 10
    queue: ClassVar = Queue.VECTOR
    address: int
    row: int
    rows: int
    columns: int
    to: int
    add: int


Instruction: TypeAlias = (
    Config
    | Fence
    | Load
    | Store
    | Preload
    | Compute
    | Requantize
    | Add
    | Maximum
    | Accumulate
)
CLASSES: dict[int, type[Instruction]] = {
    c.opcode: c
    for c in (
        *(Config, Fence, Load, Store, Preload, Compute),
        *(Requantize, Add, Maximum, Accumulate),
    )
}


def encode(program: Iterable[Instruction]) -> bytes:
    """The binary form. Raises ValueError for a field that is no word."""
    words: list[int] = []
    for instruction in program:
        values = [instruction.opcode, *astuple(instruction)]
        if bad := [v for v in values if not -(2**31) <= v < 2**32]:
            raise ValueError(f"{instruction}: {bad[0]} does not fit 32 bits")
        words += [v & 0xFFFF_FFFF for v in values] + [0] * (WORDS - len(values))
    return struct.pack(f"<{len(words)}I", *words)


def decode(data: bytes) -> list[Instruction]:
    """The instructions of a binary. Raises ValueError for one that is none."""
    if len(data) % (4 * WORDS):
        raise ValueError(f"{len(data)} bytes are no whole instructions")
    return [
        _decoded(struct.unpack_from(f"<{WORDS}I", data, start), start // (4 * WORDS))
        for start in range(0, len(data), 4 * WORDS)
    ]


def _decoded(words: Sequence[int], number: int) -> Instruction:
    kind = CLASSES.get(words[0])
    if kind is None:
        raise ValueError(f"instruction {number} has the unknown opcode {words[0]}")
    names = [f.name for f in fields(kind)]
    if any(words[1 + len(names) :]):
        raise ValueError(f"instruction {number} ({kind.__name__}) has words too many")
    values = [
        word - 2**32 if name in SIGNED and word >= 2**31 else word
        for name, word in zip(names, words[1:], strict=False)
    ]
    return kind(*values)


SIGNED = frozenset({"low", "high", "source_block", "source_row", "block", "row"})
"""Fields that may be negative."""
