"""Programs of merges: a block of elements each, which search their places."""

from __future__ import annotations

from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.order import MergeRunsOp
from devproc.dialects.sched import BlockMergeSchedule
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.runs import (
    RunsNest,
    pointer_of,
    store_kept,
)
from devproc.targets.triton.transforms.to_triton.search import Search, search
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div


def expand(
    nest: RunsNest, schedule: BlockMergeSchedule, program: Program, target: TargetAttr
) -> None:
    """The whole kernel: the elements of all rows along the grid."""
    b, op, count = program.builder, nest.op, nest.rows * nest.size
    assert isinstance(op, MergeRunsOp)
    size, length, ways = schedule.size, op.run.value.data, op.ways.value.data
    program.grid = (ceil_div(count, size), 1, 1)
    program.num_warps = schedule.warps
    start = b.mul(b.program_id(0, "pid"), size) if count > size else 0
    at = b.ssa(b.add(start, b.arange(size)))
    at.name_hint = "at"
    inside = b.below(at, count) if count % size else None
    row, column = b.div(at, nest.size), b.mod(at, nest.size)
    base, run = b.mul(row, nest.size), b.div(column, length)
    keys = pointer_of(program, op.operand)
    mine = b.load(keys, at, inside)
    searches: list[Search] = []
    own, merged = b.mod(run, ways), b.div(run, ways)
    for turn in range(1, ways):
        other = b.add(b.mul(merged, ways), b.mod(b.add(own, turn), ways))
        begin = b.mul(other, length)
        left = b.minimum(b.maximum(b.sub(nest.size, begin), 0), length)
        is_earlier = b.compare("slt", b.ssa(other), b.ssa(run))
        searches.append(Search(mine, b.add(base, begin), left, is_earlier))
    found = search(b, keys, searches, length, inside)
    rank = b.mod(column, length)
    for places in found:
        rank = b.add(rank, places)
    place = b.load(pointer_of(program, op.of), at, inside)
    store_kept(nest, program, row, merged, b.ssa(rank), inside, place, mine)
