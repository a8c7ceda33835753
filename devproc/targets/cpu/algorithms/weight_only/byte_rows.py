"""Rows of one signed byte for each number, which share a scale in each group of terms.

    x = scale * q,    scale = max |x| / 127

As many engines do for products with integer weights. The words of a row are adjacent,
followed by padding such that rows begin in different sets of a cache.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.ir.dtypes import ALIGNMENT
from devproc.targets.cpu.algorithms.weight_only.row_digits import WORD, RowDigits
from devproc.targets.cpu.transforms.nests.nest_emitter import Values

SHIFT = 1.5 * 2.0**23
"""Added to a number of at most 2^22, it leaves the nearest integer in the lowest bits."""

SHIFT_BITS = 0x4B400000
"""The bits of SHIFT as a float32."""


def padded_words(depth: int) -> int:
    """Words from one row to the next: an odd number of cache lines."""
    lines = -(-depth // ALIGNMENT)
    return (lines + 1 - lines % 2) * ALIGNMENT // WORD


class ByteRows(RowDigits):
    """The bytes of a block of rows in scratch memory, row by row."""

    @property
    def has_whole_rows(self) -> bool:
        return True

    def _place(self, word: SSAValue, row: SSAValue, digit: int) -> Values:
        return (row, word)

    def _rounded(self, number: SSAValue, factor: SSAValue) -> SSAValue:
        """The nearest integers plus SHIFT_BITS, whose lowest byte is zero: two
        instructions less than conversions to integers."""
        lanewise = self.lanewise
        return lanewise.as_integer(lanewise.fma(number, factor, lanewise.number(SHIFT)))

    def _sum(self, integers: Values) -> SSAValue:
        shift = self.scalar.integer(-self.terms * SHIFT_BITS % (1 << 32))
        return self.scalar.integer_op(arith.AddiOp, super()._sum(integers), shift)
