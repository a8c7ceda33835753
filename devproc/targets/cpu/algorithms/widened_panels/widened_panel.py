"""Widens a panel of a weight once for all rows of a block, for Winograd's inner product.

`depth` terms of a panel become one of `#dev.inner_product` for each of its vectors, in
scratch memory
(`ir/layouts/inner_product.py`): its numbers are widened and stored in the order of pairs;
then each column is scaled, and the sums of its pairs are added up.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.dialects.dev import InnerProductAttr
from devproc.ir.layouts.inner_product import PARTS, scale_row, spread_bound
from devproc.targets.cpu.algorithms.inner_product.scaled_rows import (
    LEAST_SQUARE,
    unit_scale,
)
from devproc.targets.cpu.algorithms.widened_panels.block_float_panels import (
    BlockFloatPanels,
)
from devproc.targets.cpu.transforms.loops.combiners import reduce_lanes
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.panel_reader import PanelReader


class WidenedPanel:
    """The vectors of a panel as panels of their own: (vectors, numbers of a column, lanes)."""

    def __init__(
        self,
        reader: PanelReader | BlockFloatPanels,
        layout: InnerProductAttr,
        depth: int,
        memory: SSAValue,
    ):
        self.reader, self.emitter, self.memory = reader, reader.emitter, memory
        self.lanewise, self.depth = reader.lanewise, depth
        self.terms = layout.terms.data
        self.third = self.terms // PARTS
        self.blocks, self.rest = divmod(depth, self.terms)
        self.scales = scale_row(depth, self.terms)

    def fill(self, panel: SSAValue, first: SSAValue) -> None:
        """Widen the terms of a panel from `first` on, which begins a row of words."""
        emitter, reader = self.emitter, self.reader
        squares: Values = [self.lanewise.number(0.0)] * reader.vectors
        skipped = emitter.div(first, reader.word_terms)
        # Whole blocks, then the remaining terms, which are in order.
        bounds = (0, self.depth - self.rest, self.depth)
        for lower, upper, step in zip(bounds, bounds[1:], (PARTS, 1), strict=False):

            def word_row(number: SSAValue, sums: Values, step: int = step) -> Values:
                word = emitter.add(skipped, number)
                reader.stand_at(panel, emitter.div(word, reader.rows))
                return self._widen(word, number, step, sums)

            begin = emitter.index(lower // reader.word_terms)
            end = emitter.index(upper // reader.word_terms)
            squares = emitter.loop(begin, end, 1, squares, word_row)
        for vector, square in enumerate(squares):
            self._scale(emitter.index(vector), square)

    def _widen(
        self, word: SSAValue, number: SSAValue, step: int, squares: Values
    ) -> Values:
        """Widen a row of words of the weight, which is `number` in memory; its terms are
        stored `step` rows apart."""
        emitter, reader, lanewise = self.emitter, self.reader, self.lanewise
        term = emitter.mul(number, emitter.index(reader.word_terms))
        start = self._place(term) if step == PARTS else self._place_of_rest(term)
        scales = reader.scales() if reader.has_scales else None
        found = list(squares)
        in_block = emitter.mod(word, reader.rows)
        for offset, numbers in enumerate(reader.floats_of(in_block)):
            for vector, value in enumerate(numbers):
                if scales is not None:
                    value = lanewise.mul(value, scales[vector])
                row = emitter.offset(start, offset * step)
                self._store(value, emitter.index(vector), row)
                found[vector] = lanewise.fma(value, value, found[vector])
        return found

    def _place(self, term: SSAValue) -> SSAValue:
        """Where a term of a whole block is: blocks begin with the sums of their pairs, and
        have a term of each third in turn."""
        emitter = self.emitter
        inside = emitter.mod(term, self.terms)
        block = emitter.mul(
            emitter.div(term, self.terms), emitter.index(self.terms + 1)
        )
        pair = emitter.mul(emitter.mod(inside, self.third), emitter.index(PARTS))
        part = emitter.offset(emitter.div(inside, self.third), 1)
        return emitter.add(emitter.add(block, pair), part)

    def _place_of_rest(self, term: SSAValue) -> SSAValue:
        """Where a term after the last block is."""
        return self.emitter.offset(term, self.blocks)

    def _scale(self, vector: SSAValue, squares: SSAValue) -> None:
        """Scale the columns of a vector; store the sums of their pairs, the factors of their
        results, and the bound of the rows."""
        emitter, lanewise = self.emitter, self.lanewise
        square = lanewise.mul(squares, lanewise.number(1 / self.depth))
        scale, inverse = unit_scale(lanewise, square)

        def block(number: SSAValue, spread: Values) -> Values:
            return [self._scale_block(vector, number, scale, spread[0])]

        zero, zeros = emitter.index(0), [lanewise.number(0.0)]
        (spread,) = emitter.loop(zero, emitter.index(self.blocks), 1, zeros, block)

        def rest(row: SSAValue) -> None:
            self._scaled(vector, row, scale)

        emitter.loop_range(self.scales - self.rest, self.scales, rest)
        self._store(inverse, vector, emitter.index(self.scales))
        place = (vector, emitter.index(self.scales + 1), zero)
        emitter.store(self._bound(square, spread), self.memory, place)

    def _scale_block(
        self, vector: SSAValue, block: SSAValue, scale: SSAValue, spread: SSAValue
    ) -> SSAValue:
        """Scale a block, and accumulate the squares of its pairs."""
        emitter, lanewise = self.emitter, self.lanewise
        begin = emitter.mul(block, emitter.index(self.terms + 1))

        def three(number: SSAValue, sums: Values) -> Values:
            first = emitter.add(begin, emitter.mul(number, emitter.index(PARTS)))
            rows = (emitter.offset(first, part) for part in range(1, PARTS + 1))
            a, b, _ = (self._scaled(vector, row, scale) for row in rows)
            product = lanewise.mul(a, b)
            return [
                lanewise.sub(sums[0], product),
                lanewise.fma(product, product, sums[1]),
            ]

        zero, end = emitter.index(0), emitter.index(self.third)
        sums = [lanewise.number(0.0), spread]
        pairs, spread = emitter.loop(zero, end, 1, sums, three)
        self._store(pairs, vector, begin)
        return spread

    def _bound(self, square: SSAValue, spread: SSAValue) -> SSAValue:
        """The bound of the rows; -1 if pairs of a column are too uneven or not finite, or
        a column is (nearly) zero: its scale is meaningless."""
        lanewise, emitter = self.lanewise, self.emitter
        most, zero, one = map(lanewise.number, (spread_bound(self.depth), 0.0, 1.0))
        least = lanewise.number(LEAST_SQUARE)
        is_uneven = lanewise.compare("ugt", spread, most)
        is_small = lanewise.compare("ult", square, least)
        small = lanewise.select(is_small, one, zero)
        bad = lanewise.select(is_uneven, one, small)
        scalar = Lanewise(emitter, f32)
        count = reduce_lanes(emitter, "add", bad)
        is_even = scalar.compare("oeq", count, scalar.number(0.0))
        bound = scalar.number(spread_bound(self.depth))
        return scalar.select(is_even, bound, scalar.number(-1.0))

    # Rows of the memory.

    def _scaled(self, vector: SSAValue, row: SSAValue, scale: SSAValue) -> SSAValue:
        """Scale a row; returns it."""
        place = (vector, row, self.emitter.index(0))
        value = self.emitter.load_vector(self.memory, place, self.reader.wide)
        value = self.lanewise.mul(value, scale)
        self._store(value, vector, row)
        return value

    def _store(self, value: SSAValue, vector: SSAValue, row: SSAValue) -> None:
        place = (vector, row, self.emitter.index(0))
        self.emitter.store_vector(value, self.memory, place)
