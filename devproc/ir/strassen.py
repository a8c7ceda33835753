"""The tables of Strassen's algorithm for matrix products.

Two matrices of 2 x 2 blocks are multiplied with seven products of sums of blocks instead
of eight (Strassen, "Gaussian elimination is not optimal", 1969). Blocks stand in the order
11, 12, 21, 22. With `level` 2 each of the seven products is made the same way; its tables
are the Kronecker products of these with themselves, the outer block or product first.
Where one matrix is constant, its sums are made in float64 at compile time.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

Table: TypeAlias = tuple[tuple[float, ...], ...]

PRODUCTS = 7
"""Products of one level."""

LEVELS = (1, 2)
"""How often the products are split; deeper ones lose more digits than time."""

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


def side_of(level: int) -> int:
    """Blocks along one dimension of a matrix."""
    return 2**level


def products_of(level: int) -> int:
    """Products of blocks, where the plain way takes `side_of(level) ** 3`."""
    return PRODUCTS**level


LEAST_TERMS, MOST_TERMS = 96, 384
"""Terms of a product that one accumulator takes."""


@cache
def block_positions(level: int) -> list[tuple[int, int]]:
    """Row and column of each block, in the order of the tables."""
    if level == 0:
        return [(0, 0)]
    half = side_of(level - 1)
    return [
        (half * (outer // 2) + row, half * (outer % 2) + column)
        for outer in range(4)
        for row, column in block_positions(level - 1)
    ]


def slice_depths(depth: int, lanes: int) -> list[int]:
    """How many terms of a product may be summed up at a time: divisors of its `depth`.

    They are whole vectors, long enough to be worth their beginning and end, and short
    enough that one accumulator keeps its digits.
    """
    least = -(-LEAST_TERMS // lanes) * lanes
    return [s for s in range(least, MOST_TERMS + 1, lanes) if depth % s == 0]
