"""Schedules of convolutions: tiles of pixels, Winograd's algorithm, bottlenecks."""

from __future__ import annotations

from devproc.dialects.dev import WinogradAttr, WinogradLineAttr
from devproc.dialects.sched.base import (
    GRAIN,
    Schedule,
    parallel_conflict,
    record_definition,
)
from devproc.dialects.sched.contraction import (
    MOST_VECTORS,
    ONE_CHUNK,
    WEIGHT,
    RegisterTileSchedule,
)
from devproc.dialects.sched.fields import count, flag, nested, word
from devproc.dialects.sched.pointwise import LONG_SUM, SPLIT, VectorsSchedule


@record_definition
class PixelTileSchedule(Schedule):
    """A depthwise window as register tiles: pixels of a line by vectors of channels.

    A line is split into the fewest tiles of `pixels` or `pixels` - 1 pixels.

    ```mlir
    #sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = 1, grain = 2>
    ```
    """

    name = "sched.pixel_tile"

    vectors: int = count("Vectors of channels of a tile.", most=MOST_VECTORS)
    pixels: int = count("Pixels of a tile, which share each load of a filter.")
    block: int | None = count(LONG_SUM, optional=True, digits=True)
    split: int | None = count(SPLIT, least=0, optional=True)
    grain: int | None = count(GRAIN, optional=True)

    def conflict(self) -> str | None:
        return parallel_conflict("split", self.split is not None, self.grain)


@record_definition
class WinogradSchedule(Schedule):
    """A 3x3 convolution of stride 1 by Winograd's algorithm, tiles of m x m pixels.

    The tiles of a block are transformed; each of the (m + 2)^2 points is a matrix product
    of tiles and channels, in register tiles of `rows` or `rows` - 1 rows.

    ```mlir
    #sched.winograd<weight = #dev.winograd<4, 32>, block = 45, by_need = no, rows = 9,
        depth = 16, filters = scratch, prefetch = 1, groups = 1, grain = 1>
    ```
    """

    name = "sched.winograd"

    weight: WinogradAttr = nested(
        WEIGHT + " It determines the size of a tile and of a panel.",
        WinogradAttr,
        digits=True,
    )
    block: int = count("Tiles of a block, whose transforms and products stay in cache.")
    by_need: bool = flag(
        "Whether a block holds whole images, with tiles ordered such that those without"
        " a product at a point can be skipped."
    )
    rows: int = count("Rows of a register tile (each an image tile), or one less.")
    depth: int = count(
        "Channels of a part, summed before they are added to the products.",
        digits=True,
    )
    filters: str = word(
        "Where the transformed filters of a line of points are kept while in use.",
        "scratch",
        "registers",
    )
    prefetch: int = count("Prefetch distance of filters, in parts of channels.")
    groups: int = count("Groups of panels of a block for threads; divides the panels.")
    grain: int | None = count(
        "1: a group of a block is a chunk of work for a thread; none: single-threaded.",
        most=1,
        optional=True,
    )

    def conflict(self) -> str | None:
        if self.rows > self.block:
            return f"'rows' must be at most the {self.block} tiles of a block"
        if self.grain is None and self.groups > 1:
            return "'groups' must be 1 where 'grain' is none"
        return None


@record_definition
class WinogradLineSchedule(Schedule):
    """A convolution of few channels by Winograd's algorithm along its lines.

    ```mlir
    #sched.winograd_line<weight = #dev.winograd_line<2, 32>, lines = 7, rows = 8,
        grain = 1>
    ```
    """

    name = "sched.winograd_line"

    weight: WinogradLineAttr = nested(WEIGHT, WinogradLineAttr, digits=True)
    lines: int = count("Lines of the result in a block; the last block may have fewer.")
    rows: int = count("Tiles that one register tile takes as its rows, or one less.")
    grain: int | None = count(ONE_CHUNK, most=1, optional=True)


@record_definition
class BottleneckSchedule(Schedule):
    """An expansion, a depthwise window and a projection, fused line by line.

    One thread runs the three for a line. The loops over images and lines are fixed, and
    not subject to the nested schedules.

    ```mlir
    #sched.bottleneck<
        expansion = #sched.register_tile<weight = #dev.layout<[0, 1, 2, 3], [1, 1, 1, 48]>,
            rows = 8, vectors = 3, order = rows, cut = none, block = 64, accumulators = 8,
            prefetch_panel = no, prefetch_results = [], spread = 0, grain = none>,
        window = #sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = none,
            grain = none>,
        projection = #sched.register_tile<weight = none, rows = 12, vectors = 2,
            order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = no,
            prefetch_results = [], spread = 0, grain = none>,
        parts = 2, grain = 1>
    ```
    """

    name = "sched.bottleneck"

    expansion: RegisterTileSchedule | PixelTileSchedule | VectorsSchedule = nested(
        "Schedule of a line of the expansion.",
        RegisterTileSchedule,
        PixelTileSchedule,
        VectorsSchedule,
    )
    window: RegisterTileSchedule | PixelTileSchedule | VectorsSchedule = nested(
        "Schedule of a line of the depthwise window.",
        RegisterTileSchedule,
        PixelTileSchedule,
        VectorsSchedule,
    )
    projection: RegisterTileSchedule | PixelTileSchedule | VectorsSchedule = nested(
        "Schedule of a line of the projection.",
        RegisterTileSchedule,
        PixelTileSchedule,
        VectorsSchedule,
    )
    parts: int = count("Parts into which the lines of an image are split for threads.")
    grain: int | None = count(
        "1: a part of an image is a chunk of work for a thread; none: single-threaded.",
        most=1,
        optional=True,
    )

    def conflict(self) -> str | None:
        for name in ("expansion", "window", "projection"):
            if getattr(self, name).grain is not None:
                return f"the '{name}' runs on one thread: its 'grain' must be none"
        if self.grain is None and self.parts > 1:
            return "'parts' must be 1 where 'grain' is none"
        return None


WINDOW_SCHEDULES: list[type[Schedule]] = [
    PixelTileSchedule,
    WinogradSchedule,
    WinogradLineSchedule,
    BottleneckSchedule,
]
