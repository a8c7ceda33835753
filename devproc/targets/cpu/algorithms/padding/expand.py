"""The fill of the slabs around the interior."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from devproc.dialects import plan
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PaddingSchedule
from devproc.ir.types import AnyMemRef
from devproc.targets.cpu.algorithms.padding.plan import Padding
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


@dataclass(frozen=True)
class Slab:
    """The padding before or after the interior in one dimension.

    `first` and `count` are indices of that dimension; outer dimensions cover the
    interior, inner ones are whole.
    """

    dimension: int
    first: int
    count: int


def slabs_of(shape: Sequence[int], box: Sequence[tuple[int, int]]) -> Iterator[Slab]:
    """The slabs around the interior."""
    for dimension, (whole, (first, size)) in enumerate(zip(shape, box, strict=True)):
        behind = first + size
        if first:
            yield Slab(dimension, 0, first)
        if behind < whole:
            yield Slab(dimension, behind, whole - behind)


def expand(
    padding: Padding, schedule: PaddingSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the fill of the slabs."""
    type_, box, value = padding.type, padding.box, padding.fill.inputs[0]
    shape, count = type_.get_shape(), prod(type_.get_shape())
    flat_type: AnyMemRef = MemRefType(
        type_.element_type, (count,), memory_space=type_.memory_space
    )
    flat = emitter.append(plan.ViewOp(padding.target, flat_type)).results[0]
    lanes = schedule.lanes
    for slab in slabs_of(shape, box):
        line = prod(shape[slab.dimension + 1 :])
        start = emitter.index(slab.first * line)

        def walk(dimension: int, offset: SSAValue, slab: Slab = slab) -> None:
            stride = prod(shape[dimension + 1 :])
            if dimension == slab.dimension:
                fill_line(emitter, value, flat, offset, slab.count * stride, lanes)
                return
            first, size = box[dimension]

            def body(index: SSAValue) -> None:
                place = emitter.mul(emitter.offset(index, first), emitter.index(stride))
                walk(dimension + 1, emitter.add(offset, place), slab)

            emitter.loop_to(size, body)

        walk(0, start)


def fill_line(
    emitter: Emitter,
    value: SSAValue,
    target: SSAValue,
    start: SSAValue,
    size: int,
    lanes: int,
) -> None:
    """`size` elements of a flat memref from `start` on."""

    def vectors(count: int, offset: SSAValue) -> None:
        active = 0 if count == lanes else count
        body = VectorBody(emitter, lanes, active)
        body.store(body.widen(value), target, [emitter.add(start, offset)])

    whole = size // lanes * lanes

    def step(offset: SSAValue) -> None:
        vectors(lanes, offset)

    emitter.loop_between(emitter.index(0), emitter.index(whole), step, lanes)
    if whole < size:
        vectors(size - whole, emitter.index(whole))
