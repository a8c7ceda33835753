"""Programs of sorts: several rows, each packed, sorted and unpacked."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32, i64

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockSortSchedule
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.block_sort.plan import SortNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Space

LOW = (1 << 32) - 1
"""The bits of an index in a packed number."""

LARGEST = (1 << 63) - 1
"""Comes after every packed number."""


def expand(
    nest: SortNest, schedule: BlockSortSchedule, program: Program, target: TargetAttr
) -> None:
    """The whole kernel: rows along the grid."""
    b, generic, (rows, _, wanted) = program.builder, nest.anchor, nest.sizes
    height, width = schedule.rows, schedule.width
    program.grid, program.num_warps = (ceil_div(rows, height), 1, 1), schedule.warps
    start = b.mul(b.program_id(0, "pid"), height) if height < rows else 0
    row = program.block_axis(generic, generic.parallels, start, height, 0, 2, "row")
    last = generic.reductions
    column = program.block_axis(generic, last, 0, width, 1, 2, "column")
    site = program.site(generic, Space(b, [row, column]))
    key = program.kernel.read(nest.op.operand, generic.maps[0], site)
    index = b.ssa(column.index)
    index = index if index.type == i64 else b.cast("extsi", index, i64)
    high = b.elementwise(arith.ShLIOp, b.cast("extsi", key, i64), b.constant(32, i64))
    packed = b.to_shape(b.elementwise(arith.OrIOp, high, index), (height, width))
    if column.mask is not None:
        packed = b.where(column.mask, packed, b.constant(LARGEST, i64))
    ordered = b.pure(
        triton.SortOp, [packed], packed.type, {"axis": IntegerAttr(1, i32)}, "ordered"
    )
    places = b.elementwise(arith.AndIOp, ordered, b.constant(LOW, i64))
    stored = replace(generic, extents=(*generic.extents[:-1], wanted))
    place = program.block_axis(stored, last, 0, width, 1, 2, "place")
    site = program.site(stored, Space(b, [row, place]))
    program.kernel.store(nest.op.places, generic.maps[1], site, places)
