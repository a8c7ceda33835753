"""Plans a window: pixels and vectors of a tile, blocks of sums, the parallel loop."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from devproc.algorithms.base import Choice, Decision, KernelOps
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PixelTileSchedule
from devproc.targets.cpu.algorithms.register_tile.layout import FAMILIES
from devproc.targets.cpu.algorithms.register_tile.roles import (
    Factor,
    factors_of,
    reads_layouts,
)
from devproc.targets.cpu.algorithms.vectors.plan import block_of, split_of
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.combiners import accumulates_in_float
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.nests.groups import nests_of
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import (
    can_vectorize_nest,
    lanes_along,
    vector_loop,
)

ACCUMULATORS = 8
"""Sums of a tile: they hide the latency of a multiply-add."""

VECTORS = 2
"""Most vectors of a tile: with fewer vectors, more pixels share a filter."""


@dataclass(frozen=True)
class ChannelWindow:
    """A window over each channel after its loops were simplified.

    `column`: the loop over channels. `pixels`: the loop along a line of pixels, all of
    which use the same filters. `outer`: the parallel loops around these.
    """

    nest: Nest
    column: int
    pixels: int
    outer: Sequence[int]
    image: Factor
    filters: Factor

    @property
    def ops(self) -> Sequence[Operation]:
        """The ops of the nest."""
        return self.nest.ops

    def lanes(self, target: TargetAttr) -> int:
        """Channels of a vector."""
        return lanes_along(self.nest, self.column, machine_of(target).vector_bits.data)


def match(kernel: KernelOps) -> Iterator[ChannelWindow]:
    """The windows over each channel of a kernel."""
    if kernel.family not in FAMILIES:
        return
    for nest in nests_of(kernel):
        nest.simplify()
        window = window_of(nest)
        if window is not None and reads_layouts(nest):
            yield window


def window_of(nest: Nest, fixed: Collection[int | None] = ()) -> ChannelWindow | None:
    """A simplified nest as a window over each channel; None if it is not one.

    `fixed`: loops whose index the caller fixes; no loops are emitted for them.
    """
    column, factors = vector_loop(nest), factors_of(nest)
    if column is None or factors is None or not nest.reductions:
        return None
    rows = [d for d, p in enumerate(nest.parallel) if p and d != column]
    if not rows or rows[-1] in fixed or not can_vectorize_nest(nest, column):
        return None
    image, filters = (factor.operand for factor in factors)
    is_line = image.stride(rows[-1]) and filters.stride(rows[-1]) == 0
    along = (image.stride(column), filters.stride(column))
    if not is_line or along != (1, 1):
        return None
    outer = [loop for loop in rows[:-1] if loop not in fixed]
    return ChannelWindow(nest, column, rows[-1], outer, *factors)


def plan(window: ChannelWindow, family: str, target: TargetAttr) -> Decision:
    """The schedule of a window over each channel; never a refusal."""
    schedule = schedule_of(window, target)
    pixels, vectors = window.nest.sizes[window.pixels], schedule.vectors
    tiles = RowSplit.of(pixels, schedule.pixels)
    assert tiles is not None
    why = f"{pixels} = {tiles.text} pixels; a tile has {vectors * tiles.height} sums"
    return Choice(schedule, why)


def schedule_of(window: ChannelWindow, target: TargetAttr) -> PixelTileSchedule:
    """The schedule itself."""
    nest = window.nest
    lanes = window.lanes(target)
    size = nest.sizes[window.column]
    vectors = min(VECTORS, -(-size // lanes))
    pixels = nest.sizes[window.pixels]
    tiles = RowSplit.balanced(pixels, ACCUMULATORS // vectors, vectors)
    whole = size // (lanes * vectors)
    split, grain = split_of(
        nest.sizes, window.column, window.outer, whole, nest.work, target
    )
    return PixelTileSchedule(
        vectors=vectors,
        pixels=tiles.height,
        block=block_of(nest),
        split=split,
        grain=grain,
    )


def refuse(
    window: ChannelWindow, schedule: PixelTileSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a window."""
    nest, pixels = window.nest, window.nest.sizes[window.pixels]
    if RowSplit.of(pixels, schedule.pixels) is None:
        height = schedule.pixels
        return f"'pixels': {pixels} pixels are not tiles of {height} or {height - 1}"
    if schedule.block is not None and not accumulates_in_float(nest.anchor):
        return "'block' must be none where the sums are no floats"
    loops = [*window.outer, window.column]
    if schedule.split not in (None, *loops):
        return f"'split' must be none or one of the loops {loops}"
    size = nest.sizes[window.column]
    lanes = window.lanes(target)
    if schedule.split == window.column and size < lanes * schedule.vectors:
        return f"'split': {size} channels are no whole tile"
    return None
