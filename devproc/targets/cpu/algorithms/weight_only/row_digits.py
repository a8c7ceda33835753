"""Splits the numbers of rows into signed bytes that share a scale in each group.

    x = scale * (q0 + 256 q1 + 65536 q2),    scale = max |x| / top

The largest number of a group becomes `top`, the largest integer whose bytes are all from
-128 to 127, after rounding. The bytes of four adjacent terms are a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import f32, i8, i32
from xdsl.ir import SSAValue

from devproc.dialects import simd_casts
from devproc.targets.cpu.transforms.loops.combiners import reduce_lanes
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.nest_emitter import Values

WORD = 4
"""Terms of a word."""

TOPS = {1: 127, 2: 32639, 3: 8323072}
"""Bytes of a number -> what the largest becomes. 127 * (1 + 256), and for three bytes one
that the rounding of the reciprocal does not carry into a fourth."""

MAGNITUDE, INFINITY = 0x7FFFFFFF, 0x7F800000
"""The bits of a float without its sign, and those of infinity."""

LEAST = 2.0**-100
"""Groups of smaller numbers have the scale of this one: a reciprocal would be infinite."""

LEAST_OF_ROW = 2.0**-76
"""A row of smaller numbers is not split: its groups could lose all digits."""


class Row(Protocol):
    """What reads the current row: `depth` float32 numbers, `wide` at a time."""

    emitter: Emitter
    lanewise: Lanewise
    wide: int
    depth: int

    def left_vector(self, term: SSAValue) -> SSAValue:
        """A vector of terms from this one on."""
        ...


class RowDigits:
    """The bytes of a block of rows in scratch memory (`plan.scratch`), by byte of a number,
    word and row; the code that makes them, and that reads them."""

    def __init__(
        self,
        loops: Row,
        memory: Mapping[str, SSAValue],
        digits: int,
        terms: int,
        zero: int,
        extension: str,
    ):
        """`terms`: of a group; `zero`: what is added to the weight's integers, unless it
        is taken off again, or 1 where they have zero points; `extension`: what multiplies
        the bytes."""
        self.loops, self.emitter, self.lanewise = loops, loops.emitter, loops.lanewise
        self.wide, self.scalar = loops.wide, Lanewise(loops.emitter, f32)
        self.count, self.terms, self.zero = digits, terms, zero
        self.extension = extension
        self.digits, self.scales = memory["digits"], memory["scales"]
        self.starts, self.unusual = memory["starts"], memory["unusual"]

    @property
    def has_whole_rows(self) -> bool:
        """Whether the words of a row are adjacent: here if the block is one row."""
        return memref_of(self.digits).get_num_dims() == 2

    def _place(self, word: SSAValue, row: SSAValue, digit: int) -> Values:
        """Where a word of a row is."""
        place = (self.emitter.index(digit), word)
        return place if self.has_whole_rows else (*place, row)

    # Read by tiles.

    def word(self, term_word: SSAValue, row: SSAValue, digit: int) -> SSAValue:
        """The bytes of four terms of a row, in every lane."""
        place = self._place(term_word, row, digit)
        return self.emitter.broadcast(self.emitter.load(self.digits, place), self.wide)

    def start(self, group: SSAValue, row: SSAValue, digit: int) -> SSAValue:
        """What the sum of a group begins with: minus `zero` times the bytes' sum."""
        place = (group, row, self.emitter.index(digit))
        return self.emitter.broadcast(self.emitter.load(self.starts, place), self.wide)

    def scale(self, group: SSAValue, row: SSAValue) -> SSAValue:
        """The scale of a group of a row."""
        return self.emitter.load(self.scales, (group, row))

    def is_unusual(self, row: SSAValue) -> SSAValue:
        """Whether a row has NaN or infinities, or only tiny numbers: it has no bytes."""
        found = self.emitter.load(self.unusual, (row,))
        return self.scalar.compare("ne", found, self.scalar.integer(0))

    # Made once for all panels.

    def fill(self, row: SSAValue) -> None:
        """Split a row of the block, at which the loops stand."""
        emitter, scalar = self.emitter, self.scalar

        def group(number: SSAValue, carried: Values) -> Values:
            largest = self._fill_group(number, row)
            return [emitter.value(arith.MaxSIOp, (carried[0], largest))]

        zero, end = emitter.index(0), emitter.index(self.loops.depth // self.terms)
        (largest,) = emitter.loop(zero, end, 1, [scalar.integer(0)], group)
        tiny = scalar.as_integer(scalar.number(LEAST_OF_ROW))
        # Unsigned, zero less one is larger than any bound.
        above = emitter.value(arith.SubiOp, (largest, scalar.integer(1)))
        is_tiny = scalar.compare("ult", above, tiny)
        is_infinite = scalar.compare("sge", largest, scalar.integer(INFINITY))
        either = emitter.value(arith.OrIOp, (is_tiny, is_infinite))
        flag = scalar.select(either, scalar.integer(1), scalar.integer(0))
        emitter.store(flag, self.unusual, (row,))

    def _fill_group(self, group: SSAValue, row: SSAValue) -> SSAValue:
        """Split the numbers of a group; returns the bits of the largest magnitude."""
        emitter, scalar = self.emitter, self.scalar
        first = emitter.mul(group, emitter.index(self.terms))
        numbers = [
            self.loops.left_vector(emitter.offset(first, term))
            for term in range(0, self.terms, self.wide)
        ]
        largest = self._largest(numbers)
        least = scalar.as_integer(scalar.number(LEAST))
        bounded = scalar.as_float(emitter.value(arith.MaxSIOp, (largest, least)))
        top = TOPS[self.count]
        inverse = emitter.value(arith.DivfOp, (scalar.number(top), bounded))
        scale = scalar.mul(bounded, scalar.number(1 / top))
        emitter.store(scale, self.scales, (group, row))
        factor = emitter.broadcast(inverse, self.wide)
        integers = [self._rounded(number, factor) for number in numbers]
        first_word = emitter.mul(group, emitter.index(self.terms // WORD))
        for digit in range(self.count):
            bytes_, integers = self._split(integers, digit == self.count - 1)
            self._store(bytes_, first_word, row, digit)
            total = self._sum(bytes_)
            start = scalar.integer_op(arith.MuliOp, total, scalar.integer(-self.zero))
            emitter.store(start, self.starts, (group, row, emitter.index(digit)))
        return largest

    def _largest(self, numbers: Values) -> SSAValue:
        """The bits of the largest magnitude, which order floats; NaN is the largest."""
        lanewise = self.lanewise
        mask, found = lanewise.integer(MAGNITUDE), None
        for number in numbers:
            bits = lanewise.integer_op(arith.AndIOp, lanewise.as_integer(number), mask)
            found = bits if found is None else self._op(arith.MaxSIOp, found, bits)
        assert found is not None
        return reduce_lanes(self.emitter, "maxsi", found)

    def _rounded(self, number: SSAValue, factor: SSAValue) -> SSAValue:
        """The integers nearest to numbers times a factor."""
        product = self.lanewise.mul(number, factor)
        whole = self.emitter.value(math.RoundEvenOp, (product,))
        type_ = vector_type(i32, self.wide)
        return self.emitter.value(simd_casts.FPToSIOp, (whole,), type_)

    def _split(self, integers: Values, is_last: bool) -> tuple[Values, Values]:
        """The lowest byte of each integer, with its sign, and what is left."""
        if is_last:
            return integers, ()
        lanewise = self.lanewise
        up, byte = lanewise.integer(24), lanewise.integer(8)
        lowest = [
            self._op(arith.ShRSIOp, self._op(arith.ShLIOp, number, up), up)
            for number in integers
        ]
        rest = [
            self._op(arith.ShRSIOp, self._op(arith.SubiOp, number, low), byte)
            for number, low in zip(integers, lowest, strict=True)
        ]
        return lowest, rest

    def _store(
        self, integers: Values, first: SSAValue, row: SSAValue, digit: int
    ) -> None:
        """Store the lowest byte of each integer, four in a word."""
        emitter, words = self.emitter, self.wide // WORD
        for number, integer in enumerate(integers):
            narrow = vector_type(i8, self.wide)
            bytes_ = emitter.value(simd_casts.TruncIOp, (integer,), narrow)
            packed = emitter.value(vector.BitcastOp, (bytes_,), vector_type(i32, words))
            start = emitter.offset(first, number * words)
            if self.has_whole_rows:
                place = self._place(start, row, digit)
                emitter.store_vector(packed, self.digits, place)
                continue
            for lane in range(words):
                word = emitter.append(vector.ExtractOp(packed, (lane,), i32)).results[0]
                place = self._place(emitter.offset(start, lane), row, digit)
                emitter.store(word, self.digits, place)

    def _sum(self, integers: Values) -> SSAValue:
        """The sum of the bytes of a group."""
        first, *others = integers
        for other in others:
            first = self._op(arith.AddiOp, first, other)
        return reduce_lanes(self.emitter, "add", first)

    def _op(self, op: type, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.lanewise.integer_op(op, a, b)
