"""One register tile of Winograd's inner product: some rows times one vector of columns.

Each number of a row is the memory operand of the one addition or multiply-add that uses
it, so only the sums limit the rows of a tile.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from devproc.ir.layouts.inner_product import PARTS
from devproc.targets.cpu.algorithms.inner_product.scaled_rows import RowTile, ScaledRows
from devproc.targets.cpu.transforms.nests.linear_loops import LinearLoops
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from devproc.targets.cpu.transforms.nests.prefetch import Prefetch


class PairedTile:
    """The sums of a tile of the first and a panel of the second of `factors`, which are
    scaled numbers.

    They are stored to scratch memory, the third memref: one vector for each row.
    Without pairs, `few` rows are multiplied at a time.
    """

    def __init__(
        self,
        loops: LinearLoops,
        factors: tuple[ScaledRows, SSAValue, SSAValue],
        tile: RowTile,
        panel: SSAValue,
        few: int,
        ahead: Prefetch | None,
    ):
        self.emitter, self.lanewise = loops.emitter, loops.lanewise
        self.wide = loops.wide
        self.left, self.right, self.totals = factors
        self.tile, self.panel, self.few, self.ahead = tile, panel, few, ahead
        self.zero = loops.lanewise.number(0.0)

    def sum_paired(self) -> None:
        """The sums of all blocks, initialised with the negated sums of their pairs."""
        rows = [self.emitter.index(row) for row in range(self.tile.count)]
        self._sum_blocks(rows, self._paired_block)

    def sum_plain(self) -> None:
        """The sums of all blocks, term by term."""
        self._for_few_rows(lambda rows: self._sum_blocks(rows, self._plain_block))

    def add_rest(self) -> None:
        """Add the terms after the last whole block."""
        emitter, left = self.emitter, self.left
        start = left.blocks * (left.terms + 1)

        def some_rows(rows: Values) -> None:
            def term(k: SSAValue, sums: Values) -> Values:
                numbers = [left.number_of_rest(self.tile, row, k) for row in rows]
                return self._multiply_add(numbers, emitter.offset(k, start), sums)

            places = [(row, emitter.index(0)) for row in rows]
            before = [emitter.load_vector(self.totals, p, self.wide) for p in places]
            zero, end = emitter.index(0), emitter.index(left.rest)
            zeros = [self.zero] * len(rows)
            sums = emitter.loop(zero, end, 1, zeros, term)
            self._store(rows, self._add(before, sums))

        if left.rest:
            self._for_few_rows(some_rows)

    def _for_few_rows(self, body: Callable[[Values], None]) -> None:
        """Emit `body` for a few rows at a time, whose sums suffice without pairs."""
        emitter, count, few = self.emitter, self.tile.count, self.few

        def some_rows(first: SSAValue) -> None:
            body([emitter.offset(first, row) for row in range(few)])

        zero, end = emitter.index(0), emitter.index(count)
        emitter.loop_between(zero, end, some_rows, few)

    def _sum_blocks(
        self, rows: Values, sum_block: Callable[[Values, SSAValue], Values]
    ) -> None:
        """The sums of all blocks, of some rows."""
        emitter = self.emitter

        def block(number: SSAValue, totals: Values) -> Values:
            return self._add(totals, sum_block(rows, number))

        zero, end = emitter.index(0), emitter.index(self.left.blocks)
        zeros = [self.zero] * len(rows)
        self._store(rows, emitter.loop(zero, end, 1, zeros, block))

    def _paired_block(self, rows: Values, block: SSAValue) -> Values:
        """The sums of a block: a term of each third of it at a time."""
        emitter, lanewise, left = self.emitter, self.lanewise, self.left
        begin = self._start_of(block)
        of_panel = self._vector(begin)
        of_rows = (left.pair_sum(self.tile, block, row) for row in rows)
        starts = [lanewise.add(self._all(number), of_panel) for number in of_rows]
        first = emitter.offset(begin, 1)
        before = emitter.mul(block, emitter.index(left.pairs))

        def add(total: SSAValue, numbers: Values, vectors: Values) -> SSAValue:
            a, b, c = map(self._all, numbers)
            x = lanewise.add(a, vectors[1])
            y = lanewise.add(b, vectors[0])
            # LLVM overwrites the operand that is computed last before the addition of
            # products; in the other order it would copy the sum.
            return lanewise.fma(x, y, lanewise.fma(c, vectors[2], total))

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

    def _plain_block(self, rows: Values, block: SSAValue) -> Values:
        """The sums of a block, term by term, in the memory order of the pairs."""
        emitter, left = self.emitter, self.left
        first = emitter.offset(self._start_of(block), 1)

        def term(k: SSAValue, sums: Values) -> Values:
            group = emitter.mul(emitter.mod(k, left.pairs), emitter.index(PARTS))
            place = emitter.add(group, emitter.div(k, left.pairs))
            numbers = [left.number(self.tile, block, row, k) for row in rows]
            return self._multiply_add(numbers, emitter.add(first, place), sums)

        zero, end = emitter.index(0), emitter.index(left.terms)
        return emitter.loop(zero, end, 1, [self.zero] * len(rows), term)

    # Rows and vectors.

    def _store(self, rows: Values, sums: Values) -> None:
        for row, total in zip(rows, sums, strict=True):
            self.emitter.store_vector(total, self.totals, (row, self.emitter.index(0)))

    def _start_of(self, block: SSAValue) -> SSAValue:
        """The row of a panel at which a block begins."""
        return self.emitter.mul(block, self.emitter.index(self.left.terms + 1))

    def _vector(self, row: SSAValue) -> SSAValue:
        place = (self.panel, row, self.emitter.index(0))
        return self.emitter.load_vector(self.right, place, self.wide)

    def _all(self, number: SSAValue) -> SSAValue:
        return self.emitter.broadcast(number, self.wide)

    def _multiply_add(self, numbers: Values, term: SSAValue, sums: Values) -> Values:
        """The sums after adding a term of each row times this row of the panel."""
        vector, pairs = self._vector(term), zip(numbers, sums, strict=True)
        return [self.lanewise.fma(self._all(n), vector, total) for n, total in pairs]

    def _add(self, a: Values, b: Values) -> Values:
        return [self.lanewise.add(x, y) for x, y in zip(a, b, strict=True)]
