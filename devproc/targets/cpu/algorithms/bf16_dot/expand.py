"""Emits a contraction of bf16 as register tiles over panels of pairs of terms.

The innermost reduction loop counts pairs; an odd last term is paired with zero. A pair
is a word of 32 bits with its first term in the lower half.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import bf16, f32, i16, i32
from xdsl.ir import SSAValue

from devproc.dialects import simd
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched.contraction import Bf16DotSchedule
from devproc.targets.cpu.algorithms.bf16_dot.layout import PAIR
from devproc.targets.cpu.algorithms.bf16_dot.plan import as_register_tile, roles_of
from devproc.targets.cpu.algorithms.register_tile.expand import ContractionLoops
from devproc.targets.cpu.algorithms.register_tile.factor_readers import (
    Panel,
    PanelReader,
    packed_indices,
)
from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.algorithms.register_tile.tile import RegisterTile
from devproc.targets.cpu.transforms.loops.access import apply_map, view_as
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.block_sums import sum_in_blocks
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

HALF_BITS = 16
SECOND_TERM = -1 << HALF_BITS
"""The bits of a pair that hold its second term."""


def expand(
    nest: Nest, schedule: Bf16DotSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the tiles and the loops around them."""
    roles = roles_of(nest, target)
    assert isinstance(roles, Roles)
    emitter.location = nest.anchor.location
    loops = DotLoops if schedule.instruction else WideningLoops
    tiles = as_register_tile(roles, schedule, target)
    loops(roles, tiles, emitter, target, {}).emit()


class PairReader(PanelReader):
    """Reads vectors of pairs of a panel, at a point whose last index counts pairs."""

    def __init__(self, roles: Roles, emitter: Emitter, lanes: int):
        super().__init__(roles, emitter, lanes)
        shape = memref_of(self.memory).get_shape()
        self.words = view_as(emitter, self.memory, shape[:-1], i32)

    def read(
        self, point: Sequence[SSAValue], panel: Panel, bodies: Sequence[VectorBody]
    ) -> Iterator[SSAValue]:
        emitter, operand, layout = self.emitter, self.operand, self.layout
        assert layout is not None
        for index in range(len(bodies)):
            inside = emitter.index(index * self.lanes)
            column = self.roles.column
            where = packed_indices(
                emitter, operand, layout, column, point, panel.number, inside
            )
            yield emitter.load_vector(self.words, where, self.lanes)


class PairTile(RegisterTile):
    """Sums pair by pair; subclasses define how pairs are multiplied."""

    right: PairReader

    def products(
        self, pairs: Iterator[SSAValue], panel: Sequence[SSAValue], sums: Values
    ) -> Values:
        """The sums after one more pair of each row with each vector of the panel."""
        raise NotImplementedError

    def sum(self, loops: Sequence[int], carried: Values) -> Values:
        if len(loops) > 1:
            return super().sum(loops, carried)
        (loop,) = loops
        pairs, rest = divmod(self.roles.nest.sizes[loop], PAIR)

        def terms(lower: SSAValue, count: int, values: Values) -> Values:
            return self.innermost(loop, lower, count, values)

        block = max(1, self.schedule.block // PAIR)
        sums = sum_in_blocks(self.emitter, pairs, carried, terms, block)
        if not rest:
            return sums
        self.point[loop] = self.emitter.index(pairs)
        return self._add_products(sums, map(self._half_pair, self.rows))

    def _term(self, carried: Values) -> Values:
        return self._add_products(carried, map(self._pair, self.rows))

    def _add_products(self, carried: Values, pairs: Iterator[SSAValue]) -> Values:
        emitter, bodies = self.emitter, [part.body for part in self.parts]
        panel = list(self.right.read(self.point, self.panel, bodies))
        number = self.point[self.roles.nest.reductions[-1]]
        if self.prefetch is not None:
            self.prefetch.emit(emitter, number)
        self.first_term = emitter.mul(number, emitter.index(PAIR))
        return self.products(pairs, panel, carried)

    def _place(self, row: SSAValue) -> list[SSAValue]:
        """The memref and indices at which the pair of a row begins."""
        point = list(self.point)
        if self.roles.row is not None:
            point[self.roles.row] = row
        point[self.roles.nest.reductions[-1]] = self.first_term
        return apply_map(self.emitter, self.left.operand.map, point)

    def _pair(self, row: SSAValue) -> SSAValue:
        """A pair of a row, broadcast to all lanes."""
        emitter, memory = self.emitter, self.left.memory
        terms = emitter.load_vector(memory, self._place(row), PAIR)
        word = emitter.value(vector.BitcastOp, (terms,), vector_type(i32, 1))
        type_ = vector_type(i32, self.right.lanes)
        return emitter.value(vector.BroadcastOp, (word,), type_)

    def _half_pair(self, row: SSAValue) -> SSAValue:
        """The last term of a row, paired with zero, broadcast to all lanes."""
        emitter = self.emitter
        term = emitter.load(self.left.memory, self._place(row))
        bits = emitter.value(arith.BitcastOp, (term,), i16)
        word = emitter.value(arith.ExtUIOp, (bits,), i32)
        return emitter.broadcast(word, self.right.lanes)


class DotTile(PairTile):
    """One instruction adds both products of a pair, in each lane."""

    def products(
        self, pairs: Iterator[SSAValue], panel: Sequence[SSAValue], sums: Values
    ) -> Values:
        name = f"llvm.x86.avx512bf16.dpbf16ps.{32 * self.right.lanes}"
        columns = list(map(self._as_terms, panel))
        made: list[SSAValue] = []
        for row in map(self._as_terms, pairs):
            for column in columns:
                operands = (sums[len(made)], row, column)
                call = simd.CallIntrinsicOp(name, operands, operands[0].type)
                made.append(self.emitter.append(call).results[0])
        return made

    def _as_terms(self, words: SSAValue) -> SSAValue:
        type_ = vector_type(bf16, PAIR * self.right.lanes)
        return self.emitter.value(vector.BitcastOp, (words,), type_)


class WideningTile(PairTile):
    """Widens a pair to two floats, by a shift and a mask; a multiply-add for each."""

    def products(
        self, pairs: Iterator[SSAValue], panel: Sequence[SSAValue], sums: Values
    ) -> Values:
        lanewise = Lanewise(self.emitter, vector_type(f32, self.right.lanes))
        columns = [self._terms_of(words) for words in panel]
        made: list[SSAValue] = []
        for pair in pairs:
            row: Values = sums[len(made) : len(made) + len(columns)]
            for number, term in enumerate(self._terms_of(pair)):
                row = [
                    lanewise.fma(term, terms[number], sum_)
                    for terms, sum_ in zip(columns, row, strict=True)
                ]
            made += row
        return made

    def _terms_of(self, words: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The second and the first terms of pairs: the instruction's order."""
        lanewise = Lanewise(self.emitter, vector_type(f32, self.right.lanes))
        half, mask = lanewise.integer(HALF_BITS), lanewise.integer(SECOND_TERM)
        first = lanewise.integer_op(arith.ShLIOp, words, half)
        second = lanewise.integer_op(arith.AndIOp, words, mask)
        return lanewise.as_float(second), lanewise.as_float(first)


class DotLoops(ContractionLoops):
    """The loops around tiles whose pairs the instruction multiplies."""

    tile_class = DotTile
    reader_class = PairReader


class WideningLoops(ContractionLoops):
    """The loops around tiles whose pairs are widened."""

    tile_class = WideningTile
    reader_class = PairReader
