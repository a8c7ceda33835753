"""The loops of a convolution: pixels, channels, and the taps of the window."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineDimExpr, AffineExpr

from devproc.algorithms.base import Refusal
from devproc.dialects.sched.blocks import SMALLEST_DOT
from devproc.targets.triton.algorithms.block_tile.roles import Contraction, roles_of
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.walk import Step, walk


@dataclass(frozen=True)
class Convolution:
    """A nest whose anchor is a convolution of a channels-last image, its operand a."""

    roles: Contraction
    taps: tuple[int, ...]
    """The loops of the window, of which each step of the sum has one iteration."""
    inner: tuple[int, ...]
    """The loops of one step: the channels, and the line of a window of few channels."""
    steps: list[Step]

    @property
    def tap_count(self) -> int:
        """The iterations of the loops over the window."""
        return prod(self.roles.generic.extents[d] for d in self.taps)

    @property
    def terms(self) -> int:
        """The terms of the sum at one tap."""
        return prod(self.roles.generic.extents[d] for d in self.inner)


def convolution_of(nest: BlockNest) -> Convolution | Refusal:
    """The convolution of a nest, and the position of each op in its results."""
    anchor = nest.anchor
    if sum(bool(generic.reductions) for generic in nest.generics) != 1:
        return Refusal("several ops reduce")
    roles = roles_of(anchor)
    if isinstance(roles, Refusal):
        return roles
    loops = window_loops(anchor, roles)
    if isinstance(loops, Refusal):
        return loops
    steps = walk(nest, anchor, anchor.parallels, defers=lambda number: True)
    return steps if isinstance(steps, Refusal) else Convolution(roles, *loops, steps)


def window_loops(
    generic: Generic, roles: Contraction
) -> tuple[tuple[int, ...], tuple[int, ...]] | Refusal:
    """The loops of the taps, and those of one step."""
    places = generic.maps[roles.a].results
    if not any(map(is_window, places)):
        return Refusal("no window slides over the left operand")
    last = places[-1]
    if not isinstance(last, AffineDimExpr) or last.position not in roles.k:
        return Refusal("the channels of a pixel are not contiguous")
    channels, taps = (last.position,), tuple(d for d in roles.k if d != last.position)
    lines = [d for d in taps if generic.extents[d] > 1]
    if lines and generic.extents[last.position] < SMALLEST_DOT:
        line = lines[-1]
        return tuple(d for d in taps if d != line), (line, *channels)
    return taps, channels


def is_window(expr: AffineExpr) -> bool:
    """Whether an index is that of a window: an output's plus a tap's, and its part's."""
    return len(expr.used_dims()) > 1
