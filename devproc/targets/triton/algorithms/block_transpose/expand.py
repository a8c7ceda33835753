"""Programs that transpose a block of two dimensions, for one index of the others."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockTransposeSchedule
from devproc.targets.triton.algorithms.block_transpose.plan import (
    Transposed,
    transposed,
)
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step


def expand(
    nest: BlockNest,
    schedule: BlockTransposeSchedule,
    program: Program,
    target: TargetAttr,
) -> None:
    """Emit the whole kernel, all of whose ops are elementwise."""
    found = transposed(nest)
    assert not isinstance(found, Refusal), found.why
    program.num_warps = schedule.warps
    program.run(found.steps, tile_space(program, found, schedule), no_reduction)


def no_reduction(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
    """Placeholder for a part that nests of this algorithm do not have."""
    raise AssertionError(f"'{step.generic.op.name}' reduces")


def tile_space(
    program: Program, found: Transposed, schedule: BlockTransposeSchedule
) -> Space:
    """The block of one program.

    Loads and stores access whole cache lines; the block is transposed in between.
    """
    b, anchor = program.builder, found.anchor
    rows, columns, others = found.grid(schedule)
    program.grid = (rows * columns, others, 1)
    tile = b.program_id(0, "tile") if rows * columns > 1 else 0
    start = b.mul(b.div(tile, columns), schedule.read)
    other_start = b.mul(b.mod(tile, columns), schedule.written)
    axes: list[Axis] = []
    if found.rest:
        outer = b.program_id(1, "outer") if others > 1 else 0
        extents = tuple(anchor.extents[d] for d in found.rest)
        axes.append(Axis(found.rest, extents, outer))
    read = program.block_axis(anchor, (found.read,), start, schedule.read, 0, 2, "i")
    written = program.block_axis(
        anchor, (found.written,), other_start, schedule.written, 1, 2, "j"
    )
    return Space(b, [*axes, read, written])
