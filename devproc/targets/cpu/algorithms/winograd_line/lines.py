"""The nest of Winograd's algorithm along lines: a convolution of few channels."""

from __future__ import annotations

from collections.abc import Sequence

from devproc.dialects.dev import TargetAttr, WinogradLineAttr
from devproc.ir.layouts.winograd import LINE_TILE, line_taps, points_of
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.nests.linear_loops import weight_of
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import lanes_along

N, H, W, K, P, Q, C = range(7)
"""The loops: images, lines and pixels of the result, its channels, then the taps and
the channels of the image."""


class Lines:
    """The numbers that follow from the convolution and the layout of its filters.

    `points`: products of a tile of `LINE_TILE` pixels, of which a line has `tiles`.
    `terms`: terms of a sum at one point.
    """

    def __init__(self, nest: Nest):
        self.nest, self.weight = nest, weight_of(nest, WinogradLineAttr)
        self.stride, self.width = self.weight.stride.data, self.weight.width.data
        sizes = nest.sizes
        self.taps = line_taps(sizes[Q], self.stride)
        self.points = points_of(LINE_TILE, self.taps)
        self.depth = sizes[C] * self.stride
        self.terms = sizes[P] * self.depth
        self.tiles = sizes[W] // LINE_TILE
        self.panels = sizes[K] // self.width
        self.shared = sizes[P] - self.stride
        """Lines of the image that two neighbouring blocks both read."""

    @property
    def ops(self) -> Sequence[StructuredOp]:
        """The ops of the nest."""
        return self.nest.ops

    def lanes(self, target: TargetAttr) -> int:
        """Channels of a vector."""
        return lanes_along(self.nest, K, machine_of(target).vector_bits.data)

    def scratch(self, lines: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of the transformed lines of a block, and of a line's products."""
        transformed = (lines * self.stride + self.shared) * self.depth
        # An odd number of rows, so that points map to different cache sets.
        return (
            (self.points, transformed, self.tiles),
            (self.points, self.tiles | 1, self.width),
        )
