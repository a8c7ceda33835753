"""Block floating point: numbers of a block share one exponent and keep 24 bits each.

(Wilkinson, "Rounding Errors in Algebraic Processes", 1963, section 1.10.) A float32 number
spends 8 of its 32 bits on an exponent of its own. Where all that a product does is wait
for its weight, three bytes for each number instead of four are a quarter less to wait for.

A block is some terms of one column, so that its scale leaves the sum of these terms as one
factor. With `reach`, the least power of two above a block's magnitudes, each number errs by
`reach * 2**-24` at most, where float32 errs by half a unit in that number's own last place:
numbers of one magnitude lose nothing to speak of, but small ones beside a large one lose
what it gains. Small integers and powers of two stay exact.

One term of all columns of a panel is a row of words. The columns are four quarters, whose
numbers a, b, c and d share three words, each the whole of its third of the row:

    first    a: all 24 bits     b: highest 8
    middle   b: lowest 16       c: highest 16
    last     c: lowest 8        d: all 24 bits

So where a vector of words ends, four vectors of numbers do, and no bit changes its lane.
The bits of a number stand in order, in one word or from the end of one to the begin of the
next, so that two shifts, or the one of two words that some processors have, bring them
together.
"""

from __future__ import annotations

MANTISSA_BITS = 24
"""Bits of a number, its sign among them."""

QUARTERS = 4
"""Columns whose numbers share three words."""

WORD_BYTES = 4
"""Bytes of a float32: what a number is unpacked to, and what its scale takes."""

LEAST_EXPONENT = -100
"""That of blocks of smaller numbers, too: 2**-124 is all that they may lose, and powers of
two up to theirs are float32."""

LEAST_TERMS, MOST_TERMS = 32, 64
"""Terms of a block: with fewer, exponents take more room; with more, a large number costs
more small ones their digits."""

STEP = 2
"""Terms that a kernel takes at a time, each into accumulators of its own."""


def block_terms(depth: int) -> int | None:
    """Terms of each block of a column of `depth` terms, all equal; None if there is no
    such number."""
    sizes = [n for n in range(MOST_TERMS, LEAST_TERMS - 1, -1) if depth % n == 0]
    return next((n for n in sizes if n % STEP == 0), next(iter(sizes), None))


def row_words(width: int) -> int:
    """Words of one term of `width` columns."""
    return width // QUARTERS * (QUARTERS - 1)


def block_words(terms: int, width: int) -> int:
    """Words (float32) of a block of `width` columns: the numbers, then the scales."""
    return terms * row_words(width) + width
