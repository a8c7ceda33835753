"""Emits a product of many rows: each panel of the weight is widened once for a block of them.

The rows are those of Winograd's inner product, and so are the tiles; the panels that they
read are in scratch memory (`widened_panel.py`). If a sum has several blocks of terms, the
sums of tiles are added up in scratch memory too, and the epilogue follows the last block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr, WeightOnlyAttr
from devproc.dialects.sched import WidenedPanelsSchedule
from devproc.targets.cpu.algorithms.inner_product.expand import (
    InnerProductLoops,
    Tiles,
)
from devproc.targets.cpu.algorithms.inner_product.scaled_rows import RowTile
from devproc.targets.cpu.algorithms.widened_panels.block_float_panels import (
    BlockFloatPanels,
)
from devproc.targets.cpu.algorithms.widened_panels.plan import scratch
from devproc.targets.cpu.algorithms.widened_panels.widened_panel import WidenedPanel
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.linear_loops import Product
from devproc.targets.cpu.transforms.nests.nest_emitter import Part
from devproc.targets.cpu.transforms.nests.panel_reader import PanelReader


def expand(
    product: Product,
    schedule: WidenedPanelsSchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> None:
    """Emit the loops of a product."""
    emitter.location = product.nest.anchor.location
    WidenedPanelsLoops(product, schedule, emitter, target).emit()


class WidenedPanelsLoops(InnerProductLoops):
    """The state of one product being emitted."""

    def __init__(
        self,
        product: Product,
        schedule: WidenedPanelsSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        self.stored, self.block = schedule.weight, schedule.block
        self.scratch = scratch(product, schedule)
        self.vectors = self.scratch["panel"][0]
        self.first_panel = self.first_term = emitter.index(0)
        super().__init__(product, schedule.product, emitter, target)

    def count_terms(self) -> int:
        """Terms that are multiplied at a time."""
        return self.block

    def count_panels(self) -> int:
        """Panels of the weight in memory, of several vectors."""
        return -(-self.product.columns // self.stored.width.data)

    def begin(self) -> None:
        """Emit what precedes all loops."""
        self.reader = (
            PanelReader(self, self.stored, ahead=0)
            if isinstance(self.stored, WeightOnlyAttr)
            else BlockFloatPanels(self, self.stored)
        )

    def left_vector(self, term: SSAValue) -> SSAValue:
        """A vector of terms of the current row, from this one of the block on."""
        return super().left_vector(self.emitter.add(self.first_term, term))

    def multiply(self, tiles: Tiles, group: SSAValue) -> None:
        """All tiles of a block of rows times the panels of a group."""
        if "sums" not in self.scratch:
            super().multiply(tiles, group)
            return
        emitter, shape = self.emitter, self.scratch["sums"]
        first, end = self.panels_of(group)
        self.sums, self.first_panel = emitter.stack(*shape), first
        zero = self.lanewise.number(0.0)

        def clear(place: Sequence[SSAValue]) -> None:
            emitter.store_vector(zero, self.sums, (*place, emitter.index(0)))

        def block(number: SSAValue) -> None:
            self.first_term = emitter.mul(number, emitter.index(self.block))
            super(WidenedPanelsLoops, self).multiply(tiles, group)

        def finish(panel: SSAValue) -> None:
            self._for_vectors(
                panel,
                lambda vector, _: tiles(lambda tile: self._finish_sums(tile, vector)),
            )

        emitter.for_each(shape[:-1], None, clear)
        emitter.loop_to(self.product.depth // self.block, block)
        emitter.loop_between(first, end, finish)

    def panel(self, panel: SSAValue, tiles: Tiles) -> None:
        """All tiles of a block times one panel, which is widened first."""
        self.right = self.emitter.stack(*self.scratch["panel"])
        layout = self.schedule.weight
        widened = WidenedPanel(self.reader, layout, self.depth, self.right)
        widened.fill(panel, self.first_term)
        self._for_vectors(
            panel,
            lambda vector, place: tiles(lambda tile: self.tile(tile, vector, place)),
        )

    def _for_vectors(
        self, panel: SSAValue, visit: Callable[[SSAValue, SSAValue], None]
    ) -> None:
        """Emit `visit` for the vectors of a panel: their number among those of the results'
        columns, and in the panel."""
        emitter, vectors = self.emitter, self.vectors
        first = emitter.mul(panel, emitter.index(vectors))

        def vector(place: SSAValue) -> None:
            number = emitter.add(first, place)
            # The last panel may end with vectors of padding.
            end = -(-self.columns // self.width)
            if end == self.panels * vectors:
                visit(number, place)
            else:
                emitter.branch_below(
                    number, end, lambda: visit(number, place), lambda: None
                )

        emitter.loop_to(vectors, vector)

    # Sums of several blocks.

    def finish_tile(self, tile: RowTile, panel: SSAValue, place: SSAValue) -> None:
        """The epilogue and the stores of a tile; or its sums are added to those of the
        blocks before."""
        if "sums" not in self.scratch:
            super().finish_tile(tile, panel, place)
            return
        emitter, wide, zero = self.emitter, self.wide, self.emitter.index(0)

        def row(number: SSAValue) -> None:
            at = self._place(tile, panel, number, zero)
            before = emitter.load_vector(self.sums, at, wide)
            inverse = self.left.inverse(tile, number)
            scale = (place, emitter.index(self.scales), zero)
            value, scales = self.sum_of(number, scale, inverse, wide)
            total = self.lanewise.fma(value, scales, before)
            emitter.store_vector(total, self.sums, at)

        emitter.loop_between(zero, tile.existing, row)

    def _finish_sums(self, tile: RowTile, vector: SSAValue) -> None:
        """The epilogue and the stores of the sums of a tile."""
        emitter, lanes = self.emitter, self.lanes

        def rows(parts: Sequence[Part]) -> None:
            def row(number: SSAValue) -> None:
                self.stand_at(emitter.add(tile.first, number))
                for position, part in enumerate(parts):
                    offset = emitter.index(position * lanes)
                    at = self._place(tile, vector, number, offset)
                    value = emitter.load_vector(self.sums, at, lanes)
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
