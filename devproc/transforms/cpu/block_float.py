"""Contractions whose weight is stored in block floating point (`#dev.block_float`).

Each number of three bytes is unpacked in a register: as the upper end of a word of 32 bits,
whose value as a float is `2**30` times that of the number. The sum of a block leaves
through one more multiply-add, with the block's scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import MemRefType, f32, i8, i32
from xdsl.ir import SSAValue

from devproc.dialects import plan, simd_casts
from devproc.dialects.dev import BlockFloatAttr
from devproc.ir.block_float import MANTISSA_BYTES, WORD_BYTES
from devproc.transforms.cpu.access import physical_view, stored_as
from devproc.transforms.cpu.contraction import Roles
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.factor_readers import Panel, PanelReader
from devproc.transforms.cpu.lanewise import Lanewise
from devproc.transforms.cpu.nest import Nest
from devproc.transforms.cpu.nest_emitter import Values
from devproc.transforms.cpu.register_tile import RegisterTile
from devproc.transforms.cpu.vector_types import memref_of, vector_type
from devproc.transforms.cpu.vectorize_body import VectorBody

GROUP = 4
"""Words, 16 bytes, within which any CPU moves bytes with one instruction."""


def spread_words(lanes: int) -> list[int]:
    """The word for each lane: to each group the three that hold its numbers, and one more."""
    return [
        MANTISSA_BYTES * (lane // GROUP) + min(lane % GROUP, MANTISSA_BYTES - 1)
        for lane in range(lanes)
    ]


def spread_bytes(lanes: int) -> list[int]:
    """The bytes for each lane, within its group: a zero, then the three of its number at
    the upper end of the word, whose sign is theirs. Zeros lie behind all other bytes.
    """
    found: list[int] = []
    for lane in range(lanes):
        group, number = divmod(lane, GROUP)
        first = group * GROUP * WORD_BYTES + number * MANTISSA_BYTES
        found += [lanes * WORD_BYTES, *range(first, first + MANTISSA_BYTES)]
    return found


def block_float_of(nest: Nest) -> BlockFloatAttr | None:
    """The layout of a weight in block floating point; else None."""
    if len(nest.inputs) != 2 or not nest.inputs[1].is_memref:
        return None
    return stored_as(nest.inputs[1].value, BlockFloatAttr)


class BlockFloatReader(PanelReader):
    """Reads vectors of a weight in block floating point, within one block at a time."""

    def __init__(self, roles: Roles, emitter: Emitter, lanes: int):
        super().__init__(roles, emitter, lanes)
        weight = self.operand.value
        layout = stored_as(weight, BlockFloatAttr)
        assert layout is not None
        self.width, self.terms = layout.width.data, layout.terms.data
        (self.term_loop,) = roles.nest.reductions
        self.memory = physical_view(emitter, weight)
        words = memref_of(self.memory)
        self.panels, self.blocks, self.words = words.get_shape()
        shape = (self.panels, self.blocks, self.words * WORD_BYTES)
        bytes_ = MemRefType(i8, shape, memory_space=words.memory_space)
        self.bytes = emitter.shared(
            (self.memory, bytes_), lambda: plan.ViewOp(self.memory, bytes_)
        )
        self.block = self.first = emitter.index(0)
        self.vector = vector_type(f32, lanes)

    def stand_at(self, block: SSAValue, first: SSAValue) -> None:
        """Begin a block, whose first term is `first`."""
        self.block, self.first = block, first

    def read(
        self, point: Sequence[SSAValue], panel: Panel, offset: int, body: VectorBody
    ) -> SSAValue:
        emitter, lanes = self.emitter, self.lanes
        term = emitter.sub(point[self.term_loop], self.first)
        row = emitter.mul(term, emitter.index(self.width * MANTISSA_BYTES))
        at = emitter.offset(row, offset * MANTISSA_BYTES)
        # A quarter of what is loaded lies behind these numbers: at the end of a block,
        # its scales.
        loaded = emitter.load_vector(
            self.bytes, (panel.number, self.block, at), lanes * WORD_BYTES
        )
        return self._unpack(loaded)

    def _unpack(self, loaded: SSAValue) -> SSAValue:
        """The numbers of three bytes as floats, each times `2**30 / scale`."""
        emitter, lanes = self.emitter, self.lanes
        words_type = vector_type(i32, lanes)
        words = emitter.value(vector.BitcastOp, (loaded,), words_type)
        words = emitter.shuffle(words, words, spread_words(lanes))
        bytes_ = emitter.value(vector.BitcastOp, (words,), loaded.type)
        zeros = emitter.number(0, loaded.type)
        bytes_ = emitter.shuffle(bytes_, zeros, spread_bytes(lanes))
        words = emitter.value(vector.BitcastOp, (bytes_,), words_type)
        return emitter.value(simd_casts.SIToFPOp, (words,), self.vector)

    def scale(self, panel: Panel, offset: int) -> SSAValue:
        """The scales of this block's columns from `offset` on."""
        at = self.emitter.index(self.words - self.width + offset)
        return self.emitter.load_vector(
            self.memory, (panel.number, self.block, at), self.lanes
        )


class BlockFloatTile(RegisterTile):
    """Sums up block by block, each with accumulators of its own."""

    right: BlockFloatReader

    def _sum(self, loops: Sequence[int], carried: Values) -> Values:
        emitter, right = self.emitter, self.right
        (loop,) = loops
        lanewise = Lanewise(emitter, right.vector)
        zeros = [lanewise.number(0.0)] * len(carried)

        def block(number: SSAValue, totals: Values) -> Values:
            first = emitter.mul(number, emitter.index(right.terms))
            right.stand_at(number, first)
            sums = self._streams(loop, first, right.terms, zeros)
            scales = [
                right.scale(self.panel, index * right.lanes)
                for index in range(len(self.parts))
            ]
            return [
                lanewise.fma(sum_, scales[index % len(scales)], total)
                for index, (sum_, total) in enumerate(zip(sums, totals, strict=True))
            ]

        zero, end = emitter.index(0), emitter.index(right.blocks)
        return emitter.loop(zero, end, 1, carried, block)

    def _number(self, row: int) -> SSAValue:
        # One product serves all columns; with the scale, large sums would overflow.
        number = super()._number(row)
        factor = self.emitter.number(2.0**-30, f32)
        return self.emitter.value(arith.MulfOp, (number, factor))
