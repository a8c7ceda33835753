"""Block floating point: numbers of a block share one exponent and keep 24 bits each.

(Wilkinson, "Rounding Errors in Algebraic Processes", 1963, section 1.10.) A float32 number
spends 8 of its 32 bits on its own exponent. A product that is bound by reading its weight
reads a quarter less with three bytes per number instead of four.

A block is a range of terms of one column, so that its scale is one factor of the sum of
these terms. With `reach`, the least power of two above a block's magnitudes, the error of
each number is at most `reach * 2**-24`, while that of float32 is half a unit in the last
place of the number: numbers of similar magnitude lose hardly anything, but small numbers in
a block with a large one lose precision. Small integers and powers of two stay exact.

One term of all columns of a panel is a row of words. The columns are four quarters, whose
numbers a, b, c and d share three words, one in each third of the row:

    first    a: all 24 bits     b: highest 8
    middle   b: lowest 16       c: highest 16
    last     c: lowest 8        d: all 24 bits

So three vectors of words hold four vectors of numbers, and no bit changes its lane. The
bits of a number are contiguous, in one word or across two, so that two shifts, or one
funnel shift on processors that have it, extract them.
"""

from __future__ import annotations

MANTISSA_BITS = 24
"""Bits of a number, including its sign."""

QUARTERS = 4
"""Columns whose numbers share three words."""

WORD_BYTES = 4
"""Bytes of a float32: of an unpacked number, and of a scale."""

LEAST_EXPONENT = -100
"""The exponent of blocks of smaller numbers as well: they lose at most 2**-124, and powers
of two down to this one are float32."""

LEAST_TERMS, MOST_TERMS = 32, 64
"""Terms of a block: with fewer, exponents take more space; with more, a large number
degrades more small ones."""

STEP = 2
"""Terms that a kernel processes at a time, each with its own accumulators."""


def block_terms(depth: int) -> int | None:
    """Terms of each block of a column of `depth` terms, all equal; None if impossible."""
    sizes = [n for n in range(MOST_TERMS, LEAST_TERMS - 1, -1) if depth % n == 0]
    return next((n for n in sizes if n % STEP == 0), next(iter(sizes), None))


def row_words(width: int) -> int:
    """Words of one term of `width` columns."""
    return width // QUARTERS * (QUARTERS - 1)


def block_words(terms: int, width: int) -> int:
    """Words (float32) of a block of `width` columns: the numbers, then the scales."""
    return terms * row_words(width) + width
