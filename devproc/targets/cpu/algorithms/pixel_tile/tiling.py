"""Lowers a window over each channel: loops around tiles, sums over taps, vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Tiling, Values
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PixelTileSchedule, StartOp, TileOp
from devproc.dialects.sched.tile import BoxOp
from devproc.targets.cpu.algorithms.pixel_tile.plan import ChannelWindow
from devproc.targets.cpu.algorithms.pixel_tile.tile import WindowTile
from devproc.targets.cpu.algorithms.vectors.loops import TileLoops, point_of
from devproc.targets.cpu.algorithms.vectors.tiling import (
    TilesOfVectors,
    open_sums,
    terms_of,
)
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.tiles.boxes import emit_box

PixelTile: TypeAlias = Callable[[SSAValue, int, SSAValue, int], None]
"""Emits a tile from its first pixel, pixel count, first channel and channel count."""


def emit_loops(
    window: ChannelWindow,
    schedule: PixelTileSchedule,
    emitter: Emitter,
    lanes: int,
    point: list[SSAValue],
    tile: PixelTile,
) -> None:
    """Emit the loops around the tiles. `point`: the current index of each loop."""
    sizes = window.nest.sizes
    loops = TileLoops(
        emitter,
        sizes,
        window.column,
        lanes * schedule.vectors,
        window.outer,
        schedule.split,
        schedule.grain,
        point,
    )
    split = RowSplit.of(sizes[window.pixels], schedule.pixels)
    assert split is not None

    def line(pixel: SSAValue, pixels: int) -> None:
        loops.along(lambda start, size: tile(pixel, pixels, start, size))

    loops.around(window.outer, lambda: emitter.heights(split, line))


def loops(
    window: ChannelWindow,
    schedule: PixelTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    name: str,
) -> None:
    """Emit the loops of a window around its tiles."""
    nest = window.nest
    point = point_of(nest, emitter, {})
    whole = [
        1 if is_parallel else size
        for size, is_parallel in zip(nest.sizes, nest.parallel, strict=True)
    ]

    def tile(pixel: SSAValue, pixels: int, channel: SSAValue, channels: int) -> None:
        at, size = list(point), list(whole)
        at[window.pixels], size[window.pixels] = pixel, pixels
        at[window.column], size[window.column] = channel, channels
        emit_box(emitter, TileOp, name, at, size)

    emit_loops(window, schedule, emitter, window.lanes(target), point, tile)


def open_tile(
    window: ChannelWindow,
    schedule: PixelTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    tile: TileOp,
) -> None:
    """Emit the sums of a tile tap by tap."""
    along = [window.pixels, window.column]
    open_sums(
        window.nest, emitter, tile, along, terms_of(window.nest, emitter, tile).emit
    )


def split_sums(
    window: ChannelWindow,
    schedule: PixelTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    start: StartOp,
) -> Values:
    """Emit the sums of a tile block by block, if the schedule has blocks."""
    if schedule.block is None:
        return ()
    return terms_of(window.nest, emitter, start).emit(start.sums, schedule.block)


class PixelTiles(TilesOfVectors):
    """Lowers the tiles of one window, and their sums, to machine vectors."""

    def __init__(
        self,
        window: ChannelWindow,
        schedule: PixelTileSchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        window.nest.view(emitter)
        lanes, point = window.lanes(target), point_of(window.nest, emitter, {})
        self.window_tile = WindowTile(window, schedule, emitter, lanes, point)
        super().__init__(self.window_tile)

    def emit(self, op: Operation, given: Sequence[Values]) -> Sequence[Values]:
        """A tile, or its sums, by pixel and then by part."""
        assert isinstance(op, BoxOp)
        if isinstance(op, StartOp | TileOp):
            tile, pixels = self.window_tile, self.window_tile.pixels
            tile.stand_at(op.at[pixels], op.sizes[pixels])
        return super().emit(op, given)


TILING = Tiling(loops, PixelTiles, open_tile, split_sums)
