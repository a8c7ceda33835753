"""Matches and plans ops that write parts of the same rows; rows are shared by
threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Choice, Decision, KernelOps
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import RowPartsSchedule, VectorsSchedule
from devproc.targets.cpu.algorithms.vectors.match import (
    VectorizableNest,
    parallel_ops,
    vectorizable,
)
from devproc.targets.cpu.algorithms.vectors.plan import (
    schedule_of,
    split_of,
    vectors_problem,
)
from devproc.targets.cpu.algorithms.vectors.transposed_reads import crossing_loop
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp, grain_of
from devproc.targets.cpu.transforms.nests.nest import Nest


@dataclass(frozen=True)
class RowParts:
    """Nests over the same rows of one buffer; the last loop of each is along the
    row."""

    nests: list[Nest]

    @property
    def ops(self) -> list[StructuredOp]:
        """The ops of all nests."""
        return [op for nest in self.nests for op in nest.ops]

    @property
    def row(self) -> int:
        """The loop along a row."""
        return len(self.nests[0].sizes) - 1


def match(kernel: KernelOps) -> Iterator[RowParts]:
    """The consecutive ops of a kernel that write parts of the same rows."""
    run: list[Nest] = []
    last: StructuredOp | None = None
    for op in _candidates(kernel):
        joins = last is not None and _follows(op, last)
        nest = _row_nest(op)
        if not (joins and run and nest and _same_rows(run[0], nest)):
            if len(run) > 1:
                yield RowParts(run)
            run = []
        run, last = [*run, nest] if nest else [], op
    if len(run) > 1:
        yield RowParts(run)


def plan(parts: RowParts, family: str, target: TargetAttr) -> Decision:
    """The schedule of any such ops; the largest determines the parallel loop of all."""
    row, nests = parts.row, parts.nests
    chosen = [schedule_of(VectorizableNest(n, row), target) for n in nests]
    tiles = [
        nest.sizes[row] // (part.lanes * part.vectors)
        for nest, part in zip(nests, chosen, strict=True)
    ]
    largest = max(range(len(nests)), key=lambda n: nests[n].work)
    work, sizes = sum(nest.work for nest in nests), nests[largest].sizes
    outer = range(row)
    split, grain = split_of(sizes, row, outer, tiles[largest], work, target)
    if split == row:
        schedules = [
            _shared(nest, part, count, target)
            for nest, part, count in zip(nests, chosen, tiles, strict=True)
        ]
        split = grain = None
    else:
        schedules = [part.replace(split=None, grain=None) for part in chosen]
    schedule = RowPartsSchedule(
        parts=tuple(part.replace(inner=None) for part in schedules),
        split=split,
        grain=grain,
    )
    widths = " + ".join(str(nest.sizes[row]) for nest in nests)
    rows = prod(sizes[d] for d in outer)
    return Choice(schedule, f"{rows} rows have parts of {widths} elements")


def refuse(
    parts: RowParts, schedule: RowPartsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for parts of rows."""
    count = len(parts.nests)
    if len(schedule.parts) != count:
        return f"'parts' must have {count} schedules, one for each op"
    if schedule.split is not None and schedule.split >= parts.row:
        return f"'split': no loop around the rows has the number {schedule.split}"
    for nest, part in zip(parts.nests, schedule.parts, strict=True):
        if part.loop != parts.row:
            return f"'loop' must be {parts.row}, along the row"
        problem = vectors_problem(nest, part, target)
        if problem is not None:
            return problem
    return None


def _shared(
    nest: Nest, part: VectorsSchedule, tiles: int, target: TargetAttr
) -> VectorsSchedule:
    """A schedule whose row is spread over threads, if it consists of whole tiles."""
    if not tiles:
        return part.replace(split=None, grain=None)
    work = nest.work // prod(nest.sizes[:-1])
    grain = grain_of(tiles, work, target.threads.data) or 1
    return part.replace(split=part.loop, grain=grain)


def _candidates(kernel: KernelOps) -> list[StructuredOp]:
    """The ops that write to the same buffer as the op before or after them."""
    if len(kernel.ops) < 2:
        return []
    ops = parallel_ops(kernel)
    pairs = pairwise(ops)
    same = {op for a, b in pairs if list(a.outputs) == list(b.outputs) for op in (a, b)}
    return [op for op in ops if op in same]


def _follows(op: StructuredOp, last: StructuredOp) -> bool:
    """Whether an op writes to the memory of another, with no loops in between."""
    if list(op.outputs) != list(last.outputs):
        return False
    between: Operation | None = last.next_op
    while between is not None and between is not op:
        if between.regions:
            return False
        between = between.next_op
    return between is op


def _row_nest(op: StructuredOp) -> Nest | None:
    """The loops of an op that is vectorised, and reads, along the innermost of several
    loops and does not read its outputs; else None."""
    if not isinstance(op, GenericOp) or _reads_own(op):
        return None
    found = vectorizable(Nest(op))
    if found is None or found.loop == 0 or found.loop != len(found.nest.sizes) - 1:
        return None
    return None if crossing_loop(found.nest, found.loop) is not None else found.nest


def _reads_own(op: GenericOp) -> bool:
    read: set[SSAValue] = {
        o.memref for o in op.body.walk() if isinstance(o, memref.LoadOp)
    }
    return not read.isdisjoint(op.outputs) or not set(op.inputs).isdisjoint(op.outputs)


def _same_rows(one: Nest, other: Nest) -> bool:
    """Whether two nests iterate over the same rows of the same memory."""
    outer: Sequence[int] = range(len(one.sizes) - 1)
    return one.sizes[:-1] == other.sizes[:-1] and all(
        a.origin is b.origin and all(a.stride(d) == b.stride(d) for d in outer)
        for a, b in zip(one.results, other.results, strict=True)
    )
