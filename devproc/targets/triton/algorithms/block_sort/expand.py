"""Programs of sorts: runs of several rows, each packed, sorted and unpacked."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.order import SortRunsOp
from devproc.dialects.sched import BlockSortSchedule
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.runs import (
    RunsNest,
    pointer_of,
    store_kept,
    to_integer,
)
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div

LOW = (1 << 32) - 1
"""The bits of an index in a packed number."""

LARGEST = (1 << 63) - 1
"""Comes after every packed number."""


def expand(
    nest: RunsNest, schedule: BlockSortSchedule, program: Program, target: TargetAttr
) -> None:
    """The whole kernel: the runs of rows along the grid."""
    b, op = program.builder, nest.op
    assert isinstance(op, SortRunsOp)
    height, width = schedule.rows, schedule.width
    grid = ceil_div(nest.rows, height) * nest.runs
    program.grid, program.num_warps = (grid, 1, 1), schedule.warps
    pid = b.program_id(0, "pid") if grid > 1 else 0
    run = b.mod(pid, nest.runs)
    start = b.mul(b.div(pid, nest.runs), height)
    row = b.ssa(b.add(start, b.expand(b.arange(height), 0, 2)))
    in_row = b.below(row, nest.rows) if nest.rows % height else None
    lanes = b.expand(b.arange(width), 1, 2)
    column = b.ssa(b.add(b.mul(run, nest.run), lanes))
    row.name_hint, column.name_hint = "row", "column"
    in_run = b.below(lanes, nest.run) if width > nest.run else None
    if nest.size < nest.runs * width:
        in_run = b.both(in_run, b.below(column, nest.size))
    base = b.mul(row, nest.size)
    offset = b.add(base, column)
    key = b.load(pointer_of(program, op.operand), offset, b.both(in_row, in_run))
    packed = b.to_shape(pack(b, key, column), (height, width))
    if in_run is not None:
        packed = b.where(in_run, packed, b.constant(LARGEST, i64))
    ordered = b.pure(
        triton.SortOp, [packed], packed.type, {"axis": IntegerAttr(1, i32)}, "ordered"
    )
    place = b.elementwise(arith.AndIOp, ordered, b.constant(LOW, i64))
    high = b.elementwise(arith.ShRSIOp, ordered, b.constant(32, i64))
    if op.of is not None:
        known = b.both(in_row, b.compare("slt", place, b.constant(nest.size, i64)))
        place = b.load(
            pointer_of(program, op.of), b.add(base, b.to_index(place)), known
        )
    key = b.cast("trunci", high, i32)
    store_kept(nest, program, row, run, lanes, in_row, place, key)


def pack(b: BlockBuilder, key: SSAValue, index: Value) -> SSAValue:
    """Numbers of 64 bits in the order of the keys, equal ones in that of the indices."""
    low = to_integer(b, b.ssa(index), i64)
    high = b.elementwise(arith.ShLIOp, b.cast("extsi", key, i64), b.constant(32, i64))
    return b.elementwise(arith.OrIOp, high, low)
