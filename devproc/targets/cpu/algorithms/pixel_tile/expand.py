"""Emits a window over each channel, without tiles as ops: used for single lines."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PixelTileSchedule
from devproc.targets.cpu.algorithms.pixel_tile.plan import ChannelWindow
from devproc.targets.cpu.algorithms.pixel_tile.tile import WindowTile
from devproc.targets.cpu.algorithms.pixel_tile.tiling import emit_loops
from devproc.targets.cpu.algorithms.vectors.loops import point_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter


def expand(
    window: ChannelWindow,
    schedule: PixelTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    fixed: Mapping[int | None, SSAValue],
) -> None:
    """Emit the tiles and the loops around them.

    `fixed`: the index of each loop that `window` leaves out (`window_of`).
    """
    emitter.location = window.nest.anchor.location
    nest, lanes = window.nest, window.lanes(target)
    point = point_of(nest, emitter, fixed)
    nest.view(emitter)
    tile = WindowTile(window, schedule, emitter, lanes, point)

    def emit(pixel: SSAValue, pixels: int, channel: SSAValue, channels: int) -> None:
        tile.stand_at(pixel, pixels)
        tile.emit(channel, channels)

    emit_loops(window, schedule, emitter, lanes, point, emit)
