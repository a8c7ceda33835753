"""Reads a weight in block floating point, term by term, as `PanelReader` does others."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from devproc.dialects import simd_casts
from devproc.dialects.dev import BlockFloatAttr
from devproc.ir.layouts.block_float import row_words
from devproc.targets.cpu.transforms.loops.access import physical_view, view_as
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.block_float_words import UNIT, unpack
from devproc.targets.cpu.transforms.nests.linear_loops import LinearLoops
from devproc.targets.cpu.transforms.nests.nest_emitter import Values


class BlockFloatPanels:
    """Reads the vectors of one panel at a time. A row has one term of all its columns."""

    word_terms = 1
    has_scales = True

    def __init__(self, loops: LinearLoops, layout: BlockFloatAttr):
        emitter = self.emitter = loops.emitter
        self.lanewise, self.wide = loops.lanewise, loops.wide
        self.rows, self.width = layout.terms.data, layout.width.data
        self.vectors = self.width // self.wide
        self.memory = physical_view(emitter, loops.nest.inputs[1].value)
        shape = memref_of(self.memory).get_shape()
        self.words = shape[-1]
        self.integers = view_as(emitter, self.memory, shape, i32)
        self.panel = self.block = emitter.index(0)

    def stand_at(self, panel: SSAValue, block: SSAValue) -> None:
        """Begin a block of terms of a panel."""
        self.panel, self.block = panel, block

    def scales(self) -> Values:
        """The scales of a block's columns."""
        first = self.words - self.width
        return [
            self._load(self.memory, self.emitter.index(first + number * self.wide))
            for number in range(self.vectors)
        ]

    def floats_of(self, row: SSAValue) -> Iterator[Values]:
        """The numbers of a row, without their scales."""
        emitter, lanewise = self.emitter, self.lanewise
        begin = emitter.mul(row, emitter.index(row_words(self.width)))

        def words(number: int) -> SSAValue:
            place = emitter.offset(begin, number * self.wide)
            return self._load(self.integers, place)

        type_, unit = vector_type(f32, self.wide), lanewise.number(UNIT)
        floats = (
            emitter.value(simd_casts.SIToFPOp, (integers,), type_)
            for integers in unpack(lanewise, words)
        )
        yield [lanewise.mul(value, unit) for value in floats]

    def _load(self, memory: SSAValue, place: SSAValue) -> SSAValue:
        where = (self.panel, self.block, place)
        return self.emitter.load_vector(memory, where, self.wide)
