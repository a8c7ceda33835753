"""Emits a matrix product by Winograd's inner product (`ir/inner_product.py`).

A block of rows is copied first, scaled (`scaled_rows.py`); then all panels of the weight
pass over its register tiles. A tile is as many rows as there are registers for, and one
vector of columns, so that each number of a row is an operand in memory of the one addition
or multiply-add that takes it. A tile whose pairs are too uneven, or not finite, and one
that meets such a panel of the weight, is multiplied in the plain way, from the same copy.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects.dev import InnerProductAttr, LayoutAttr, TargetAttr
from devproc.ir.inner_product import PARTS, scale_row
from devproc.transforms.cpu.access import physical_view, stored_as
from devproc.transforms.cpu.emitter import Emitter
from devproc.transforms.cpu.kernels import grain_of
from devproc.transforms.cpu.lanewise import Lanewise
from devproc.transforms.cpu.linear_loops import LinearLoops
from devproc.transforms.cpu.loop_space import Operand
from devproc.transforms.cpu.nest import Nest
from devproc.transforms.cpu.nest_emitter import Part, Values
from devproc.transforms.cpu.prefetch import (
    PanelStream,
    Prefetch,
    ask_for_result,
    is_large,
)
from devproc.transforms.cpu.scaled_rows import ScaledRows
from devproc.transforms.cpu.tile_shapes import RowSplit

MAX_ROWS = 24
"""Rows of a tile; more gain nothing."""

REGISTERS_BESIDE = 6
"""Registers beside the sums: three vectors of the panel, two of a pair, a spare."""

COPY_BYTES = 512 * 1024
"""Memory for the copy of a block of rows, which stays in an L2 while the weight flows
through it."""

LEAST_PANELS = 12
"""Panels that make up for the copy of a block of rows, which takes a quarter of one."""

CHUNKS = 2
"""Parts of the work for each thread, as far as they make up for their copies."""


def inner_product_of(nest: Nest) -> InnerProductAttr | None:
    """The layout of a weight that is stored for Winograd's inner product; else None."""
    if len(nest.inputs) != 2 or not nest.inputs[1].is_memref:
        return None
    return stored_as(nest.inputs[1].value, InnerProductAttr)


