"""Programs of elements: a block of results, numbered in row-major order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlocksSchedule
from devproc.targets.triton.algorithms.blocks.plan import elements_of, results_of
from devproc.targets.triton.dialect import shape_of
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step


def expand(
    nest: BlockNest, schedule: BlocksSchedule, program: Program, target: TargetAttr
) -> None:
    """Emit the whole kernel, with one linear index over the anchor's parallel loops."""
    steps = elements_of(nest)
    assert not isinstance(steps, Refusal), steps.why
    b, anchor, size = program.builder, nest.anchor, schedule.size
    total = results_of(anchor)
    program.grid, program.num_warps = (ceil_div(total, size), 1, 1), schedule.warps
    start = b.mul(b.program_id(0, "pid"), size) if size < total else 0
    axis = program.block_axis(anchor, anchor.parallels, start, size, 0, 1, "i")
    space = Space(b, [axis])

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        return site, reduce_in_loop(program, step.generic, space)

    program.run(steps, space, reduce)


def reduce_in_loop(program: Program, generic: Generic, space: Space) -> list[SSAValue]:
    """Reduce each element of the block, by nested loops over scalars."""
    b, kernel = program.builder, program.kernel
    site = program.site(generic, space)
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
            inner = program.site(generic, space.with_axes(axes))
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
