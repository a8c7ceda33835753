"""One register tile of Winograd's inner product: some rows times one vector of columns.

Each number of a row is an operand in memory of the one addition or multiply-add that takes
it, so a tile has as many rows as there are registers for.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from devproc.ir.inner_product import PARTS
from devproc.transforms.cpu.linear_loops import LinearLoops
from devproc.transforms.cpu.nest_emitter import Values
from devproc.transforms.cpu.prefetch import Prefetch
from devproc.transforms.cpu.scaled_rows import RowTile, ScaledRows


class PairedTile:
    """The sums of a tile of `left` and a panel of `right`, of scaled numbers."""

    def __init__(
        self,
        loops: LinearLoops,
        left: ScaledRows,
        right: SSAValue,
        tile: RowTile,
        panel: SSAValue,
        ahead: Prefetch | None,
    ):
        self.emitter, self.lanewise, self.wide = (
            loops.emitter,
            loops.lanewise,
            loops.wide,
        )
        self.left, self.right = left, right
        self.tile, self.panel, self.ahead = tile, panel, ahead
        self.zeros = [self.lanewise.number(0.0)] * tile.count

    def sums(self, is_paired: bool) -> Values:
        """The sums, with or without pairs, block by block; what fills no block has none."""
        emitter, left = self.emitter, self.left
        zero, block = emitter.index(0), self._paired if is_paired else self._plain

        def one_more(number: SSAValue, totals: Values) -> Values:
            return self._add(totals, block(number))

        totals = emitter.loop(zero, emitter.index(left.blocks), 1, self.zeros, one_more)
        if not left.rest:
            return totals
        start = left.blocks * (left.terms + 1)

        def term(k: SSAValue, sums: Values) -> Values:
            vector = self._vector(emitter.offset(k, start))
            return [
                self._multiply_add(
                    left.number_of_rest(self.tile, row, k), vector, total
                )
                for row, total in enumerate(sums)
            ]

        rest = emitter.loop(zero, emitter.index(left.rest), 1, self.zeros, term)
        return self._add(totals, rest)

    def _paired(self, block: SSAValue) -> Values:
        """The sums of a block, which begin with minus those of its pairs."""
        lanewise = self.lanewise
        pair_sums = self._vector(self._start_of(block))
        starts = [
            lanewise.add(
                self._all(self.left.pair_sum(self.tile, block, row)), pair_sums
            )
            for row in range(self.tile.count)
        ]

        def add(total: SSAValue, numbers: Values, vectors: Values) -> SSAValue:
            a, b, c = numbers
            x = lanewise.add(self._all(a), vectors[1])
            y = lanewise.add(self._all(b), vectors[0])
            # What is made last before an addition of products is what LLVM adds them to
            # in its place; the other order takes a copy of the sum.
            total = self._multiply_add(c, vectors[2], total)
            return lanewise.fma(x, y, total)

        return self._block(block, starts, add)

    def _plain(self, block: SSAValue) -> Values:
        """The sums of a block, term by term."""

        def add(total: SSAValue, numbers: Values, vectors: Values) -> SSAValue:
            for number, vector in zip(numbers, vectors, strict=True):
                total = self._multiply_add(number, vector, total)
            return total

        return self._block(block, self.zeros, add)

    def _block(
        self,
        block: SSAValue,
        starts: Values,
        add: Callable[[SSAValue, Values, Values], SSAValue],
    ) -> Values:
        """The sums of a block: a term of each third of it at a time."""
        emitter, left = self.emitter, self.left
        first = emitter.offset(self._start_of(block), 1)
        before = emitter.mul(block, emitter.index(left.pairs))

        def terms(k: SSAValue, sums: Values) -> Values:
            at = emitter.add(first, emitter.mul(k, emitter.index(PARTS)))
            vectors = [self._vector(emitter.offset(at, part)) for part in range(PARTS)]
            if self.ahead is not None:
                self.ahead.emit(emitter, emitter.add(before, k))
            thirds = [emitter.offset(k, part * left.pairs) for part in range(PARTS)]
            return [
                add(
                    total,
                    [left.number(self.tile, block, row, t) for t in thirds],
                    vectors,
                )
                for row, total in enumerate(sums)
            ]

        return emitter.loop(
            emitter.index(0), emitter.index(left.pairs), 1, starts, terms
        )

    def _start_of(self, block: SSAValue) -> SSAValue:
        """The row of a panel in which a block begins."""
        return self.emitter.mul(block, self.emitter.index(self.left.terms + 1))

    def _vector(self, row: SSAValue) -> SSAValue:
        place = (self.panel, row, self.emitter.index(0))
        return self.emitter.load_vector(self.right, place, self.wide)

    def _all(self, number: SSAValue) -> SSAValue:
        return self.emitter.broadcast(number, self.wide)

    def _multiply_add(
        self, number: SSAValue, vector: SSAValue, total: SSAValue
    ) -> SSAValue:
        return self.lanewise.fma(self._all(number), vector, total)

    def _add(self, a: Values, b: Values) -> Values:
        return [self.lanewise.add(x, y) for x, y in zip(a, b, strict=True)]