class InnerProductLoops(LinearLoops):
    """The state of one matrix product being emitted."""

    def __init__(self, nest: Nest, emitter: Emitter, target: TargetAttr):
        layout = inner_product_of(nest)
        assert layout is not None
        super().__init__(nest, emitter, target)
        self.width, self.terms = layout.width.data, layout.terms.data
        innermost = nest.sizes[nest.reductions[-1]]
        is_whole = self.terms % (PARTS * self.wide) == 0 and innermost % self.wide == 0
        if self.width != self.wide or not is_whole:
            raise PassFailedException(
                f"a weight of {innermost} terms in a line, in panels of {self.width} columns and"
                f" blocks of {self.terms} terms is not made for vectors of {self.wide};"
                f" give it a layout {LayoutAttr.name}"
            )
        self.pairs = self.terms // PARTS
        self.blocks, self.rest = divmod(self.depth, self.terms)
        self.scales = scale_row(self.depth, self.terms)
        self.panels = -(-self.columns // self.width)
        free = target.vector_registers.data - REGISTERS_BESIDE
        self.split = RowSplit.balanced(self.rows, min(MAX_ROWS, free), 1)
        self.tiles, self.group = self._parts_of_the_work()

    def _parts_of_the_work(self) -> tuple[int, int]:
        """Tiles of a block of rows, and panels of a group."""
        most = max(1, COPY_BYTES // (4 * self.split.height * self.depth))
        blocks = -(-self.split.count // most)
        wanted = CHUNKS * self.threads if self.threads > 1 else 1
        groups = min(-(-wanted // blocks), max(1, self.panels // LEAST_PANELS))
        return -(-self.split.count // blocks), -(-self.panels // groups)

    def emit(self) -> None:
        """Emit the loops over blocks of rows and groups of panels."""
        emitter = self.emitter
        self.nest.view(emitter)
        self.right = physical_view(emitter, self.nest.inputs[1].value)
        size, terms = (self.scales + 2) * self.width, self.blocks * self.pairs
        self.stream = PanelStream(self.right, self.panels, size, terms)
        sizes = [-(-self.split.count // self.tiles), -(-self.panels // self.group)]
        is_split = grain_of(sizes[0] * sizes[1], 2 * self.nest.work, self.threads)
        emitter.for_each(sizes, is_split and 1, lambda at: self._block(at[0], at[1]))

    def _block(self, block: SSAValue, group: SSAValue) -> None:
        """The rows of one block, for the panels of one group."""
        emitter, split = self.emitter, self.split
        self.left = ScaledRows(self, self.tiles, split.height, self.terms)
        self.totals = emitter.stack(split.height, self.width)
        first, end = self._range(block, self.tiles, split.count)

        def tiles(visit: Callable[[SSAValue, Values], None]) -> None:
            def tile(number: SSAValue, is_short: bool) -> None:
                rows = emitter.rows_of(split, number, is_short)
                visit(emitter.sub(number, first), rows)

            emitter.tiles_between(split, first, end, tile)

        tiles(self.left.fill)
        emitter.loop_between(
            *self._range(group, self.group, self.panels),
            lambda panel: tiles(lambda tile, rows: self._tile(tile, rows, panel)),
        )

    def _range(
        self, number: SSAValue, size: int, whole: int
    ) -> tuple[SSAValue, SSAValue]:
        """Where a part begins and ends, of `whole` in parts of `size`."""
        emitter = self.emitter
        lower = emitter.mul(number, emitter.index(size))
        upper = emitter.offset(lower, size)
        if whole % size:
            upper = emitter.minimum(upper, emitter.index(whole))
        return lower, upper

    # One register tile.

    def _tile(self, tile: SSAValue, rows: Values, panel: SSAValue) -> None:
        """From its sums to its results."""
        emitter, count = self.emitter, len(rows)
        self._ask_for_results(rows, panel)
        ahead = None
        if self.stream.pays(self.tiles):
            ahead = self.stream.ahead(emitter, panel, tile, self.tiles)
        place = (panel, emitter.index(self.scales + 1), emitter.index(0))
        bound = emitter.load(self.right, place)
        scalar = Lanewise(emitter, bound.type)

        def multiply(is_paired: bool) -> None:
            totals = self._sum(tile, count, panel, ahead, is_paired)
            for row, total in enumerate(totals):
                at = (emitter.index(row), emitter.index(0))
                emitter.store_vector(total, self.totals, at)

        emitter.choose(
            scalar.compare("ole", self.left.spread(tile), bound),
            lambda: multiply(True),
            lambda: multiply(False),
        )
        whole = self.columns // self.width
        start = emitter.mul(panel, emitter.index(self.width))
        emitter.branch_below(
            panel,
            whole,
            lambda: self._finish_rows(tile, rows, panel, self.parts(start, self.width)),
            lambda: self._finish_rows(
                tile, rows, panel, self.parts(start, self.columns % self.width)
            ),
        )

    def _ask_for_results(self, rows: Values, panel: SSAValue) -> None:
        """Fetch the lines that are stored to after the sum, if they left the cache."""
        emitter = self.emitter
        for result in self.nest.results:
            if not self.row_loops or not is_large(result.value):
                continue

            def row(number: SSAValue, result: Operand = result) -> None:
                self.stand_at(emitter.add(rows[0], number))
                start = emitter.mul(panel, emitter.index(self.width))
                part = self.parts(start, self.width)[0]
                ask_for_result(self, result, self.row_loops[-1], part, 1)

            emitter.loop_to(len(rows), row)

    def _sum(
        self,
        tile: SSAValue,
        rows: int,
        panel: SSAValue,
        ahead: Prefetch | None,
        is_paired: bool,
    ) -> Values:
        """The sums of all terms, of scaled numbers."""
        emitter, lanewise = self.emitter, self.lanewise
        zeros = [lanewise.number(0.0)] * rows

        def block(number: SSAValue, totals: Values) -> Values:
            sums = self._block_sums(tile, rows, panel, number, ahead, is_paired)
            return [lanewise.add(a, b) for a, b in zip(totals, sums, strict=True)]

        totals = emitter.loop(
            emitter.index(0), emitter.index(self.blocks), 1, zeros, block
        )
        if not self.rest:
            return totals
        start = self.blocks * (self.terms + 1)

        def term(k: SSAValue, sums: Values) -> Values:
            vector = self._vector(panel, emitter.offset(k, start))
            return [
                lanewise.fma(
                    self._all(self.left.number_of_rest(tile, row, k)), vector, s
                )
                for row, s in enumerate(sums)
            ]

        rest = emitter.loop(emitter.index(0), emitter.index(self.rest), 1, zeros, term)
        return [lanewise.add(a, b) for a, b in zip(totals, rest, strict=True)]

    def _block_sums(
        self,
        tile: SSAValue,
        rows: int,
        panel: SSAValue,
        block: SSAValue,
        ahead: Prefetch | None,
        is_paired: bool,
    ) -> Values:
        """The sums of one block."""
        emitter, lanewise = self.emitter, self.lanewise
        base = emitter.mul(block, emitter.index(self.terms + 1))
        starts = [lanewise.number(0.0)] * rows
        if is_paired:
            pair_sums = self._vector(panel, base)
            starts = [
                lanewise.add(self._all(self.left.pair_sum(tile, block, row)), pair_sums)
                for row in range(rows)
            ]

        def group(k: SSAValue, sums: Values) -> Values:
            at = emitter.add(base, emitter.mul(k, emitter.index(PARTS)))
            vectors = [
                self._vector(panel, emitter.offset(at, n + 1)) for n in range(PARTS)
            ]
            if ahead is not None:
                place = emitter.mul(block, emitter.index(self.pairs))
                ahead.emit(emitter, emitter.add(place, k))
            done: list[SSAValue] = []
            for row, total in enumerate(sums):
                a, b, c = (
                    self._all(
                        self.left.number(
                            tile, block, row, emitter.offset(k, n * self.pairs)
                        )
                    )
                    for n in range(PARTS)
                )
                if is_paired:
                    # LLVM adds to the sum in its place if what it was added to before
                    # is made last.
                    x, y = lanewise.add(a, vectors[1]), lanewise.add(b, vectors[0])
                    total = lanewise.fma(c, vectors[2], total)
                    total = lanewise.fma(x, y, total)
                else:
                    for number, vector in zip((a, b, c), vectors, strict=True):
                        total = lanewise.fma(number, vector, total)
                done.append(total)
            return done

        return emitter.loop(
            emitter.index(0), emitter.index(self.pairs), 1, starts, group
        )

    def _vector(self, panel: SSAValue, row: SSAValue) -> SSAValue:
        """A vector of a panel."""
        place = (panel, row, self.emitter.index(0))
        return self.emitter.load_vector(self.right, place, self.wide)

    def _all(self, number: SSAValue) -> SSAValue:
        """A number in every lane."""
        return self.emitter.broadcast(number, self.wide)

    def _finish_rows(
        self, tile: SSAValue, rows: Values, panel: SSAValue, parts: list[Part]
    ) -> None:
        """The epilogue and the stores of each row."""
        emitter, lanewise = self.emitter, self.lanewise
        offsets = [emitter.index(n * self.lanes) for n in range(len(parts))]

        def row(number: SSAValue) -> None:
            self.stand_at(emitter.add(rows[0], number))
            inverse = self.left.inverse(tile, number)
            for part, offset in zip(parts, offsets, strict=True):
                value = emitter.load_vector(self.totals, (number, offset), self.lanes)
                place = (panel, emitter.index(self.scales), offset)
                scales = emitter.load_vector(self.right, place, self.lanes)
                scales = lanewise.mul(scales, emitter.broadcast(inverse, self.lanes))
                (before,) = self.start(part)
                assert before is not None
                total = lanewise.fma(value, scales, part.body.widen(before))
                self.finish(part, [total])

        emitter.loop_to(len(rows), row)
