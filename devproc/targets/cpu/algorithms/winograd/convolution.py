"""The nest of Winograd's algorithm on squares: a 3x3 convolution."""

from __future__ import annotations

from collections.abc import Sequence

from devproc.dialects.dev import TargetAttr, WinogradAttr
from devproc.dialects.sched import WinogradSchedule
from devproc.ir.layouts.winograd import points_of
from devproc.targets.cpu.algorithms.winograd.tiles import TileGrid, TileLine
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.nests.linear_loops import weight_of
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import lanes_along

N, H, W, K, _P, _Q, C = range(7)
"""The loops: images, lines and pixels of the result, its channels, then the taps and
the channels of the image."""


class Convolution:
    """The numbers that follow from the convolution and the layout of its filters.

    `size`: the side of a tile in pixels. `points`: products along one side of it.
    """

    def __init__(self, nest: Nest):
        self.nest, self.weight = nest, weight_of(nest, WinogradAttr)
        self.size, self.width = self.weight.tile.data, self.weight.width.data
        self.points = points_of(self.size)
        sizes = nest.sizes
        self.images, self.channels = sizes[N], sizes[C]
        self.lines, self.columns = (TileLine(sizes[d], self.size) for d in (H, W))
        self.panels = sizes[K] // self.width

    @property
    def ops(self) -> Sequence[StructuredOp]:
        """The ops of the nest."""
        return self.nest.ops

    def lanes(self, target: TargetAttr) -> int:
        """Channels of a vector."""
        return lanes_along(self.nest, K, machine_of(target).vector_bits.data)

    def grid(self, schedule: WinogradSchedule) -> TileGrid:
        """The tiles of the images, in the blocks of a schedule."""
        block, by_need = schedule.block, schedule.by_need
        return TileGrid(self.images, self.lines, self.columns, block, by_need)

    def scratch(self, schedule: WinogradSchedule, lanes: int) -> list[list[int]]:
        """The shapes of the scratch buffers of a block: its transformed tiles, the
        products of a panel, one square and, unless they stay in registers, the filters
        of a part transformed for one line of points."""
        points, depth, width = self.points, schedule.depth, self.width
        # Odd numbers of rows, so that points map to different cache sets.
        rows = schedule.block | 1
        shapes = [
            [self.channels // depth, points**2, rows, depth],
            [points**2, rows, width],
            [points, points, lanes],
        ]
        if schedule.filters == "scratch":
            shapes.append([points, depth | 1, width])
        return shapes
