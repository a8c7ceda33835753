"""Programs of a convolution: a rectangle of results, summed tap by tap from boxes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i64
from xdsl.ir import Attribute, SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BoxGemmSchedule
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.box_gemm.image import Boxes, boxes_of
from devproc.targets.triton.algorithms.implicit_gemm.expand import Place, place_of
from devproc.targets.triton.dialect import block_of, element_of
from devproc.targets.triton.transforms.to_triton.builder import Value
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step


def expand(
    nest: BlockNest, schedule: BoxGemmSchedule, program: Program, target: TargetAttr
) -> None:
    """Emit the convolution on `tl.dot`, and the other ops on its rectangle."""
    found = boxes_of(nest, schedule)
    assert not isinstance(found, Refusal), found.why
    program.num_warps, program.num_stages = schedule.warps, schedule.stages
    space = rectangle(program, found, schedule)

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        return site, [convolve(program, found, space, schedule)]

    program.run(found.steps, space, reduce)


def rectangle(program: Program, found: Boxes, schedule: BoxGemmSchedule) -> Space:
    """The results of one program: those of some channels in a rectangle of pixels."""
    b, roles = program.builder, found.convolution.roles
    product, (image, row, column) = roles.generic, roles.m
    sizes = schedule.rows, schedule.columns
    down, across = (
        ceil_div(product.extents[d], size)
        for d, size in zip((row, column), sizes, strict=True)
    )
    channels = ceil_div(roles.sizes[1], schedule.n)
    program.grid = (product.extents[image] * down * across * channels, 1, 1)
    tile: Value = b.program_id(0, "tile") if program.grid[0] > 1 else 0
    n, tile = b.mul(b.mod(tile, channels), schedule.n), b.div(tile, channels)
    left, tile = b.mul(b.mod(tile, across), sizes[1]), b.div(tile, across)
    top, number = b.mul(b.mod(tile, down), sizes[0]), b.div(tile, down)
    lanes = b.expand(b.arange(sizes[0] * sizes[1]), 0, 2)
    places = b.div(lanes, sizes[1]), b.mod(lanes, sizes[1])
    axes = [Axis((image,), (product.extents[image],), number, None, number)]
    for d, start, place, size in zip(
        (row, column), (top, left), places, sizes, strict=True
    ):
        extent, index = product.extents[d], b.ssa(b.add(start, place))
        mask = b.below(index, extent) if extent % size else None
        axes.append(Axis((d,), (extent,), index, mask, start))
    axes.append(program.block_axis(product, roles.n, n, schedule.n, 1, 2, "n"))
    return Space(b, axes)


def convolve(
    program: Program, found: Boxes, space: Space, schedule: BoxGemmSchedule
) -> SSAValue:
    """The accumulator after the loop over the taps and their channels."""
    b, convolution = program.builder, found.convolution
    product = convolution.roles.generic
    shape = schedule.rows * schedule.columns, schedule.n
    old = program.kernel.read(
        product.outputs[0], product.output_maps[0], program.site(product, space)
    )
    taps, size = convolution.tap_count, schedule.k
    span = ceil_div(convolution.terms, size) * size
    precision = {"input_precision": StringAttr(schedule.precision)}

    def step(k: Value, accumulators: Sequence[SSAValue]) -> list[SSAValue]:
        place = place_of(b, k, taps, span, size)
        factors = [
            box(program, found, space, place, shape[0]),
            filters(program, found, space, place, schedule),
        ]
        values = [*factors, accumulators[0]]
        return [b.pure(triton.DotOp, values, old.type, {**precision}, "acc")]

    old = b.to_shape(old, shape)
    if taps * span == size:
        return step(0, [old])[0]
    return b.loop(taps * span, size, [old], step)[0]


def box(
    program: Program, found: Boxes, space: Space, place: Place, pixels: int
) -> SSAValue:
    """The pixels of the image that a tap needs, and their channels."""
    b, convolution = program.builder, found.convolution
    extents = tuple(convolution.roles.generic.extents[d] for d in convolution.taps)
    tap = Axis(convolution.taps, extents, place.tap)
    first = {axis.dims[0]: axis.first for axis in space.axes[:3]}
    indices: list[Value] = []
    for form in found.places:
        index: Value = form.constant
        for d, factor in form.terms:
            number = convolution.taps.index(d) if d in convolution.taps else None
            term = first[d] if number is None else tap.run(b, number, number + 1)
            index = b.add(index, b.mul(term, factor))
        indices.append(index)
    return found.image.load(
        program.kernel, [*indices, place.start], (pixels, place.size)
    )


def filters(
    program: Program,
    found: Boxes,
    space: Space,
    place: Place,
    schedule: BoxGemmSchedule,
) -> SSAValue:
    """The block of the filters for one step."""
    b = program.builder
    starts = {"taps": place.tap, "terms": place.start, "outer": space.axes[-1].first}
    sizes = {"terms": schedule.k, "outer": schedule.n}
    indices = [starts[role] for role in found.filter_roles]
    rows, columns = (sizes[role] for role in found.filter_roles if role != "taps")
    block = found.filters.load(program.kernel, indices, (rows, columns))
    if found.filter_roles[-1] == "outer":
        return block
    order: Attribute = DenseArrayBase.from_list(i64, [1, 0])
    result = block_of(element_of(block.type), (columns, rows))
    return b.pure(triton.TransOp, [block], result, {"order": order})
