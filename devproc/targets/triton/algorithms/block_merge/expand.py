"""Programs of merges: a block of elements each, which search their places."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.order import MergeRunsOp
from devproc.dialects.sched import BlockMergeSchedule
from devproc.targets.triton.dialect import shape_of
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.runs import (
    RunsNest,
    pointer_of,
    store_kept,
)
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
    begins: list[Value] = []
    counts: list[Value] = []
    ties: list[SSAValue] = []
    own, merged = b.mod(run, ways), b.div(run, ways)
    for turn in range(1, ways):
        other = b.add(b.mul(merged, ways), b.mod(b.add(own, turn), ways))
        begin = b.mul(other, length)
        left = b.maximum(b.sub(nest.size, begin), 0)
        begins.append(b.add(base, begin))
        counts.append(b.minimum(left, length))
        ties.append(b.compare("slt", b.ssa(other), b.ssa(run)))
    found = search(b, keys, mine, begins, counts, ties, length, inside)
    rank = b.mod(column, length)
    for places in found:
        rank = b.add(rank, places)
    place = b.load(pointer_of(program, op.of), at, inside)
    store_kept(nest, program, row, merged, b.ssa(rank), inside, place, mine)


def search(
    b: BlockBuilder,
    keys: SSAValue,
    mine: SSAValue,
    begins: Sequence[Value],
    counts: Sequence[Value],
    ties: Sequence[SSAValue],
    length: int,
    inside: SSAValue | None,
) -> list[SSAValue]:
    """How many elements of each run are before an element: smaller, or equal to it where
    `ties` holds. Runs begin at `begins`, and have at most `length` elements."""
    shape = shape_of(mine.type)
    steps = length.bit_length()
    first = b.constant(1 << (steps - 1), b.index_type)
    zeros = [b.to_shape(b.constant(0, b.index_type), shape) for _ in begins]

    def halve(_: SSAValue, carried: list[SSAValue]) -> Sequence[SSAValue]:
        step, *found = carried
        nexts: list[SSAValue] = []
        for places, begin, count, tie in zip(found, begins, counts, ties, strict=True):
            further = b.elementwise(arith.AddiOp, places, step)
            there = b.both(inside, b.compare("sle", further, b.ssa(count)))
            theirs = b.load(keys, b.add(b.sub(further, 1), begin), there)
            equal = b.both(b.compare("eq", theirs, mine), tie)
            before = b.both(there, either(b, b.compare("slt", theirs, mine), equal))
            assert before is not None
            nexts.append(b.where(before, further, places))
        half = b.elementwise(arith.ShRSIOp, step, b.constant(1, b.index_type))
        return [half, *nexts]

    return b.loop(steps, 1, [first, *zeros], halve)[1:]


def either(b: BlockBuilder, first: SSAValue, second: SSAValue | None) -> SSAValue:
    """The disjunction of two masks."""
    assert second is not None
    return b.elementwise(arith.OrIOp, first, second)
