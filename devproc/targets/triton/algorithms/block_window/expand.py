"""Programs of windows: a block of pixels x channels, reduced tap by tap."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockWindowSchedule
from devproc.targets.triton.algorithms.block_window.plan import (
    MOST_TAPS,
    Windows,
    windows_of,
)
from devproc.targets.triton.transforms.to_triton.builder import Value
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step


def expand(
    nest: BlockNest, schedule: BlockWindowSchedule, program: Program, target: TargetAttr
) -> None:
    """Emit the windows, and the other ops on their results."""
    found = windows_of(nest)
    assert not isinstance(found, Refusal), found.why
    b, generic = program.builder, found.generic
    pixels, channels = found.sizes
    columns = ceil_div(channels, schedule.channels)
    count = ceil_div(pixels, schedule.pixels) * columns
    program.grid, program.num_warps = (count, 1, 1), schedule.warps
    tile: Value = b.program_id(0, "tile") if count > 1 else 0
    first = b.mul(b.div(tile, columns), schedule.pixels)
    lowest = b.mul(b.mod(tile, columns), schedule.channels)
    space = Space(
        b,
        [
            program.block_axis(
                generic, found.pixels, first, schedule.pixels, 0, 2, "pixel"
            ),
            program.block_axis(
                generic, (found.channels,), lowest, schedule.channels, 1, 2, "c"
            ),
        ],
    )

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        shape = schedule.pixels, schedule.channels
        return site, reduce_windows(program, found, space, shape)

    program.run(found.steps, space, reduce)


def reduce_windows(
    program: Program, found: Windows, space: Space, shape: tuple[int, int]
) -> list[SSAValue]:
    """The results of a block: all taps in order, of large windows in a loop over lines."""
    b, kernel, generic = program.builder, program.kernel, found.generic
    site = program.site(generic, space)
    starts = [
        b.to_shape(kernel.read(value, map_, site), shape)
        for value, map_ in zip(generic.outputs, generic.output_maps, strict=True)
    ]
    taps = prod(generic.extents[d] for d in generic.reductions)

    def walk(
        dims: Sequence[int], axes: list[Axis], olds: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        if not dims:
            inner = program.site(generic, Space(b, [*axes, *space.axes]))
            return kernel.evaluate(generic, inner, olds)
        (dim, *rest), extent = dims, generic.extents[dims[0]]

        def at(place: Value, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return walk(rest, [*axes, Axis((dim,), (extent,), place)], values)

        if taps > MOST_TAPS and rest:
            return b.loop(extent, 1, olds, at)
        for place in range(extent):
            olds = at(place, olds)
        return olds

    return list(walk(generic.reductions, [], starts))
