"""Winograd's inner product: two products for one multiply-add and two additions.

    a1 b1 + a2 b2 = (a1 + b2) (a2 + b1) - a1 a2 - b1 b2

(Winograd, "A new algorithm for inner product", 1968). What is subtracted belongs to one
row of the left matrix or one column of the right one alone, so a product of matrices pays
for it once. It gains where a processor adds beside its multiply-adds, in units of their
own: of three terms two then go as a pair, and one as it is, which is two multiply-adds and
two additions, in two thirds of the time of three multiply-adds.

The error grows with (|a| + |b|)^2 instead of |a| |b|. So each row and each column is scaled
to a root mean square near 1, by a power of two (Brent, "Algorithms for matrix
multiplication", 1970, scales whole matrices), and a row or column whose pairs are too
uneven is refused: `spread_bound`.

A column of a weight (N, K) is its N-th output; of filters (H, W, I, O), whose K is all but
the last dimension, the O-th. It lies in memory as blocks of terms, then terms that fill no block, its scale and its
bound. A block of `terms` begins with minus its sum of b1 b2; then come, term after term,
one of the first third, which is paired with one of the second, and one of the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

PARTS = 3
"""Thirds of a block: both sides of the pairs, and what is not paired."""

TERMS = 192
"""Terms of a block, as near as may be. With 96 a sum of 768 has 0.83 of PyTorch's error, with
192 1.1 times as much, in 0.975 of the time: each block takes two additions for each sum."""

LEAST_TERMS, MOST_TERMS = 96, 240
"""Terms of a block where that leaves fewer terms behind all blocks."""

MOST_SPREAD = 8.0
"""How uneven pairs may be: the sum of (a1 a2)^2 in terms of all terms. Of equal or normally
distributed numbers it is a third; when it is 8, rounding costs about as much as the sum
of as many terms does anyway."""


def matrix_sizes(shape: Sequence[int]) -> tuple[int, int]:
    """Outputs and terms of a weight (N, K), or of filters (H, W, I, O)."""
    if len(shape) == 2:
        return shape[0], shape[1]
    return shape[-1], prod(shape[:-1])


def block_terms(depth: int, lanes: int) -> int:
    """Terms of a block, of so many in all: a third is whole vectors. Few are left behind the
    blocks, which then are near to `TERMS`. 0 where not even one block is filled."""
    unit = PARTS * lanes
    sizes = [n for n in range(unit, MOST_TERMS + 1, unit) if n >= LEAST_TERMS]
    fitting = [n for n in sizes if n <= depth] or [depth // unit * unit]
    return min(fitting, key=lambda n: (n and depth % n // unit, abs(n - TERMS)))


def spread_bound(depth: int) -> float:
    """The largest sum of squares of pairs of a row or column of so many terms."""
    return MOST_SPREAD * depth


def scale_row(depth: int, terms: int) -> int:
    """Where a column has its scale: what a sum is multiplied with. The bound follows."""
    return depth // terms * (terms + 1) + depth % terms


def column_rows(depth: int, terms: int) -> int:
    """Numbers that a column has in memory."""
    return scale_row(depth, terms) + 2
