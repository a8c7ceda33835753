"""Emits a matrix product by Winograd's inner product (`ir/layouts/inner_product.py`).

A block of rows is first scaled and copied (`scaled_rows.py`); then each panel of the
weight is multiplied with its register tiles (`paired_tile.py`). If the pairs of a tile
or of a panel differ too much in magnitude, or are not finite, the two are multiplied
conventionally, from the same copy. If a sum is cut into slices, the rows are copied slice
by slice, and the sums of tiles are added up in scratch memory; the epilogue follows the last
slice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import InnerProductSchedule
from devproc.ir.layouts.inner_product import scale_row
from devproc.targets.cpu.algorithms.inner_product.paired_tile import PairedTile
from devproc.targets.cpu.algorithms.inner_product.plan import (
    panel_stream,
    panels_of,
    scratch,
    sums_shape,
)
from devproc.targets.cpu.algorithms.inner_product.scaled_rows import RowTile, ScaledRows
from devproc.targets.cpu.transforms.loops.access import physical_view
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.nests.linear_loops import LinearLoops, Product
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest_emitter import Part
from devproc.targets.cpu.transforms.nests.prefetch import Prefetch, ask_for_result


def expand(
    product: Product,
    schedule: InnerProductSchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> None:
    """Emit the loops of a product."""
    emitter.location = product.nest.anchor.location
    InnerProductLoops(product, schedule, emitter, target).emit()


TileVisitor: TypeAlias = Callable[[RowTile], None]

Tiles: TypeAlias = Callable[[TileVisitor], None]
"""Visits all tiles of a block."""


class InnerProductLoops(LinearLoops):
    """The state of one matrix product being emitted."""

    def __init__(
        self,
        product: Product,
        schedule: InnerProductSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        super().__init__(product, emitter, target)
        self.product, self.schedule = product, schedule
        self.width, self.terms = schedule.weight.width.data, schedule.weight.terms.data
        self.height, self.tiles = schedule.rows, schedule.tiles
        self.group = schedule.group
        self.slices, self.vectors = self.count_slices(), 1
        self.depth = product.depth // self.slices
        self.slice = self.first_term = self.first_panel = emitter.index(0)
        self.sums: SSAValue | None = None
        self.scales = scale_row(self.depth, self.terms)
        self.panels = self.count_panels()
        self.all_tiles = -(-self.rows // self.height)

    def count_slices(self) -> int:
        """Slices of terms, which are multiplied one after the other."""
        return self.schedule.weight.slices.data

    def count_panels(self) -> int:
        """Panels of the weight in memory."""
        return panels_of(self.product)

    def begin(self) -> None:
        """Emit what precedes all loops."""
        self.right = physical_view(self.emitter, self.nest.inputs[1].value)

    def emit(self) -> None:
        """Emit the loops over blocks of rows and groups of panels."""
        emitter = self.emitter
        self.nest.view(emitter)
        self.begin()
        sizes = [-(-self.all_tiles // self.tiles), -(-self.panels // self.group)]
        emitter.for_each(
            sizes, self.schedule.grain, lambda at: self._block(at[0], at[1])
        )

    def _block(self, block: SSAValue, group: SSAValue) -> None:
        """The rows of one block, for the panels of one group."""
        emitter, height = self.emitter, self.height
        shapes = scratch(self.depth, self.schedule).items()
        memory = {name: emitter.stack(*shape) for name, shape in shapes}
        self.left = ScaledRows(self, memory, self.terms, self.schedule.scale_rows)
        self.totals = memory["totals"]
        first, end = self._range(block, self.tiles, self.all_tiles)

        def tiles(visit: TileVisitor) -> None:
            def tile(number: SSAValue) -> None:
                row = emitter.mul(number, emitter.index(height))
                existing = emitter.index(height)
                if self.rows % height:
                    left = emitter.sub(emitter.index(self.rows), row)
                    existing = emitter.minimum(existing, left)
                number = emitter.sub(number, first)
                visit(RowTile(number, row, height, existing))

            emitter.loop_between(first, end, tile)

        self.multiply(tiles, group)

    def multiply(self, tiles: Tiles, group: SSAValue) -> None:
        """All tiles of a block times the panels of a group."""
        first, end = self.panels_of(group)
        if self.slices == 1:
            self._multiply_slice(tiles, first, end)
            return
        emitter, shape = self.emitter, sums_shape(self.schedule, self.vectors)
        self.sums, self.first_panel = emitter.stack(*shape), first
        sums, zero = self.sums, self.lanewise.number(0.0)

        def clear(place: Sequence[SSAValue]) -> None:
            emitter.store_vector(zero, sums, (*place, emitter.index(0)))

        def one_slice(number: SSAValue) -> None:
            self.slice = number
            self.first_term = emitter.mul(number, emitter.index(self.depth))
            self._multiply_slice(tiles, first, end)

        def finish(vector: SSAValue, _: SSAValue) -> None:
            tiles(lambda tile: self._finish_sums(tile, vector, sums))

        emitter.for_each(shape[:-1], None, clear)
        emitter.loop_to(self.slices, one_slice)
        emitter.loop_between(first, end, lambda panel: self.for_vectors(panel, finish))

    def _multiply_slice(self, tiles: Tiles, first: SSAValue, end: SSAValue) -> None:
        """A slice of all tiles of a block times that of these panels."""
        tiles(self.left.fill)
        self.emitter.loop_between(first, end, lambda panel: self.panel(panel, tiles))

    def left_vector(self, term: SSAValue) -> SSAValue:
        """A vector of terms of the current row, from this one of the slice on."""
        return super().left_vector(self.emitter.add(self.first_term, term))

    def panels_of(self, group: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The first panel of a group, and the one after the last."""
        return self._range(group, self.group, self.panels)

    def panel(self, panel: SSAValue, tiles: Tiles) -> None:
        """All tiles of a block times one panel of the weight."""
        before = self.emitter.mul(self.slice, self.emitter.index(self.panels))
        place = self.emitter.add(before, panel)
        tiles(lambda tile: self.tile(tile, panel, place))

    def for_vectors(
        self, panel: SSAValue, visit: Callable[[SSAValue, SSAValue], None]
    ) -> None:
        """Emit `visit` for the vectors of a panel: their number among those of the results'
        columns, and in the panel."""
        visit(panel, self.emitter.index(0))

    def _range(
        self, number: SSAValue, size: int, whole: int
    ) -> tuple[SSAValue, SSAValue]:
        """The bounds of part `number`, of `whole` split into parts of `size`."""
        emitter = self.emitter
        lower = emitter.mul(number, emitter.index(size))
        upper = emitter.offset(lower, size)
        if whole % size:
            upper = emitter.minimum(upper, emitter.index(whole))
        return lower, upper

    # One tile, with one panel.

    def tile(self, tile: RowTile, panel: SSAValue, place: SSAValue) -> None:
        """One register tile: its sums, the epilogue and the stores.

        `panel`: of the results' columns; `place`: where it is in `right`.
        """
        emitter = self.emitter
        self._ask_for_results(tile, panel)
        ahead = self._ahead(tile, place)
        few = self.schedule.plain_rows
        factors = (self.left, self.right, self.totals)
        sums = PairedTile(self, factors, tile, place, few, ahead)
        emitter.choose(self._is_even(tile, place), sums.sum_paired, sums.sum_plain)
        sums.add_rest()
        self.finish_tile(tile, panel, place)

    def finish_tile(self, tile: RowTile, panel: SSAValue, place: SSAValue) -> None:
        """The epilogue and the stores of a tile; or its sums are added to those of the
        slices before."""
        if self.sums is None:
            self.for_parts(panel, lambda parts: self._finish_rows(tile, place, parts))
        else:
            self._add_sums(tile, panel, place, self.sums)

    def for_parts(
        self, panel: SSAValue, finish: Callable[[Sequence[Part]], None]
    ) -> None:
        """Emit `finish` for the vectors of a panel of the results' columns."""
        emitter = self.emitter
        start = emitter.mul(panel, emitter.index(self.width))
        whole, last = divmod(self.columns, self.width)

        def some(columns: int) -> None:
            finish(self.parts(start, columns))

        if not last:
            some(self.width)
            return
        emitter.branch_below(panel, whole, lambda: some(self.width), lambda: some(last))

    def _ahead(self, tile: RowTile, panel: SSAValue) -> Prefetch | None:
        """The part of the next panel that a tile prefetches."""
        if not self.schedule.prefetch_panel:
            return None
        stream = panel_stream(self.product)
        return stream.ahead(self.emitter, panel, tile.number, self.tiles)

    def _ask_for_results(self, tile: RowTile, panel: SSAValue) -> None:
        """Prefetch the cache lines of results that are stored after the sum."""
        emitter = self.emitter
        for place in self.schedule.prefetch_results:

            def row(
                number: SSAValue, result: Operand = self.nest.results[place]
            ) -> None:
                self.stand_at(emitter.add(tile.first, number))
                start = emitter.mul(panel, emitter.index(self.width))
                part = self.parts(start, self.width)[0]
                ask_for_result(self, result, self.row_loops[-1], part, 1)

            emitter.loop_between(emitter.index(0), tile.existing, row)

    def _is_even(self, tile: RowTile, panel: SSAValue) -> SSAValue:
        """Whether pairs are as accurate as a conventional sum; false for NaN."""
        emitter = self.emitter
        place = (panel, emitter.index(self.scales + 1), emitter.index(0))
        bound, spread = emitter.load(self.right, place), self.left.spread(tile)
        return Lanewise(emitter, bound.type).compare("ole", spread, bound)

    def _finish_rows(
        self, tile: RowTile, panel: SSAValue, parts: Sequence[Part]
    ) -> None:
        """The epilogue and the stores of each row."""
        emitter, lanes = self.emitter, self.lanes

        def row(number: SSAValue) -> None:
            self.stand_at(emitter.add(tile.first, number))
            inverse = self.left.inverse(tile, number)
            for position, part in enumerate(parts):
                offset = emitter.index(position * lanes)
                place = (panel, emitter.index(self.scales), offset)
                value, scales = self.sum_of(number, place, inverse, lanes)
                (before,) = self.start(part)
                assert before is not None
                total = self.lanewise.fma(value, scales, part.body.widen(before))
                self.finish(part, [total])

        emitter.loop_between(emitter.index(0), tile.existing, row)

    def sum_of(
        self, row: SSAValue, place: Sequence[SSAValue], inverse: SSAValue, lanes: int
    ) -> tuple[SSAValue, SSAValue]:
        """A vector of the sums of a row of a tile, and its factors.

        `place`: of the scales of its columns in `right`; `inverse`: that of the row's scale.
        """
        emitter = self.emitter
        value = emitter.load_vector(self.totals, (row, place[-1]), lanes)
        scales = emitter.load_vector(self.right, place, lanes)
        inverses = emitter.broadcast(inverse, lanes)
        return value, self.lanewise.mul(scales, inverses)

    # Sums of several slices.

    def _add_sums(
        self, tile: RowTile, vector: SSAValue, place: SSAValue, sums: SSAValue
    ) -> None:
        """Add the sums of a tile to those of the slices before."""
        emitter, wide, zero = self.emitter, self.wide, self.emitter.index(0)

        def row(number: SSAValue) -> None:
            at = self._place(tile, vector, number, zero)
            before = emitter.load_vector(sums, at, wide)
            inverse = self.left.inverse(tile, number)
            scale = (place, emitter.index(self.scales), zero)
            value, scales = self.sum_of(number, scale, inverse, wide)
            total = self.lanewise.fma(value, scales, before)
            emitter.store_vector(total, sums, at)

        emitter.loop_between(zero, tile.existing, row)

    def _finish_sums(self, tile: RowTile, vector: SSAValue, sums: SSAValue) -> None:
        """The epilogue and the stores of the sums of a tile."""
        emitter, lanes = self.emitter, self.lanes

        def rows(parts: Sequence[Part]) -> None:
            def row(number: SSAValue) -> None:
                self.stand_at(emitter.add(tile.first, number))
                for position, part in enumerate(parts):
                    offset = emitter.index(position * lanes)
                    at = self._place(tile, vector, number, offset)
                    value = emitter.load_vector(sums, at, lanes)
                    (before,) = self.start(part)
                    assert before is not None
                    before = part.body.widen(before)
                    self.finish(part, [self.lanewise.add(value, before)])

            emitter.loop_between(emitter.index(0), tile.existing, row)

        self.for_parts(vector, rows)

    def _place(
        self, tile: RowTile, vector: SSAValue, row: SSAValue, offset: SSAValue
    ) -> tuple[SSAValue, ...]:
        """Where the sums of a row of a tile are."""
        emitter = self.emitter
        before = emitter.mul(self.first_panel, emitter.index(self.vectors))
        return emitter.sub(vector, before), tile.number, row, offset
