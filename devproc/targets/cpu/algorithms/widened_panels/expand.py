"""Emits a product of many rows: each panel of the weight is widened once for a block of them.

The rows are those of Winograd's inner product, and so are the tiles; the panels that they
read are in scratch memory (`widened_panel.py`). If a sum has several blocks of terms, the
sums of tiles are added up in scratch memory too, and the epilogue follows the last block.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr, WeightOnlyAttr
from devproc.dialects.sched import WidenedPanelsSchedule
from devproc.targets.cpu.algorithms.inner_product.expand import (
    InnerProductLoops,
    Tiles,
)
from devproc.targets.cpu.algorithms.widened_panels.block_float_panels import (
    BlockFloatPanels,
)
from devproc.targets.cpu.algorithms.widened_panels.plan import scratch
from devproc.targets.cpu.algorithms.widened_panels.widened_panel import WidenedPanel
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.linear_loops import Product
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
        super().__init__(product, schedule.product, emitter, target)
        self.vectors = self.scratch["panel"][0]

    def count_slices(self) -> int:
        """Blocks of terms, which are multiplied one after the other."""
        return self.product.depth // self.block

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

    def panel(self, panel: SSAValue, tiles: Tiles) -> None:
        """All tiles of a block times one panel, which is widened first."""
        self.right = self.emitter.stack(*self.scratch["panel"])
        layout = self.schedule.weight
        widened = WidenedPanel(self.reader, layout, self.depth, self.right)
        widened.fill(panel, self.first_term)
        self.for_vectors(
            panel,
            lambda vector, place: tiles(lambda tile: self.tile(tile, vector, place)),
        )

    def for_vectors(
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
