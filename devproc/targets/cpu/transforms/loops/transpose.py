"""Transposes squares and columns of vectors, by two-operand shuffles."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import vector_lanes

BLOCK_BITS = 128
"""Vectors of up to this many bits are interleaved by one instruction on x86 and ARM."""


def transpose_lanes(emitter: Emitter, rows: Sequence[SSAValue]) -> list[SSAValue]:
    """Vector i of the result holds lane i of every row; as many rows as lanes.

    Each of log2(lanes) rounds swaps the off-diagonal quarters of squares of twice the
    size.
    """
    square, lanes = list(rows), len(rows)
    size = 1
    while size < lanes:
        upper = [i if not i & size else lanes + i - size for i in range(lanes)]
        lower = [i + size if not i & size else lanes + i for i in range(lanes)]
        for row in range(lanes):
            if not row & size:
                a, b = square[row], square[row + size]
                square[row] = emitter.shuffle(a, b, upper)
                square[row + size] = emitter.shuffle(a, b, lower)
        size *= 2
    return square


def transpose_blocks(
    emitter: Emitter, rows: Sequence[SSAValue], size: int
) -> list[SSAValue]:
    """Vector i of the result holds lane i of every row, of which each has `size` lanes.

    First, rows that are `size` apart are concatenated, so that only rows within a block
    must be combined; each of log2(size) rounds interleaves vectors of the two halves.
    """
    lanes, half = len(rows), size // 2
    vectors = [joined(emitter, rows[row::size]) for row in range(size)]
    blocks = range(0, lanes, size)
    lower, upper = (
        [b + i + n for b in blocks for i in part for n in (0, lanes)]
        for part in (range(half), range(half, size))
    )
    for _ in range(size.bit_length() - 1):
        vectors = [
            emitter.shuffle(a, b, mask)
            for a, b in zip(vectors[:half], vectors[half:], strict=True)
            for mask in (lower, upper)
        ]
    return vectors


def joined(emitter: Emitter, parts: Sequence[SSAValue]) -> SSAValue:
    """Concatenate vectors, whose number is a power of two."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    a, b = joined(emitter, parts[:half]), joined(emitter, parts[half:])
    return emitter.shuffle(a, b, range(2 * vector_lanes(a)))
