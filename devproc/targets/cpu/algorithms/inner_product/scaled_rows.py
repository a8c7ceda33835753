"""Copies rows for Winograd's inner product: scaled, with the sums of their pairs.

A row is scaled by the power of two that brings its root mean square near 1. The copy is
stored in the order in which register tiles read it: by tile, by block of terms, and
within a block by row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.ir.layouts.inner_product import PARTS
from devproc.targets.cpu.transforms.loops.combiners import reduce_lanes
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.nests.linear_loops import LinearLoops
from devproc.targets.cpu.transforms.nests.nest_emitter import Values

STREAMS = 4
"""Sums of squares at a time: a multiply-add takes four cycles."""

LEAST_SQUARE = 1e-30
"""Mean square below which the squares of a row are inexact, or the row is zero."""

BIAS, MANTISSA_BITS = 127, 23
"""Of float32: 2^e has the exponent e + 127, above 23 bits."""


@dataclass(frozen=True)
class RowTile:
    """`count` rows from `first` on, the tile `number` of the copy. Only `existing` rows
    exist; those past the end are copies of the last row, whose results are discarded.
    """

    number: SSAValue
    first: SSAValue
    count: int
    existing: SSAValue


class ScaledRows:
    """Scratch memory for some tiles of rows (`plan.scratch`), and the code that fills
    it.

    A block has `terms` terms; those after the last whole block are stored separately.
    `scale_rows`: rows whose scales are computed before they are copied.
    """

    def __init__(
        self,
        loops: LinearLoops,
        memory: Mapping[str, SSAValue],
        terms: int,
        scale_rows: int,
    ):
        self.loops, self.emitter = loops, loops.emitter
        self.lanewise, self.wide = loops.lanewise, loops.wide
        self.scalar = Lanewise(loops.emitter, f32)
        self.terms, self.pairs, self.scale_rows = terms, terms // PARTS, scale_rows
        self.blocks, self.rest = divmod(loops.depth, terms)
        self.copy, self.pair_sums = memory["copy"], memory["pair_sums"]
        if self.rest:
            self.copy_of_rest = memory["copy_of_rest"]
        self.inverses, self.scales = memory["inverses"], memory["scales"]
        self.spreads = memory["spreads"]

    # Read by tiles.

    def number(
        self, tile: RowTile, block: SSAValue, row: SSAValue, k: SSAValue
    ) -> SSAValue:
        """A term of a block."""
        return self.emitter.load(self.copy, (tile.number, block, row, k))

    def number_of_rest(self, tile: RowTile, row: SSAValue, k: SSAValue) -> SSAValue:
        """A term after the last whole block."""
        return self.emitter.load(self.copy_of_rest, (tile.number, row, k))

    def pair_sum(self, tile: RowTile, block: SSAValue, row: SSAValue) -> SSAValue:
        """Minus the sum of the products of a block's pairs."""
        return self.emitter.load(self.pair_sums, (tile.number, block, row))

    def inverse(self, tile: RowTile, row: SSAValue) -> SSAValue:
        """The factor of the results of a row."""
        return self.emitter.load(self.inverses, (tile.number, row))

    def spread(self, tile: RowTile) -> SSAValue:
        """The largest sum of squares of pairs over the rows of a tile; infinite or NaN
        if a row is not finite, infinite if a row is (nearly) zero."""
        return self.emitter.load(self.spreads, (tile.number,))

    # The copy.

    def fill(self, tile: RowTile) -> None:
        """Copy the rows of a tile."""
        emitter, whole = self.emitter, self.emitter.index(tile.count)
        group = self.scale_rows

        def each_row(
            body: Callable[[SSAValue, SSAValue], SSAValue],
            first: SSAValue,
            end: SSAValue,
            largest: SSAValue,
        ) -> SSAValue:
            def row(into: SSAValue, carried: Values) -> Values:
                number = into
                if tile.existing not in emitter.known:
                    last = emitter.offset(tile.existing, -1)
                    number = emitter.minimum(number, last)
                self.loops.stand_at(emitter.add(tile.first, number))
                made = body(tile.number, into)
                return [emitter.value(arith.MaximumfOp, (carried[0], made))]

            return emitter.loop(first, end, 1, [largest], row)[0]

        def some_rows(first: SSAValue, carried: Values) -> Values:
            end = emitter.offset(first, group)
            if tile.count % group:
                end = emitter.minimum(end, whole)
            # The scales of several rows are computed first, to hide their latency.
            unsure = each_row(self._measure, first, end, carried[0])
            return [each_row(self._copy_row, first, end, unsure)]

        start = [self.scalar.number(0.0)]
        (spread,) = emitter.loop(emitter.index(0), whole, group, start, some_rows)
        emitter.store(spread, self.spreads, (tile.number,))

    def _measure(self, tile: SSAValue, row: SSAValue) -> SSAValue:
        """Store the scale of the current row; infinity if it is meaningless."""
        emitter, scalar = self.emitter, self.scalar
        square = self._mean_square()
        scale, inverse = unit_scale(scalar, square)
        emitter.store(scale, self.scales, (row,))
        emitter.store(inverse, self.inverses, (tile, row))
        is_sure = scalar.compare("ogt", square, scalar.number(LEAST_SQUARE))
        return scalar.select(is_sure, scalar.number(0.0), scalar.number(float("inf")))

    def _copy_row(self, tile: SSAValue, row: SSAValue) -> SSAValue:
        """Copy the current row; returns the sum of squares of its pairs."""
        emitter = self.emitter
        scales = emitter.broadcast(emitter.load(self.scales, (row,)), self.wide)

        def block(number: SSAValue, spread: Values) -> Values:
            return [self._copy_block(tile, number, row, scales, spread[0])]

        start, end = emitter.index(0), emitter.index(self.blocks)
        zeros = [self.lanewise.number(0.0)]
        (squares,) = emitter.loop(start, end, 1, zeros, block)
        for k in range(0, self.rest, self.wide):
            place = (tile, row, emitter.index(k))
            first = emitter.index(self.blocks * self.terms + k)
            self._copy(first, scales, self.copy_of_rest, place)
        return reduce_lanes(emitter, "add", squares)

    def _copy_block(
        self,
        tile: SSAValue,
        block: SSAValue,
        row: SSAValue,
        scales: SSAValue,
        spread: SSAValue,
    ) -> SSAValue:
        """Copy one block of a row, and accumulate the squares of its pairs."""
        emitter, lanewise = self.emitter, self.lanewise
        start = emitter.mul(block, emitter.index(self.terms))

        def thirds(k: SSAValue, sums: Values) -> Values:
            total, spread = sums
            a, b, _ = (
                self._copy(
                    emitter.add(start, column),
                    scales,
                    self.copy,
                    (tile, block, row, column),
                )
                for column in (emitter.offset(k, n * self.pairs) for n in range(PARTS))
            )
            product = lanewise.mul(a, b)
            return [
                lanewise.sub(total, product),
                lanewise.fma(product, product, spread),
            ]

        zero, end = emitter.index(0), emitter.index(self.pairs)
        sums = [lanewise.number(0.0), spread]
        total, spread = emitter.loop(zero, end, self.wide, sums, thirds)
        place = (tile, block, row)
        emitter.store(reduce_lanes(emitter, "add", total), self.pair_sums, place)
        return spread

    def _copy(
        self, term: SSAValue, scales: SSAValue, into: SSAValue, place: Values
    ) -> SSAValue:
        """Copy a vector, scaled."""
        value = self.lanewise.mul(self.loops.left_vector(term), scales)
        self.emitter.store_vector(value, into, place)
        return value

    def _mean_square(self) -> SSAValue:
        """The mean square of the current row."""
        emitter, lanewise, depth = self.emitter, self.lanewise, self.loops.depth
        streams = next(n for n in range(STREAMS, 0, -1) if depth // self.wide % n == 0)

        def squares(k: SSAValue, sums: Values) -> Values:
            values = [
                self.loops.left_vector(emitter.offset(k, n * self.wide))
                for n in range(streams)
            ]
            pairs = zip(values, sums, strict=True)
            return [lanewise.fma(value, value, total) for value, total in pairs]

        start, end = emitter.index(0), emitter.index(depth)
        zeros = [lanewise.number(0.0)] * streams
        total, *others = emitter.loop(start, end, streams * self.wide, zeros, squares)
        for other in others:
            total = lanewise.add(total, other)
        mean = self.scalar.number(1 / depth)
        return self.scalar.mul(reduce_lanes(emitter, "add", total), mean)


def unit_scale(scalar: Lanewise, square: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The power of two near the inverse square root of a number, and its inverse.

    Finite for every number: its exponent of 0 to 255 is mapped to 63 to 190.
    """
    mantissa = scalar.integer(MANTISSA_BITS)
    exponent = scalar.integer_op(arith.ShRUIOp, scalar.as_integer(square), mantissa)
    exponent = scalar.integer_op(arith.AndIOp, exponent, scalar.integer(255))
    twice = scalar.integer_op(arith.SubiOp, scalar.integer(3 * BIAS), exponent)
    half = scalar.integer_op(arith.ShRUIOp, twice, scalar.integer(1))
    opposite = scalar.integer_op(arith.SubiOp, scalar.integer(2 * BIAS), half)
    shifted = (
        scalar.integer_op(arith.ShLIOp, bits, mantissa) for bits in (half, opposite)
    )
    scale, inverse = map(scalar.as_float, shifted)
    return scale, inverse
