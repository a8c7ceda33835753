"""Squares and columns of vectors turned over, by shuffles of two."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.vector_types import vector_lanes

BLOCK_BITS = 128
"""Within so many bits, x86 and ARM interleave two vectors by one instruction."""


def transpose_lanes(emitter: Emitter, rows: Sequence[SSAValue]) -> list[SSAValue]:
    """Vector i of the result holds lane i of every row; as many rows as lanes.

    In each of log2(lanes) rounds, squares of twice the size swap their two corners.
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

    Rows that are `size` apart lie side by side first, so that only neighbours within a
    block must meet; in each of log2(size) rounds, vectors half the way apart interleave.
    """
    lanes, half = len(rows), size // 2
    vectors = [_joined(emitter, rows[row::size]) for row in range(size)]
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


def _joined(emitter: Emitter, parts: Sequence[SSAValue]) -> SSAValue:
    """Vectors one behind the other; their number is a power of two."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    a, b = _joined(emitter, parts[:half]), _joined(emitter, parts[half:])
    return emitter.shuffle(a, b, range(2 * vector_lanes(a)))
