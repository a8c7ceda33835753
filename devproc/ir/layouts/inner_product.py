"""Winograd's inner product: two products for one multiply-add and two additions.

    a1 b1 + a2 b2 = (a1 + b2) (a2 + b1) - a1 a2 - b1 b2

(Winograd, "A new algorithm for inner product", 1968). Each subtracted term depends on one
row of the left matrix or one column of the right one alone, so a matrix product computes it
once. It pays on a processor with separate adders alongside its multiply-add units: of three
terms two are paired and one is computed directly, which takes two multiply-adds and two
additions, in two thirds of the time of three multiply-adds.

The error grows with (|a| + |b|)^2 instead of |a| |b|. So each row and each column is scaled
to a root mean square near 1, by a power of two (Brent, "Algorithms for matrix
multiplication", 1970, scales whole matrices), and a row or column whose pairs are too
uneven is refused: `spread_bound`.

A column of a weight (N, K) is its N-th output; of filters (H, W, I, O), whose K is all but
the last dimension, the O-th. In memory it is blocks of terms, then the remaining terms, its
scale and its bound. A block of `terms` begins with minus its sum of b1 b2; then follow, term
by term, one of the first third, which is paired with one of the second, and one of the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

PARTS = 3
"""Thirds of a block: both sides of the pairs, and the unpaired terms."""

TERMS = 192
"""Preferred terms of a block. With 96 a sum of 768 terms has 0.83 of PyTorch's error, with 192
1.1 times as much, in 0.975 of the time: each block costs two additions per sum."""

LEAST_TERMS, MOST_TERMS = 96, 240
"""Terms of a block if that leaves fewer terms after the last block."""

MOST_SPREAD = 8.0
"""How uneven pairs may be: the sum of (a1 a2)^2 divided by the number of terms. For equal or
normally distributed numbers it is a third; at 8 the additional rounding error is about that
of the sum itself."""


def matrix_sizes(shape: Sequence[int]) -> tuple[int, int]:
    """Outputs and terms of a weight (N, K), or of filters (H, W, I, O)."""
    if len(shape) == 2:
        return shape[0], shape[1]
    return shape[-1], prod(shape[:-1])


def block_terms(depth: int, lanes: int) -> int:
    """Terms of a block of a column of `depth` terms; a third of them is whole vectors.

    As few terms as possible remain after the blocks, then the size is close to `TERMS`.
    0 if not even one block is filled.
    """
    unit = PARTS * lanes
    sizes = [n for n in range(unit, MOST_TERMS + 1, unit) if n >= LEAST_TERMS]
    fitting = [n for n in sizes if n <= depth] or [depth // unit * unit]
    return min(fitting, key=lambda n: (n and depth % n // unit, abs(n - TERMS)))


def spread_bound(depth: int) -> float:
    """The largest sum of squares of pairs of a row or column of `depth` terms."""
    return MOST_SPREAD * depth


def scale_row(depth: int, terms: int) -> int:
    """The position of the scale of a column, the factor of its sum; the bound follows."""
    return depth // terms * (terms + 1) + depth % terms


def column_rows(depth: int, terms: int) -> int:
    """Numbers of a column in memory."""
    return scale_row(depth, terms) + 2
