"""Weights of products in fewer bits than the sums: "weight-only" quantization.

A weight (N, K) is stored in panels of `width` outputs, in blocks of terms of K. A block is
one stream of 32-bit words, which a kernel reads once, in order:

    int8        for each 4 terms a word for each output; then a float16 scale for each
    int4        for each 8 terms a word for each output; then a float16 scale for each
    uint8       as int8, followed by a zero point for each output, a byte
    uint4       as int4, followed by a zero point for each output, a byte
    bfloat16    for each 2 terms a word for each output
    float16     for each term a number for each output

A block of integers is the group of terms that share a scale. Signed integers are stored
unsigned, 128 (8) added, since `vpdpbusd` multiplies unsigned by signed bytes; a kernel
begins its sums with the opposite. The bytes of a word of int4 have the terms k to k + 3 in
their lower halves, k + 4 to k + 7 in the upper ones.
"""

from __future__ import annotations

from devproc.ir.weight_format import SCALE_BITS, ZERO_BITS, WeightFormat

MOST_TERMS = 64
"""Most terms of a block of floats: of what one accumulator sums."""

WORD_BITS = 32


def block_terms(depth: int, stored: WeightFormat) -> int:
    """Terms of a block of a column of `depth` terms; 0 if blocks are not possible."""
    if stored.is_integer:
        return 0 if depth % stored.group else stored.group
    sizes = (size for size in range(MOST_TERMS, 1, -2) if depth % size == 0)
    return next(sizes, 0)


def block_words(stored: WeightFormat, terms: int, width: int) -> int:
    """Words of a block of `width` outputs."""
    numbers = numbers_words(stored, terms, width)
    return numbers + scale_words(stored, width) + zero_words(stored, width)


def numbers_words(stored: WeightFormat, terms: int, width: int) -> int:
    """Words of the numbers of a block."""
    return terms * width * stored.bits // WORD_BITS


def scale_words(stored: WeightFormat, width: int) -> int:
    """Words of the scales of a block, which follow the numbers."""
    return width * SCALE_BITS // WORD_BITS if stored.is_integer else 0


def zero_words(stored: WeightFormat, width: int) -> int:
    """Words of the zero points of a block, which follow the scales."""
    return width * ZERO_BITS // WORD_BITS if stored.has_zeros else 0


def word_terms(stored: WeightFormat) -> int:
    """Terms of an output that a row of words holds; one in a row of float16, whose numbers
    are in the order of the outputs."""
    return 1 if stored.dtype == "float16" else WORD_BITS // stored.bits
