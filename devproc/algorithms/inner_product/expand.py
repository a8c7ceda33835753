"""Emits a matrix product by Winograd's inner product (`ir/layouts/inner_product.py`).

A block of rows is copied first, scaled (`scaled_rows.py`); then all panels of the weight
pass over its register tiles (`paired_tile.py`). A tile whose pairs are too uneven, or not
finite, and one that meets such a panel of the weight, is multiplied in the plain way, from
the same copy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms.inner_product.paired_tile import PairedTile
from devproc.algorithms.inner_product.scaled_rows import RowTile, ScaledRows
from devproc.dialects.dev import InnerProductAttr, LayoutAttr, TargetAttr
from devproc.ir.layouts.inner_product import PARTS, scale_row
from devproc.transforms.cpu.loops.access import physical_view, stored_as
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import grain_of
from devproc.transforms.cpu.loops.lanewise import Lanewise
from devproc.transforms.cpu.loops.prefetch import (
    PanelStream,
    Prefetch,
    ask_for_result,
    is_large,
)
from devproc.transforms.cpu.nests.linear_loops import LinearLoops
from devproc.transforms.cpu.nests.loop_space import Operand
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import Part
from devproc.transforms.cpu.nests.tile_shapes import even_height
from devproc.transforms.kernels.panels import CACHED_BYTES

MAX_ROWS = 10
"""Rows of a tile: 16 are a hundredth faster, and a third more to compile."""

REGISTERS_BESIDE = 6
"""Registers beside the sums: three vectors of the panel, two of a pair, a spare."""

COPY_BYTES = 512 * 1024
"""Memory for the copy of a block of rows, which stays in an L2 while the weight flows
through it."""

LEAST_PANELS = 12
"""Panels that make up for the copy of a block of rows, which takes as long as one."""

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
        line = nest.sizes[nest.reductions[-1]]
        is_whole = self.terms % (PARTS * self.wide) == 0 and line % self.wide == 0
        if self.width != self.wide or not is_whole:
            raise PassFailedException(
                f"a weight of {line} terms in a line, in panels of {self.width} columns and"
                f" blocks of {self.terms} terms is not made for vectors of {self.wide};"
                f" give it a layout {LayoutAttr.name}"
            )
        self.prefetch_level = target.prefetch_level.data
        self.scales = scale_row(self.depth, self.terms)
        self.panels = -(-self.columns // self.width)
        free = target.vector_registers.data - REGISTERS_BESIDE
        self.height = even_height(self.rows, min(MAX_ROWS, free))
        self.all_tiles = -(-self.rows // self.height)
        self.tiles, self.group = self._parts_of_the_work()

    def _parts_of_the_work(self) -> tuple[int, int]:
        """Tiles of a block of rows, and panels of a group.

        A group copies the rows once more, a block of rows reads the whole weight again:
        that of a core's own cache costs nothing.
        """
        most = max(1, COPY_BYTES // (4 * self.height * self.depth))
        blocks, groups = -(-self.all_tiles // most), 1
        wanted = CHUNKS * self.threads if self.threads > 1 else 1
        if 4 * self.columns * self.depth > CACHED_BYTES:
            groups = min(-(-wanted // blocks), max(1, self.panels // LEAST_PANELS))
        blocks = max(blocks, min(self.all_tiles, -(-wanted // groups)))
        return -(-self.all_tiles // blocks), -(-self.panels // groups)

    def emit(self) -> None:
        """Emit the loops over blocks of rows and groups of panels."""
        emitter = self.emitter
        self.nest.view(emitter)
        self.right = physical_view(emitter, self.nest.inputs[1].value)
        steps = self.depth // self.terms * self.terms // PARTS
        size = (self.scales + 2) * self.width
        self.stream = PanelStream(self.right, self.panels, size, steps)
        sizes = [-(-self.all_tiles // self.tiles), -(-self.panels // self.group)]
        is_split = grain_of(sizes[0] * sizes[1], 2 * self.nest.work, self.threads)
        emitter.for_each(sizes, is_split and 1, lambda at: self._block(at[0], at[1]))

    def _block(self, block: SSAValue, group: SSAValue) -> None:
        """The rows of one block, for the panels of one group."""
        emitter, height = self.emitter, self.height
        self.left = ScaledRows(self, self.tiles, height, self.terms)
        self.totals = emitter.stack(height, self.width)
        first, end = self._range(block, self.tiles, self.all_tiles)

        def tiles(visit: Callable[[RowTile], None]) -> None:
            def tile(number: SSAValue) -> None:
                row = emitter.mul(number, emitter.index(height))
                existing = emitter.index(height)
                if self.rows % height:
                    left = emitter.sub(emitter.index(self.rows), row)
                    existing = emitter.minimum(existing, left)
                number = emitter.sub(number, first)
                visit(RowTile(number, row, height, existing))

            emitter.loop_between(first, end, tile)

        tiles(self.left.fill)
        emitter.loop_between(
            *self._range(group, self.group, self.panels),
            lambda panel: tiles(lambda tile: self._tile(tile, panel)),
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

    # One tile, with one panel.

    def _tile(self, tile: RowTile, panel: SSAValue) -> None:
        """From its sums to its results."""
        emitter = self.emitter
        self._ask_for_results(tile, panel)
        ahead = self._ahead(tile, panel)
        sums = PairedTile(self, self.left, self.right, self.totals, tile, panel, ahead)
        emitter.choose(self._is_even(tile, panel), sums.sum_paired, sums.sum_plain)
        sums.add_rest()
        start = emitter.mul(panel, emitter.index(self.width))
        whole, last = divmod(self.columns, self.width)

        def finish(columns: int) -> None:
            self._finish_rows(tile, panel, self.parts(start, columns))

        if not last:
            finish(self.width)
            return
        emitter.branch_below(
            panel, whole, lambda: finish(self.width), lambda: finish(last)
        )

    def _ahead(self, tile: RowTile, panel: SSAValue) -> Prefetch | None:
        """What a tile fetches of the next panel."""
        if not self.stream.pays(self.tiles, self.height, self.prefetch_level):
            return None
        return self.stream.ahead(self.emitter, panel, tile.number, self.tiles)

    def _ask_for_results(self, tile: RowTile, panel: SSAValue) -> None:
        """Fetch the lines that are stored to after the sum, if they left the cache."""
        emitter = self.emitter
        for result in self.nest.results:
            if not self.row_loops or not is_large(result.value):
                continue

            def row(number: SSAValue, result: Operand = result) -> None:
                self.stand_at(emitter.add(tile.first, number))
                start = emitter.mul(panel, emitter.index(self.width))
                part = self.parts(start, self.width)[0]
                ask_for_result(self, result, self.row_loops[-1], part, 1)

            emitter.loop_between(emitter.index(0), tile.existing, row)

    def _is_even(self, tile: RowTile, panel: SSAValue) -> SSAValue:
        """Whether pairs lose no more digits than a plain sum does; false for NaN."""
        emitter = self.emitter
        place = (panel, emitter.index(self.scales + 1), emitter.index(0))
        bound, spread = emitter.load(self.right, place), self.left.spread(tile)
        return Lanewise(emitter, bound.type).compare("ole", spread, bound)

    def _finish_rows(
        self, tile: RowTile, panel: SSAValue, parts: Sequence[Part]
    ) -> None:
        """The epilogue and the stores of each row."""
        emitter, lanewise = self.emitter, self.lanewise

        def row(number: SSAValue) -> None:
            self.stand_at(emitter.add(tile.first, number))
            inverse = self.left.inverse(tile, number)
            for position, part in enumerate(parts):
                offset = emitter.index(position * self.lanes)
                value = emitter.load_vector(self.totals, (number, offset), self.lanes)
                place = (panel, emitter.index(self.scales), offset)
                scales = emitter.load_vector(self.right, place, self.lanes)
                scales = lanewise.mul(scales, emitter.broadcast(inverse, self.lanes))
                (before,) = self.start(part)
                assert before is not None
                total = lanewise.fma(value, scales, part.body.widen(before))
                self.finish(part, [total])

        emitter.loop_between(emitter.index(0), tile.existing, row)
