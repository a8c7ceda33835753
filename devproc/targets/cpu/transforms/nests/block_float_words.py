"""The numbers of a panel in block floating point, from words: four quarters from three."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from devproc.targets.cpu.transforms.loops.lanewise import Lanewise

UPPER_BITS = -1 << 8
"""The upper bits of a word, which hold a number."""

UNIT = 2.0**-30
"""What the integers are multiples of, before the scale of their column."""


def unpack(lanewise: Lanewise, words: Callable[[int], SSAValue]) -> Iterator[SSAValue]:
    """The numbers of each quarter of a row, in the upper bits of integers: times
    `2**30 / scale`. `words` gives a third of its words, by number."""

    def op(op_class: type[Operation], a: SSAValue, b: int) -> SSAValue:
        return lanewise.integer_op(op_class, a, lanewise.integer(b))

    def joined(upper: SSAValue, lower: SSAValue, bits: int) -> SSAValue:
        """A number: the low bits of one word followed by the high bits of another."""
        upper = op(arith.ShLIOp, upper, 32 - bits)
        word = lanewise.integer_op(arith.OrIOp, upper, op(arith.ShRUIOp, lower, bits))
        return op(arith.AndIOp, word, UPPER_BITS)

    first = words(0)
    yield op(arith.AndIOp, first, UPPER_BITS)
    middle = words(1)
    yield joined(first, middle, 8)
    last = words(2)
    yield joined(middle, last, 16)
    yield op(arith.ShLIOp, last, 8)
