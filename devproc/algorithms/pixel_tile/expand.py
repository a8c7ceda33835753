"""Emits a window over each channel in tiles of pixels by vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from devproc.algorithms.pixel_tile.plan import ChannelWindow
from devproc.algorithms.register_tile.roles import multiply_add
from devproc.algorithms.vectors.loops import TileLoops, point_of
from devproc.algorithms.vectors.tile import VectorTile
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PixelTileSchedule
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.tile_shapes import RowSplit
from devproc.transforms.cpu.nests.nest_emitter import Part, Values


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
    nest, loop, lanes = window.nest, window.column, window.lanes(target)
    point = point_of(nest, emitter, fixed or {})
    loops = TileLoops(
        emitter,
        nest.sizes,
        loop,
        lanes * schedule.vectors,
        window.outer,
        schedule.split,
        schedule.grain,
        point,
    )
    tile = WindowTile(window, schedule, emitter, lanes, point)
    split = RowSplit.of(nest.sizes[window.pixels], schedule.pixels)
    assert split is not None

    def line(pixels: Sequence[SSAValue]) -> None:
        tile.at_pixels = pixels
        loops.along(tile.emit)

    nest.view(emitter)
    loops.around(window.outer, lambda: emitter.tiles(split, line))


class WindowTile(VectorTile):
    """Emits tiles of one nest along its channels, each of some pixels of a line."""

    def __init__(
        self,
        window: ChannelWindow,
        schedule: PixelTileSchedule,
        emitter: Emitter,
        lanes: int,
        point: list[SSAValue],
    ):
        super().__init__(
            window.nest,
            window.column,
            emitter,
            lanes=lanes,
            point=point,
            block=schedule.block,
        )
        self.factors, self.pixels = (window.image, window.filters), window.pixels
        self.at_pixels: Sequence[SSAValue] = ()

    def emit_parts(self, parts: Sequence[Part]) -> None:
        """These vectors of each pixel of the tile."""
        start: list[SSAValue] = []
        for pixel in self.at_pixels:
            self.point[self.pixels] = pixel
            for part in parts:
                (value,) = self.start(part)
                assert value is not None
                start.append(part.body.widen(value))
        sums = iter(self.reduce(parts, start))
        for pixel in self.at_pixels:
            self.point[self.pixels] = pixel
            for part in parts:
                self.finish(part, [next(sums)])

    def accumulate(self, parts: Sequence[Part], carried: Values) -> Values:
        """The sums of every pixel after one more tap."""
        image, filters = self.factors
        right = [
            filters.convert(self.load(filters.operand, part), part.body)
            for part in parts
        ]
        done: list[SSAValue] = []
        for pixel in self.at_pixels:
            self.point[self.pixels] = pixel
            for part, tap in zip(parts, right, strict=True):
                left = image.convert(self.load(image.operand, part), part.body)
                done.append(multiply_add(self.emitter, left, tap, carried[len(done)]))
        return done
