"""Emits a window over each channel in tiles of pixels by vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from devproc.algorithms.pixel_tile.plan import ChannelWindow
from devproc.algorithms.register_tile.roles import multiply_add
from devproc.algorithms.vectors.expand import VectorLoops
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PixelTileSchedule
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.tile_shapes import RowSplit
from devproc.transforms.cpu.nests.nest_emitter import Part, Values, lanes_along


def expand(
    window: ChannelWindow,
    schedule: PixelTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    fixed: Mapping[int | None, SSAValue] | None = None,
) -> None:
    """Emit the tiles and the loops around them.

    `fixed`: the index of each loop that `window` leaves out (`window_of`).
    """
    emitter.location = window.nest.anchor.location
    tiles = WindowTiles(window, schedule, emitter, target)
    for loop, index in (fixed or {}).items():
        if loop is not None:
            tiles.point[loop] = index
    tiles.emit()


class WindowTiles(VectorLoops):
    """Emits one nest along its channels, in tiles of the loop `pixels`."""

    def __init__(
        self,
        window: ChannelWindow,
        schedule: PixelTileSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        nest, loop = window.nest, window.column
        super().__init__(
            nest,
            loop,
            emitter,
            lanes=lanes_along(nest, loop, target.vector_bits.data),
            vectors=schedule.vectors,
            outer=window.outer,
            block=schedule.block,
            split=schedule.split,
            grain=schedule.grain,
        )
        self.factors, self.pixels = (window.image, window.filters), window.pixels
        split = RowSplit.of(nest.sizes[window.pixels], schedule.pixels)
        assert split is not None
        self.split = split
        self.tile: Sequence[SSAValue] = ()

    def vectors(self, split: bool) -> None:
        def tile(pixels: list[SSAValue]) -> None:
            self.tile = pixels
            super(WindowTiles, self).vectors(split)

        self.emitter.tiles(self.split, tile)

    def _tile(self, parts: Sequence[Part]) -> None:
        start: list[SSAValue] = []
        for pixel in self.tile:
            self.point[self.pixels] = pixel
            for part in parts:
                (value,) = self.start(part)
                assert value is not None
                start.append(part.body.widen(value))
        sums = iter(self._reduce(parts, start))
        for pixel in self.tile:
            self.point[self.pixels] = pixel
            for part in parts:
                self.finish(part, [next(sums)])

    def _accumulate(self, parts: Sequence[Part], carried: Values) -> Values:
        image, filters = self.factors
        right = [
            filters.convert(self.load(filters.operand, part), part.body)
            for part in parts
        ]
        done: list[SSAValue] = []
        for pixel in self.tile:
            self.point[self.pixels] = pixel
            for part, tap in zip(parts, right, strict=True):
                left = image.convert(self.load(image.operand, part), part.body)
                done.append(multiply_add(self.emitter, left, tap, carried[len(done)]))
        return done
