"""Elementwise kernels, and the schedule that any kernel can fall back to.

One program computes a block of output elements, numbered in row-major order; an op that
reduces runs a loop over its reduced dimensions, one element of each row at a time. So
everything that linalg can say is handled here, if not fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from devproc.dialects.triton import shape_of
from devproc.transforms.gpu.to_triton.generic import Generic, memref_of
from devproc.transforms.gpu.to_triton.kernel import NeedsSplit
from devproc.transforms.gpu.to_triton.policy import ceil_div
from devproc.transforms.gpu.to_triton.schedule import Program
from devproc.transforms.gpu.to_triton.space import Axis, Space


def emit(program: Program) -> None:
    """The whole kernel: one running index over the anchor's parallel dimensions."""
    anchor = next((g for g in program.generics if g.reductions), program.generics[-1])
    pair = transposed_pair(anchor)
    if pair is None or program.policy.interpret or anchor.reductions:
        space = flat_space(program, anchor)
    else:
        space = tile_space(program, anchor, *pair)
    for number, generic in enumerate(program.generics):
        if generic.reductions:
            dims = anchor.parallels
            if generic is not anchor and generic.extents != anchor.extents:
                raise NeedsSplit("two reductions walk different dimensions")
            if generic.parallels != dims:
                raise NeedsSplit("two reductions reduce different dimensions")
            site = program.identity_site(generic, space)
            values = reduce_in_loop(program, generic, space)
        elif program.can_defer(number) and generic is not anchor:
            program.kernel.hold(generic)
            continue
        else:
            site = program.align(generic, anchor, space)
            values = program.kernel.evaluate(generic, site)
        program.finish(number, site, values)


def flat_space(program: Program, anchor: Generic) -> Space:
    """All parallel dimensions walked by one index."""
    b = program.builder
    total = prod(anchor.extents[d] for d in anchor.parallels)
    size, program.num_warps = program.policy.flat(total)
    start = b.mul(b.program_id(0, "pid"), size) if size < total else 0
    program.grid = (ceil_div(total, size), 1, 1)
    return Space(
        b, [program.block_axis(anchor, anchor.parallels, start, size, 0, 1, "i")]
    )


def tile_space(program: Program, anchor: Generic, read: int, written: int) -> Space:
    """A tile of the dimensions that lie densely in an input and in the output.

    So both sides move whole lines of memory, and the block is turned in between.
    """
    b, extents = program.builder, anchor.extents
    sizes = program.policy.tile(extents[read], extents[written])
    tiles = [
        ceil_div(extents[d], n) for d, n in zip((read, written), sizes, strict=True)
    ]
    rest = tuple(d for d in anchor.parallels if d not in (read, written))
    others = prod(extents[d] for d in rest)
    if others > 65535:
        return flat_space(program, anchor)
    program.grid = (tiles[0] * tiles[1], others, 1)
    tile = b.program_id(0, "tile") if tiles[0] * tiles[1] > 1 else 0
    starts = (
        b.mul(b.div(tile, tiles[1]), sizes[0]),
        b.mul(b.rem(tile, tiles[1]), sizes[1]),
    )
    axes: list[Axis] = []
    if rest:
        outer = b.program_id(1, "outer") if others > 1 else 0
        axes.append(Axis(rest, tuple(extents[d] for d in rest), outer))
    for position, dim in enumerate((read, written)):
        axes.append(
            program.block_axis(
                anchor,
                (dim,),
                starts[position],
                sizes[position],
                position,
                2,
                "ij"[position],
            )
        )
    return Space(b, axes)


def transposed_pair(anchor: Generic) -> tuple[int, int] | None:
    """(dimension dense in an input, dimension dense in the output) if they differ."""
    written = dense_dim(anchor.outputs[0], anchor.output_maps[0], anchor)
    for value, map_ in zip(anchor.inputs, anchor.maps, strict=False):
        read = dense_dim(value, map_, anchor)
        if read is not None and written is not None and read != written:
            return read, written
    return None


def dense_dim(value: SSAValue, map_: AffineMap, anchor: Generic) -> int | None:
    """The dimension along which an operand's neighbours in memory lie."""
    if not map_.results:
        return None
    expr = map_.results[-1]
    if isinstance(expr, AffineDimExpr) and memref_of(value).get_shape()[-1] > 1:
        # Short lines are whole within any block.
        return expr.position if anchor.extents[expr.position] >= 8 else None
    return None


def reduce_in_loop(program: Program, generic: Generic, space: Space) -> list[SSAValue]:
    """The reduction of each element of the block, by nested loops of scalars."""
    b, kernel = program.builder, program.kernel
    site = program.identity_site(generic, space)
    rank_shape = space.axes[0].index
    starts: list[SSAValue] = []
    for index, value in enumerate(generic.outputs):
        start = kernel.read(value, generic.output_maps[index], site)
        shape = () if isinstance(rank_shape, int) else shape_of(rank_shape.type)
        starts.append(b.to_shape(start, shape))

    def nest(
        dims: Sequence[int], axes: list[Axis], olds: list[SSAValue]
    ) -> list[SSAValue]:
        if not dims:
            inner = program.identity_site(generic, space.with_axes(axes))
            return kernel.evaluate(generic, inner, olds)
        dim, extent = dims[0], generic.extents[dims[0]]
        if extent == 1:
            return nest(dims[1:], [*axes, Axis((dim,), (1,), 0)], olds)
        return b.loop(
            extent,
            1,
            olds,
            lambda k, values: nest(
                dims[1:], [*axes, Axis((dim,), (extent,), k)], values
            ),
        )

    return nest(generic.reductions, [], starts)
