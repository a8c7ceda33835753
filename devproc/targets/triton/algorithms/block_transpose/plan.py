"""Whether a kernel reads along one dimension and writes along another.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from devproc.algorithms.base import Decision, Refusal, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockTransposeSchedule
from devproc.targets.triton.algorithms.blocks.plan import (
    FAMILIES,
    WARPS,
    elements_of,
    most_elements,
)
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)
from devproc.targets.triton.transforms.to_triton.walk import Step

SHORTEST_LINE = 8
"""Shorter dimensions fit whole into any block."""


@dataclass(frozen=True)
class Transposed:
    """The dimensions of an op: contiguous in an input, in the result, all others."""

    anchor: Generic
    read: int
    written: int
    steps: list[Step]

    @property
    def rest(self) -> tuple[int, ...]:
        """The other dimensions."""
        pair = (self.read, self.written)
        return tuple(d for d in self.anchor.parallels if d not in pair)

    def grid(self, schedule: BlockTransposeSchedule) -> tuple[int, int, int]:
        """The numbers of blocks in the two dimensions, and of their repetitions."""
        extents = self.anchor.extents
        return (
            ceil_div(extents[self.read], schedule.read),
            ceil_div(extents[self.written], schedule.written),
            prod(extents[d] for d in self.rest),
        )


def transposed(nest: BlockNest) -> Transposed | Refusal:
    """The two dimensions of a nest, or why it is no transposition."""
    anchor = nest.anchor
    if anchor.reductions:
        return Refusal("an op reduces")
    pair = transposed_pair(anchor)
    if pair is None:
        return Refusal("it reads along the dimension that it writes along")
    steps = elements_of(nest)
    return steps if isinstance(steps, Refusal) else Transposed(anchor, *pair, steps)


def transposed_pair(anchor: Generic) -> tuple[int, int] | None:
    """(dimension contiguous in an input, the same in the output) if they differ."""
    written = dense_dim(anchor.outputs[0], anchor.output_maps[0], anchor)
    for value, map_ in zip(anchor.inputs, anchor.maps, strict=False):
        read = dense_dim(value, map_, anchor)
        if read is not None and written is not None and read != written:
            return read, written
    return None


def dense_dim(value: SSAValue, map_: AffineMap, anchor: Generic) -> int | None:
    """The dimension along which an operand is contiguous in memory."""
    if not map_.results:
        return None
    expr = map_.results[-1]
    if isinstance(expr, AffineDimExpr) and memref_of(value).get_shape()[-1] > 1:
        is_long = anchor.extents[expr.position] >= SHORTEST_LINE
        return expr.position if is_long else None
    return None


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """Blocks that cover whole cache lines on both sides."""
    if family not in FAMILIES:
        return Refusal(
            f"the ops of family '{family}' do not compute elements on their own"
        )
    found = transposed(nest)
    if isinstance(found, Refusal):
        return found
    read, written = (
        found.anchor.extents[found.read],
        found.anchor.extents[found.written],
    )
    sides = [min(power_of_two(read), 64), min(power_of_two(written), 32)]
    while prod(sides) > most_elements(nest):
        sides[sides.index(max(sides))] //= 2
    schedule = BlockTransposeSchedule(read=sides[0], written=sides[1], warps=WARPS)
    why = f"reads lines of {read}, writes lines of {written} elements"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: BlockNest, schedule: BlockTransposeSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    found = transposed(nest)
    if isinstance(found, Refusal):
        return found.why
    rows, columns, others = found.grid(schedule)
    return size_problem(schedule.read, schedule.written, grid=(rows * columns, others))
