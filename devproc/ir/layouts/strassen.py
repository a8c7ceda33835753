"""The tables of Strassen's algorithm for matrix products.

Two matrices of 2 x 2 blocks are multiplied with seven products of sums of blocks instead
of eight (Strassen, "Gaussian elimination is not optimal", 1969). Blocks stand in the order
11, 12, 21, 22. Where one matrix is constant, its sums are made in float64 at compile time.
"""

from __future__ import annotations

from typing import TypeAlias

Table: TypeAlias = tuple[tuple[float, ...], ...]

SIDE = 2
"""Blocks along one dimension of a matrix."""

PRODUCTS = 7
"""Products of blocks, where the plain way takes eight."""

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
"""Terms of a product that one accumulator takes: with fewer, what is added to the result
costs more than the eighth product; with more, it loses digits."""


def slice_depths(depth: int, lanes: int) -> list[int]:
    """How many terms of a product may be summed up at a time: divisors of its `depth`.

    They are whole vectors, long enough to be worth their beginning and end, and short
    enough that one accumulator keeps its digits.
    """
    least = -(-LEAST_TERMS // lanes) * lanes
    return [s for s in range(least, MOST_TERMS + 1, lanes) if depth % s == 0]
