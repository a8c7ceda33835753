"""Emits a product of many rows: each panel of the weight is widened once for a block of them.

The rows are those of Winograd's inner product, and so are the tiles; the panels that they
read are in scratch memory (`widened_panel.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import WidenedPanelsSchedule
from devproc.targets.cpu.algorithms.inner_product.expand import (
    InnerProductLoops,
    TileVisitor,
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
        self.stored = schedule.weight
        self.panel_shape = scratch(product, schedule)["panel"]
        super().__init__(product, schedule.product, emitter, target)

    def count_panels(self) -> int:
        """Panels of the weight in memory, of several vectors."""
        return -(-self.product.columns // self.stored.width.data)

    def begin(self) -> None:
        """Emit what precedes all loops."""
        self.reader = PanelReader(self, self.stored, ahead=0)

    def panel(self, panel: SSAValue, tiles: Callable[[TileVisitor], None]) -> None:
        """All tiles of a block times one panel, which is widened first."""
        emitter = self.emitter
        self.right = emitter.stack(*self.panel_shape)
        vectors = self.panel_shape[0]
        layout = self.schedule.weight
        WidenedPanel(self.reader, layout, self.depth, self.right).fill(panel)
        first = emitter.mul(panel, emitter.index(vectors))

        def vector(place: SSAValue) -> None:
            number = emitter.add(first, place)

            def all_tiles() -> None:
                tiles(lambda tile: self.tile(tile, number, place))

            # The last panel may end with vectors of padding.
            end = -(-self.columns // self.width)
            if end == self.panels * vectors:
                all_tiles()
            else:
                emitter.branch_below(number, end, all_tiles, lambda: None)

        emitter.loop_to(vectors, vector)
