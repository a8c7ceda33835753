"""Programs of convolutions: a tile of their results, summed tap by tap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ImplicitGemmSchedule
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.block_tile.expand import output_space
from devproc.targets.triton.algorithms.implicit_gemm.convolution import (
    Convolution,
    sums_of,
)
from devproc.targets.triton.dialect import element_of, shape_of
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step


def expand(
    nest: BlockNest,
    schedule: ImplicitGemmSchedule,
    program: Program,
    target: TargetAttr,
) -> None:
    """Emit the products on `tl.dot`, one after the other, and the other ops on their tile."""
    found = sums_of(nest)
    assert not isinstance(found, Refusal), found.why
    program.num_warps, program.num_stages = schedule.warps, schedule.stages
    space = output_space(program, found.roles, schedule)
    products = {product.roles.generic.op: product for product in found.products}

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        product = products[step.generic.op]
        return site, [convolve(program, product, space, schedule)]

    program.run(found.steps, space, reduce)


def convolve(
    program: Program, found: Convolution, space: Space, schedule: ImplicitGemmSchedule
) -> SSAValue:
    """The accumulator after the loop over the taps and their channels."""
    b, product = program.builder, found.roles.generic
    old = program.kernel.read(
        product.outputs[0], product.output_maps[0], program.site(product, space)
    )
    old = b.to_shape(old, (schedule.m, schedule.n))
    size = schedule.k
    span = ceil_div(found.terms, size) * size  # the positions of the loop at one tap

    def step(k: Value, accumulators: Sequence[SSAValue]) -> list[SSAValue]:
        place = place_of(b, k, found.tap_count, span, size)
        left = operand(program, found, space, place, is_image=True)
        right = operand(program, found, space, place, is_image=False)
        values = [left, right, accumulators[0]]
        precision = StringAttr(schedule.precision)
        return [
            b.pure(
                triton.DotOp, values, old.type, {"input_precision": precision}, "acc"
            )
        ]

    if found.tap_count * span == size:
        return step(0, [old])[0]
    return b.loop(found.tap_count * span, size, [old], step)[0]


@dataclass(frozen=True)
class Place:
    """The terms of one step of the sum."""

    tap: Value
    start: Value
    """The first of them at its tap."""
    size: int


def place_of(b: BlockBuilder, k: Value, taps: int, span: int, size: int) -> Place:
    """The terms from position k of the loop on."""
    if taps == 1:
        return Place(0, k, size)
    tap = b.div(k, span)
    # A remainder loses its alignment with Triton 3.6, which then loads 2 bytes at a time.
    return Place(tap, b.sub(k, b.mul(tap, span)) if span > size else 0, size)


def operand(
    program: Program, found: Convolution, space: Space, place: Place, *, is_image: bool
) -> SSAValue:
    """The block of the image or of the filters for one step."""
    b, kernel, roles = program.builder, program.kernel, found.roles
    product = roles.generic
    batch, (pixels, filters) = space.axes[:-2], space.axes[-2:]
    index, outer = (roles.a, pixels) if is_image else (roles.b, filters)
    extents = tuple(product.extents[d] for d in found.taps)
    taps = [Axis(found.taps, extents, place.tap)] if found.taps else []
    terms = program.block_axis(
        product, found.inner, place.start, place.size, int(is_image), 2, "c"
    )
    # The tap first: its offset is a number, which one add takes to the pixels.
    site = program.site(product, Space(b, [*taps, terms, *batch, outer]))
    value, map_ = product.inputs[index], product.maps[index]
    rows = block_rows_of(outer)
    shape = (rows, place.size) if is_image else (place.size, rows)
    block = b.to_shape(kernel.read(value, map_, site), shape)
    longer = [d for d in found.inner if product.extents[d] > 1]
    if terms.mask is None or kernel.flow.is_zero_outside(
        value, site.exprs(map_), longer
    ):
        return block
    # A value computed on the way is anything past the last term, not zero.
    return b.where(terms.mask, block, b.constant(0, element_of(block.type)))


def block_rows_of(axis: Axis) -> int:
    """The positions of one program along an axis."""
    assert isinstance(axis.index, SSAValue)
    return prod(shape_of(axis.index.type))
