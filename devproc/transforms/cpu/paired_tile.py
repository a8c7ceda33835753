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

FEW_ROWS = 4
"""Rows of a plain tile at least: their sums hide the latency of a multiply-add."""


class PairedTile:
    """The sums of a tile of `left` and a panel of `right`, of scaled numbers.

    They lie in scratch memory: `totals`, a vector for each row.
    """

    def __init__(
        self,
        loops: LinearLoops,
        left: ScaledRows,
        right: SSAValue,
        totals: SSAValue,
        tile: RowTile,
        panel: SSAValue,
        ahead: Prefetch | None,
    ):
        self.emitter, self.lanewise = loops.emitter, loops.lanewise
        self.wide = loops.wide
        self.left, self.right, self.totals = left, right, totals
        self.tile, self.panel, self.ahead = tile, panel, ahead
        self.zero = loops.lanewise.number(0.0)

    def sum_paired(self) -> None:
        """The sums of all blocks, which begin with minus those of their pairs."""
        lanewise, rows = self.lanewise, self._rows()

        def begin(block: SSAValue) -> Values:
            pair_sums = self._vector(self._start_of(block))
            sums = (self.left.pair_sum(self.tile, block, row) for row in rows)
            return [lanewise.add(self._all(number), pair_sums) for number in sums]

        def add(total: SSAValue, numbers: Values, vectors: Values) -> SSAValue:
            a, b, c = numbers
            x = lanewise.add(self._all(a), vectors[1])
            y = lanewise.add(self._all(b), vectors[0])
            # What is made last before an addition of products is what LLVM adds them to
            # in its place; the other order takes a copy of the sum.
            total = self._multiply_add(c, vectors[2], total)
            return lanewise.fma(x, y, total)

        self._sum_blocks(rows, begin, add)

    def sum_plain(self) -> None:
        """The sums of all blocks, term by term: of few rows at a time."""
        emitter, count = self.emitter, self.tile.count
        few = next((n for n in range(FEW_ROWS, count) if count % n == 0), count)

        def add(total: SSAValue, numbers: Values, vectors: Values) -> SSAValue:
            for number, vector in zip(numbers, vectors, strict=True):
                total = self._multiply_add(number, vector, total)
            return total

        def some_rows(first: SSAValue) -> None:
            rows = [emitter.offset(first, row) for row in range(few)]
            self._sum_blocks(rows, lambda _: [self.zero] * few, add)

        zero, end = emitter.index(0), emitter.index(count)
        emitter.loop_between(zero, end, some_rows, few)

    def add_rest(self) -> None:
        """Add the sums of what fills no block."""
        emitter, left = self.emitter, self.left
        if not left.rest:
            return
        start = left.blocks * (left.terms + 1)

        def term(k: SSAValue, sums: Values) -> Values:
            vector = self._vector(emitter.offset(k, start))
            return [
                self._multiply_add(
                    left.number_of_rest(self.tile, row, k), vector, total
                )
                for row, total in enumerate(sums)
            ]

        zeros = [self.zero] * self.tile.count
        zero, end = emitter.index(0), emitter.index(left.rest)
        sums = emitter.loop(zero, end, 1, zeros, term)
        self._store(self._rows(), self._add(self._load(self._rows()), sums))

    def _sum_blocks(
        self,
        rows: Values,
        begin: Callable[[SSAValue], Values],
        add: Callable[[SSAValue, Values, Values], SSAValue],
    ) -> None:
        """The sums of all blocks, of some rows."""
        emitter, left = self.emitter, self.left

        def block(number: SSAValue, totals: Values) -> Values:
            return self._add(totals, self._block(number, rows, begin(number), add))

        zero, end = emitter.index(0), emitter.index(left.blocks)
        zeros = [self.zero] * len(rows)
        self._store(rows, emitter.loop(zero, end, 1, zeros, block))

    def _block(
        self,
        block: SSAValue,
        rows: Values,
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
            numbers = [
                [left.number(self.tile, block, row, third) for third in thirds]
                for row in rows
            ]
            given = zip(sums, numbers, strict=True)
            return [add(total, three, vectors) for total, three in given]

        zero, end = emitter.index(0), emitter.index(left.pairs)
        return emitter.loop(zero, end, 1, starts, terms)

    # Rows and vectors.

    def _rows(self) -> Values:
        return [self.emitter.index(row) for row in range(self.tile.count)]

    def _load(self, rows: Values) -> Values:
        places = [(row, self.emitter.index(0)) for row in rows]
        return [self.emitter.load_vector(self.totals, p, self.wide) for p in places]

    def _store(self, rows: Values, sums: Values) -> None:
        for row, total in zip(rows, sums, strict=True):
            self.emitter.store_vector(total, self.totals, (row, self.emitter.index(0)))

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
