"""Contractions whose weight is stored in block floating point (`#dev.block_float`).

Three vectors of words are unpacked in registers to four vectors of numbers. Each number
occupies the upper bits of a 32-bit word, which as an integer is `2**30` times the
number. The sum of a block is added to the total by a multiply-add with the block's
scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from devproc.dialects import simd_casts
from devproc.dialects.dev import BlockFloatAttr, TargetAttr, stored_as
from devproc.dialects.sched import BlockFloatSchedule
from devproc.ir.layouts.block_float import row_words
from devproc.targets.cpu.algorithms.block_float.plan import as_register_tile, roles_of
from devproc.targets.cpu.algorithms.register_tile.expand import ContractionLoops
from devproc.targets.cpu.algorithms.register_tile.factor_readers import (
    Panel,
    PanelReader,
)
from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.algorithms.register_tile.tile import RegisterTile
from devproc.targets.cpu.transforms.loops.access import physical_view, view_as
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.block_float_words import UNIT, unpack
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


def expand(
    nest: Nest, schedule: BlockFloatSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the tiles and the loops around them."""
    roles = roles_of(nest, target)
    assert isinstance(roles, Roles)
    emitter.location = nest.anchor.location
    tiles = as_register_tile(schedule)
    BlockFloatLoops(roles, tiles, emitter, target, {}).emit()


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
        shape = memref_of(self.memory).get_shape()
        self.panels, self.blocks, self.words = shape
        self.integers = view_as(emitter, self.memory, shape, i32)
        self.block = self.first = emitter.index(0)
        self.vector = vector_type(f32, lanes)

    def stand_at(self, block: SSAValue, first: SSAValue) -> None:
        """Begin a block, whose first term is `first`."""
        self.block, self.first = block, first

    def read(
        self, point: Sequence[SSAValue], panel: Panel, bodies: Sequence[VectorBody]
    ) -> Iterator[SSAValue]:
        emitter = self.emitter
        term = emitter.sub(point[self.term_loop], self.first)
        row = emitter.mul(term, emitter.index(row_words(self.width)))

        def words(number: int) -> SSAValue:
            at = (panel.number, self.block, emitter.offset(row, number * self.lanes))
            return emitter.load_vector(self.integers, at, self.lanes)

        # The last panel may be narrower; words that it does not use are not loaded.
        lanewise = Lanewise(emitter, self.vector)
        for integers in islice(unpack(lanewise, words), len(bodies)):
            yield emitter.value(simd_casts.SIToFPOp, (integers,), self.vector)

    def scale(self, panel: Panel, offset: int) -> SSAValue:
        """The scales of this block's columns from `offset` on."""
        at = self.emitter.index(self.words - self.width + offset)
        return self.emitter.load_vector(
            self.memory, (panel.number, self.block, at), self.lanes
        )


class BlockFloatTile(RegisterTile):
    """Sums block by block, each with separate accumulators."""

    right: BlockFloatReader

    def sum(self, loops: Sequence[int], carried: Values) -> Values:
        emitter, right = self.emitter, self.right
        (loop,) = loops
        lanewise = Lanewise(emitter, right.vector)
        zeros = [lanewise.number(0.0)] * len(carried)

        def block(number: SSAValue, totals: Values) -> Values:
            first = emitter.mul(number, emitter.index(right.terms))
            right.stand_at(number, first)
            sums = self.innermost(loop, first, right.terms, zeros)
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
        # One multiplication for all columns; folded into the scale, it could overflow.
        number = super()._number(row)
        factor = self.emitter.number(UNIT, f32)
        return self.emitter.value(arith.MulfOp, (number, factor))


class BlockFloatLoops(ContractionLoops):
    """The loops around the tiles, as for any contraction."""

    tile_class = BlockFloatTile
    reader_class = BlockFloatReader
