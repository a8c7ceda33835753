"""Single elements of packed weights, which are read as their values in float32.

A language model reads a row of its embedding for each token, from the panels in which the
same matrix is stored for the product of its last layer. An element is a word or two in
memory, a few instructions, and the scale of its block: nothing for a row, but a product
reads whole vectors of columns instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import f16, f32, i8, i32
from xdsl.ir import Operation, SSAValue

from devproc.dialects.dev import BlockFloatAttr, WeightOnlyAttr, stored_as
from devproc.ir.layouts.block_float import MANTISSA_BITS, QUARTERS, row_words
from devproc.ir.layouts.weight_only import (
    WORD_BITS,
    numbers_words,
    scale_words,
    word_terms,
)
from devproc.targets.cpu.transforms.loops.access import locate, physical_view, view_as
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.block_float_words import UNIT, UPPER_BITS

BYTE_BITS = 8


def load_at(emitter: Emitter, value: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    """The element of a memref at its logical indices, also one of a packed weight."""
    if layout := stored_as(value, WeightOnlyAttr):
        return WeightOnlyElements(emitter, value, layout).load(*indices)
    if layout := stored_as(value, BlockFloatAttr):
        return BlockFloatElements(emitter, value, layout).load(*indices)
    return emitter.load(*locate(emitter, value, indices))


class PackedElements:
    """Reads elements of a weight (N, K) in panels of outputs and blocks of terms."""

    def __init__(self, emitter: Emitter, value: SSAValue, width: int, terms: int):
        self.emitter, self.width, self.terms = emitter, width, terms
        self.memory = physical_view(emitter, value)
        self.panels, self.blocks, self.words = memref_of(self.memory).get_shape()

    def place(self, row: SSAValue, term: SSAValue) -> tuple[list[SSAValue], ...]:
        """Panel and block, then column of the panel and term of the block."""
        e = self.emitter
        block = [e.div(row, self.width), e.div(term, self.terms)]
        return block, [e.mod(row, self.width), e.mod(term, self.terms)]

    def word(self, block: Sequence[SSAValue], place: SSAValue) -> SSAValue:
        """A word of a block."""
        shape = (self.panels, self.blocks, self.words)
        return self.emitter.load(
            view_as(self.emitter, self.memory, shape, i32), [*block, place]
        )

    def op(self, op: type[Operation], a: SSAValue, b: SSAValue | int) -> SSAValue:
        """An op on two words, the second of which may be a constant."""
        if isinstance(b, int):
            b = self.emitter.number(b, i32)
        return self.emitter.value(op, (a, b))

    def bits(self, index: SSAValue) -> SSAValue:
        """A small index as a word."""
        return self.emitter.value(arith.IndexCastOp, (index,), i32)


class WeightOnlyElements(PackedElements):
    """Those of `#dev.weight_only`: integers times their scales, or floats."""

    def __init__(self, emitter: Emitter, value: SSAValue, layout: WeightOnlyAttr):
        super().__init__(emitter, value, layout.width.data, layout.terms.data)
        self.stored = layout.stored
        self.scales = numbers_words(self.stored, self.terms, self.width)

    def load(self, row: SSAValue, term: SSAValue) -> SSAValue:
        """One element."""
        block, (column, term) = self.place(row, term)
        if self.stored.dtype == "float16":
            place = self.emitter.add(
                self.emitter.mul(term, self.emitter.index(self.width)), column
            )
            return self._half(block, place)
        number = self._number(block, column, term)
        if not self.stored.is_integer:
            # bfloat16 is the upper half of a float32.
            upper = self.op(arith.ShLIOp, number, WORD_BITS - self.stored.bits)
            return self.emitter.value(arith.BitcastOp, (upper,), f32)
        zero = self._zero(block, column)
        whole = self.op(arith.SubiOp, number, zero)
        wide = self.emitter.value(arith.SIToFPOp, (whole,), f32)
        place = self.emitter.offset(column, 2 * self.scales)
        return self.emitter.value(arith.MulfOp, (wide, self._half(block, place)))

    def _number(
        self, block: Sequence[SSAValue], column: SSAValue, term: SSAValue
    ) -> SSAValue:
        """The stored number, in the lower bits of a word."""
        e, terms = self.emitter, word_terms(self.stored)
        line = e.mul(e.div(term, terms), self.emitter.index(self.width))
        word = self.word(block, e.add(line, column))
        term = e.mod(term, terms)
        if self.stored.bits == 4:
            # Four terms in the lower halves of the bytes, then four in the upper ones.
            half = terms // 2
            byte = e.mul(e.mod(term, half), self.emitter.index(BYTE_BITS))
            shift = e.add(
                byte, e.mul(e.div(term, half), self.emitter.index(self.stored.bits))
            )
        else:
            shift = e.mul(term, self.emitter.index(self.stored.bits))
        shifted = self.op(arith.ShRUIOp, word, self.bits(shift))
        return self.op(arith.AndIOp, shifted, (1 << self.stored.bits) - 1)

    def _zero(self, block: Sequence[SSAValue], column: SSAValue) -> SSAValue | int:
        """What is subtracted from a stored integer."""
        if not self.stored.has_zeros:
            return self.stored.zero
        e, parts = self.emitter, WORD_BITS // BYTE_BITS
        shape = (self.panels, self.blocks, parts * self.words)
        first = parts * (self.scales + scale_words(self.stored, self.width))
        places = view_as(e, self.memory, shape, i8)
        byte = e.load(places, [*block, e.offset(column, first)])
        return e.value(arith.ExtUIOp, (byte,), i32)

    def _half(self, block: Sequence[SSAValue], place: SSAValue) -> SSAValue:
        """A float16 of a block, in float32."""
        shape = (self.panels, self.blocks, 2 * self.words)
        halves = view_as(self.emitter, self.memory, shape, f16)
        half = self.emitter.load(halves, [*block, place])
        return self.emitter.value(arith.ExtFOp, (half,), f32)


class BlockFloatElements(PackedElements):
    """Those of `#dev.block_float`: 24 bits in one word or two, times the scale."""

    def __init__(self, emitter: Emitter, value: SSAValue, layout: BlockFloatAttr):
        super().__init__(emitter, value, layout.width.data, layout.terms.data)

    def load(self, row: SSAValue, term: SSAValue) -> SSAValue:
        """One element."""
        e, row_size = self.emitter, row_words(self.width)
        block, (column, term) = self.place(row, term)
        lanes = self.width // QUARTERS
        line = e.add(e.mul(term, e.index(row_size)), e.mod(column, lanes))
        # The numbers of a lane follow one another in the bits of its three words.
        first_bit = e.mul(e.div(column, lanes), e.index(MANTISSA_BITS))
        word, shift = e.div(first_bit, WORD_BITS), e.mod(first_bit, WORD_BITS)
        after = e.minimum(e.offset(word, 1), e.index(QUARTERS - 2))
        upper, lower = (
            self.word(block, e.add(line, e.mul(place, e.index(lanes))))
            for place in (word, after)
        )
        bits = self.bits(shift)
        upper = self.op(arith.ShLIOp, upper, bits)
        # In two shifts, as one by all bits of a word is undefined.
        rest = e.value(arith.SubiOp, (e.number(MANTISSA_BITS, i32), bits))
        lower = self.op(arith.ShRUIOp, lower, WORD_BITS - MANTISSA_BITS)
        lower = self.op(arith.ShRUIOp, lower, rest)
        number = self.op(arith.OrIOp, upper, lower)
        number = self.op(arith.AndIOp, number, UPPER_BITS)
        wide = e.value(arith.SIToFPOp, (number,), f32)
        small = e.value(arith.MulfOp, (wide, e.number(UNIT, f32)))
        place = e.offset(column, self.terms * row_size)
        scale = e.load(self.memory, [*block, place])
        return e.value(arith.MulfOp, (small, scale))
