"""A square of vectors turned over, by shuffles of two."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.transforms.cpu.emitter import Emitter


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
