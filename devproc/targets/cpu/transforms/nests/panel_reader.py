"""Reads a weight in fewer bits, word by word, and prefetches what follows."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import f16, f32, i8, i32
from xdsl.ir import SSAValue

from devproc.dialects import simd_casts
from devproc.dialects.dev import WeightOnlyAttr
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.layouts.weight_only import (
    WORD_BITS,
    numbers_words,
    scale_words,
    word_terms,
)
from devproc.targets.cpu.transforms.loops.access import physical_view, view_as
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.linear_loops import LinearLoops
from devproc.targets.cpu.transforms.nests.nest_emitter import Values

WORD_BYTES = WORD_BITS // 8
LOWER_HALVES = 0x0F0F0F0F
"""The lower half of each byte of a word."""


class PanelReader:
    """Reads the vectors of one panel at a time, in the order in which they are stored.

    A row of words holds the next terms of all columns of the panel.
    """

    def __init__(self, loops: LinearLoops, layout: WeightOnlyAttr, ahead: int):
        """`ahead`: bytes by which what follows is prefetched; 0: not."""
        emitter = self.emitter = loops.emitter
        self.lanewise, self.wide = loops.lanewise, loops.wide
        self.stored, self.terms = layout.stored, layout.terms.data
        self.width, self.ahead = layout.width.data, ahead // WORD_BYTES
        self.vectors = self.width // self.wide
        memory = physical_view(emitter, loops.nest.inputs[1].value)
        self.panels, self.blocks, self.words = memref_of(memory).get_shape()
        shape = (self.panels, self.blocks, self.words)
        self.integers = view_as(emitter, memory, shape, i32)
        self.halves = view_as(emitter, memory, (*shape[:2], 2 * self.words), f16)
        self.bytes = view_as(emitter, memory, (*shape[:2], WORD_BYTES * self.words), i8)
        self.flat = view_as(emitter, memory, (prod(shape),), f32)
        self.numbers = numbers_words(self.stored, self.terms, self.width)
        self.panel = self.block = emitter.index(0)

    @property
    def word_terms(self) -> int:
        """Terms of a column in a row of words; one in a row of float16."""
        return word_terms(self.stored)

    @property
    def is_half(self) -> bool:
        """Whether numbers are float16, which a vector of columns holds for one term."""
        return self.stored.dtype == "float16"

    @property
    def has_scales(self) -> bool:
        """Whether the columns of a block have scales."""
        return self.stored.is_integer

    @property
    def rows(self) -> int:
        """Rows of words in a block."""
        return self.terms // self.word_terms

    def stand_at(self, panel: SSAValue, block: SSAValue) -> None:
        """Begin a block of terms of a panel."""
        self.panel, self.block = panel, block

    def scales(self) -> Values:
        """The scales of a block's columns, as float32. Prefetches zero points as well."""
        self._prefetch(self.emitter.index(self.numbers), self.words - self.numbers)
        return [
            self._half(self.emitter.index(2 * self.numbers + vector * self.wide))
            for vector in range(self.vectors)
        ]

    def zeros(self) -> Values:
        """The zero points of a block's columns, as int32."""
        words = self.numbers + scale_words(self.stored, self.width)
        type_ = vector_type(i32, self.wide)
        found: list[SSAValue] = []
        for vector in range(self.vectors):
            place = self.emitter.index(WORD_BYTES * words + vector * self.wide)
            where = (self.panel, self.block, place)
            bytes_ = self.emitter.load_vector(self.bytes, where, self.wide)
            found.append(self.emitter.value(simd_casts.ExtUIOp, (bytes_,), type_))
        return found

    def _half(self, place: SSAValue) -> SSAValue:
        """A vector of float16 at a place of the block, as float32."""
        where = (self.panel, self.block, place)
        found = self.emitter.load_vector(self.halves, where, self.wide)
        return self.emitter.value(arith.ExtFOp, (found,), vector_type(f32, self.wide))

    def bytes_of(self, row: SSAValue) -> list[Values]:
        """The unsigned bytes of a row of words, four terms at a time: of int8 once, of int4
        those in the lower halves, then those in the upper ones."""
        words = self._load(row)
        if self.stored.bits == 8:
            return [words]
        lanewise = self.lanewise
        mask, four = lanewise.integer(LOWER_HALVES), lanewise.integer(4)
        upper = [lanewise.integer_op(arith.ShRUIOp, word, four) for word in words]
        return [
            [lanewise.integer_op(arith.AndIOp, word, mask) for word in part]
            for part in (words, upper)
        ]

    def floats_of(self, row: SSAValue) -> Iterator[Values]:
        """The numbers of a row of words as float32, term by term."""
        lanewise, stored = self.lanewise, self.stored
        if self.is_half:
            half_row = self.emitter.index(self.width // 2)
            self._prefetch(self.emitter.mul(row, half_row), self.width // 2)
            first = self.emitter.mul(row, self.emitter.index(self.width))
            yield [
                self._half(self.emitter.offset(first, vector * self.wide))
                for vector in range(self.vectors)
            ]
            return
        if stored.bits == 16:
            words = self._load(row)
            up, mask = lanewise.integer(16), lanewise.integer(-1 << 16)
            for op, other in ((arith.ShLIOp, up), (arith.AndIOp, mask)):
                bits = [lanewise.integer_op(op, word, other) for word in words]
                yield list(map(lanewise.as_float, bits))
            return
        zeros = [lanewise.number(stored.zero)] * self.vectors
        if stored.has_zeros:
            zeros = list(map(self._float, self.zeros()))
        for part in self.bytes_of(row):
            for number in range(WORD_BYTES):
                numbers = [self._byte(word, number) for word in part]
                yield [lanewise.sub(*pair) for pair in zip(numbers, zeros, strict=True)]

    def _byte(self, word: SSAValue, number: int) -> SSAValue:
        """A byte of each word as float32."""
        lanewise = self.lanewise
        moved = lanewise.integer_op(arith.ShRUIOp, word, lanewise.integer(8 * number))
        return self._float(
            lanewise.integer_op(arith.AndIOp, moved, lanewise.integer(0xFF))
        )

    def _float(self, integers: SSAValue) -> SSAValue:
        type_ = vector_type(f32, self.wide)
        return self.emitter.value(simd_casts.SIToFPOp, (integers,), type_)

    def _load(self, row: SSAValue) -> Values:
        """The vectors of a row of words."""
        emitter = self.emitter
        first = emitter.mul(row, emitter.index(self.width))
        self._prefetch(first, self.width)
        return [
            emitter.load_vector(
                self.integers,
                (self.panel, self.block, emitter.offset(first, vector * self.wide)),
                self.wide,
            )
            for vector in range(self.vectors)
        ]

    def _prefetch(self, first: SSAValue, words: int) -> None:
        """Prefetch the lines as many words as `ahead` after these words of the block."""
        if not self.ahead:
            return
        emitter = self.emitter
        panel = emitter.mul(self.panel, emitter.index(self.blocks * self.words))
        block = emitter.mul(self.block, emitter.index(self.words))
        start = emitter.add(emitter.add(panel, block), first)
        for word in range(0, words, ALIGNMENT // WORD_BYTES):
            emitter.prefetch(self.flat, (emitter.offset(start, self.ahead + word),))
