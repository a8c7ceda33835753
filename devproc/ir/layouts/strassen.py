"""The tables of Strassen's algorithm for matrix products.

Two matrices of 2 x 2 blocks are multiplied with seven products of sums of blocks instead
of eight (Strassen, "Gaussian elimination is not optimal", 1969). The order of blocks is
11, 12, 21, 22. The sums of a constant matrix are computed in float64 at compile time.
"""

from __future__ import annotations

from typing import TypeAlias

Table: TypeAlias = tuple[tuple[float, ...], ...]

SIDE = 2
"""Blocks along one dimension of a matrix."""

PRODUCTS = 7
"""Products of blocks, instead of eight."""

BLOCKS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Row and column of each block, in the order of the tables."""

LEFT: Table = (
    (1.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, 1.0, 1.0),
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
    (1.0, 1.0, 0.0, 0.0),
    (-1.0, 0.0, 1.0, 0.0),
    (0.0, 1.0, 0.0, -1.0),
)
"""(7, 4): the blocks of the left matrix in each product."""

RIGHT: Table = (
    (1.0, 0.0, 0.0, 1.0),
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, -1.0),
    (-1.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
    (1.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 1.0),
)
"""(7, 4): the blocks of the right matrix in each product."""

RESULT: Table = (
    (1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 1.0),
    (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    (1.0, -1.0, 1.0, 0.0, 0.0, 1.0, 0.0),
)
"""(4, 7): the products in each block of the result."""


LEAST_TERMS, MOST_TERMS = 256, 384
"""Terms that one accumulator sums: with fewer, the additions to the result cost more than the
eighth product; with more, precision is lost."""


def slice_depths(depth: int, lanes: int) -> list[int]:
    """The numbers of terms that may be summed at a time: divisors of `depth`.

    They are whole vectors, long enough to amortise prologue and epilogue, and short enough
    to keep the precision of one accumulator.
    """
    least = -(-LEAST_TERMS // lanes) * lanes
    return [s for s in range(least, MOST_TERMS + 1, lanes) if depth % s == 0]
