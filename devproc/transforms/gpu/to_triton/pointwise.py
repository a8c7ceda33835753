"""Elementwise kernels, and the schedule that any kernel can fall back to.

One program computes a block of output elements, numbered in row-major order; an op that
reduces runs a loop over its reduced dimensions, one element of each row at a time. So
everything that linalg can say is handled here, if not fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from devproc.dialects.triton import shape_of
from devproc.transforms.gpu.to_triton.generic import Generic
from devproc.transforms.gpu.to_triton.kernel import NeedsSplit
from devproc.transforms.gpu.to_triton.policy import ceil_div
from devproc.transforms.gpu.to_triton.schedule import Program
from devproc.transforms.gpu.to_triton.space import Axis, Space


def emit(program: Program) -> None:
    """The whole kernel: one running index over the anchor's parallel dimensions."""
    anchor = next((g for g in program.generics if g.reductions), program.generics[-1])
    b = program.builder
    total = prod(anchor.extents[d] for d in anchor.parallels)
    size, program.num_warps = program.policy.flat(total)
    start = b.mul(b.program_id(0, "pid"), size) if size < total else 0
    axis = program.block_axis(anchor, anchor.parallels, start, size, 0, 1, "i")
    program.grid = (ceil_div(total, size), 1, 1)
    space = Space(b, [axis])
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
