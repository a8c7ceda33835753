"""Whether a kernel reduces windows of single channels, and in which blocks."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineExpr

from devproc.algorithms.base import Decision, Refusal, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockWindowSchedule
from devproc.ir.types import item_size
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)
from devproc.targets.triton.transforms.to_triton.walk import Step, walk

LOAD_BYTES = 16
"""The widest load of a thread."""
LINE_BYTES = 128
"""A line of the caches: consecutive channels of one pixel."""
MOST_WARPS = 4
MOST_TAPS = 64
"""Taps that are unrolled; larger windows loop over their lines."""


@dataclass(frozen=True)
class Windows:
    """A nest whose anchor reduces a window of each pixel and channel."""

    generic: Generic
    steps: list[Step]

    @property
    def pixels(self) -> tuple[int, ...]:
        """The loops over pixels; the loop over channels is the last one."""
        return self.generic.parallels[:-1]

    @property
    def channels(self) -> int:
        """The loop over channels."""
        return self.generic.parallels[-1]

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of pixels and channels."""
        extents = self.generic.extents
        return prod(extents[d] for d in self.pixels), extents[self.channels]


def windows_of(nest: BlockNest) -> Windows | Refusal:
    """The windows of a nest, and the position of each op in their results."""
    anchor = nest.anchor
    if sum(bool(generic.reductions) for generic in nest.generics) != 1:
        return Refusal("not one op reduces")
    if len(anchor.parallels) < 2:
        return Refusal("its results have no pixels of channels")
    *places, channel = anchor.maps[0].results or (AffineExpr.constant(0),)
    if channel != AffineExpr.dimension(anchor.parallels[-1]):
        return Refusal("channels are not the last dimension")
    used = [expr.used_dims() for expr in places]
    for tap in anchor.reductions:
        if not any(tap in dims and len(dims) == 2 for dims in used):
            return Refusal("it sums over more than a window")
    steps = walk(nest, anchor, anchor.parallels, defers=lambda number: True)
    return steps if isinstance(steps, Refusal) else Windows(anchor, steps)


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """Blocks of pixels x channels with one wide load of a thread for each tap."""
    if family != "window":
        return Refusal(f"a kernel of family '{family}' has no windows")
    found = windows_of(nest)
    if isinstance(found, Refusal):
        return found
    pixels, channels = found.sizes
    size = item_size(memref_of(found.generic.inputs[0]).element_type)
    lanes = LOAD_BYTES // size
    wide = min(power_of_two(channels), LINE_BYTES // size)
    warps, enough = MOST_WARPS, 2 * arch_of(target).processors * 32 * lanes
    while warps > 1 and pixels * channels < warps * enough:
        warps //= 2
    tall = max(1, min(warps * 32 * lanes // wide, power_of_two(pixels)))
    schedule = BlockWindowSchedule(pixels=tall, channels=wide, warps=warps)
    why = f"{pixels} pixels of {channels} channels, {tall} x {wide} for each program"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: BlockNest, schedule: BlockWindowSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    found = windows_of(nest)
    if isinstance(found, Refusal):
        return found.why
    pixels, channels = found.sizes
    tiles = ceil_div(pixels, schedule.pixels) * ceil_div(channels, schedule.channels)
    return size_problem(schedule.pixels, schedule.channels, grid=(tiles,))
