"""Programs of ranks: a run each, whose elements are counted."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.order import SortRunsOp
from devproc.dialects.sched import BlockRankSchedule
from devproc.targets.triton.algorithms.block_sort.plan import longest_run
from devproc.targets.triton.transforms.to_triton.builder import Value
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.runs import (
    RunsNest,
    pointer_of,
    store_kept,
)


def expand(
    nest: RunsNest, schedule: BlockRankSchedule, program: Program, target: TargetAttr
) -> None:
    """The whole kernel: the runs of all rows along the grid."""
    b, op = program.builder, nest.op
    assert isinstance(op, SortRunsOp)
    width, step, longest = schedule.width, schedule.step, longest_run(nest)
    grid = nest.rows * nest.runs
    program.grid, program.num_warps = (grid, 1, 1), schedule.warps
    pid = b.program_id(0, "pid") if grid > 1 else 0
    run, row = b.mod(pid, nest.runs), b.div(pid, nest.runs)
    start, base = b.mul(run, nest.run), b.mul(row, nest.size)
    keys = pointer_of(program, op.operand)

    def elements(lanes: Value, covered: bool) -> tuple[SSAValue, SSAValue | None]:
        """The elements of the run at these positions, and which there are."""
        column = b.ssa(b.add(start, lanes))
        inside = None if covered else b.below(lanes, longest)
        if nest.size < nest.runs * nest.run and nest.runs > 1:
            inside = b.both(inside, b.below(column, nest.size))
        return b.load(keys, b.add(base, column), inside), inside

    lanes = b.expand(b.arange(width), 0, 2)
    mine, inside = elements(lanes, width == longest)

    def count(at: SSAValue, carried: list[SSAValue]) -> Sequence[SSAValue]:
        others = b.ssa(b.add(at, b.expand(b.arange(step), 1, 2)))
        theirs, there = elements(others, longest % step == 0)
        earlier = b.compare("slt", others, lanes)
        tie = b.both(b.compare("eq", theirs, mine), earlier)
        assert tie is not None
        before = b.elementwise(arith.OrIOp, b.compare("slt", theirs, mine), tie)
        before = b.both(before, there)
        assert before is not None
        one, none = b.constant(1, i32), b.constant(0, i32)
        return [
            b.elementwise(
                arith.AddiOp, carried[0], b.reduce("sum", b.where(before, one, none), 1)
            )
        ]

    zeros = b.to_shape(b.constant(0, i32), (width, 1))
    (rank,) = b.loop(longest, step, [zeros], count)
    rank = b.to_index(rank)
    place = b.ssa(b.add(start, lanes))
    if op.of is not None:
        place = b.load(pointer_of(program, op.of), b.add(base, place), inside)
    store_kept(nest, program, row, run, rank, inside, place, mine)
