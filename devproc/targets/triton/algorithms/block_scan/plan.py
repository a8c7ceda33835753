"""Blocks of the rows of a scan, and into how many parts long rows are split.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.scan import AnyScanOp, ScanOp, ScanTotalsOp
from devproc.dialects.nn import scan as nn
from devproc.dialects.nn.base import int_of, normalize_axis
from devproc.dialects.sched import BlockScanSchedule
from devproc.ir.types import tensor_of
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.transforms.to_triton.generic import generic_of, root_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)

BLOCK = 1024
"""Elements that a program scans at a time."""

ADJACENT = 32
"""Adjacent rows of a program whose elements are not contiguous along the axis."""

LEAST_PART = 2048
"""Elements of a part: fewer take less time than the kernel that adds up the parts."""

LEAST_PARTS = 4
"""With fewer parts, reading all elements twice costs as much as it gains."""

PROGRAMS = 2
"""Programs for each processor."""


@dataclass(frozen=True)
class ScanNest(BlockNest):
    """A single scan, whole or in parts, or the totals of its parts."""

    op: AnyScanOp

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of rows, and of elements in each."""
        scan = self.anchor
        rows, columns = (
            prod(scan.extents[d] for d in dims)
            for dims in (scan.parallels, scan.reductions)
        )
        return rows, columns

    @property
    def size(self) -> int:
        """The elements of a part."""
        return self.sizes[1] if isinstance(self.op, ScanOp) else self.op.size.value.data

    @property
    def parts(self) -> int:
        """The parts of a row, each of which is a program's; the last one has no total."""
        parts = ceil_div(self.sizes[1], max(self.size, 1))
        return parts - isinstance(self.op, ScanTotalsOp)

    @property
    def inner(self) -> int:
        """The distance in memory between the elements of a row."""
        return prod(self.anchor.extents[self.anchor.reductions[0] + 1 :])


def match(kernel: KernelOps) -> Iterator[ScanNest]:
    """The scan of a kernel that consists of one."""
    if len(kernel.ops) == 1 and isinstance(op := kernel.ops[0], AnyScanOp):
        scan = generic_of(op)
        if scan.has_results:
            yield ScanNest((scan,), op)


def block_of(rows: int, columns: int, inner: int) -> tuple[int, int]:
    """Rows and columns of a block: as many columns as fit registers; where rows are not
    contiguous, adjacent rows first."""
    height, width = power_of_two(rows), power_of_two(columns)
    if inner == 1:
        width = min(width, BLOCK)
        return min(height, BLOCK // width), width
    height = min(height, ADJACENT)
    return height, min(width, BLOCK // height)


def parts_of(op: Operation, target: TargetAttr) -> int:
    """The parts of a scan; 1 where its rows occupy the GPU, and for other ops."""
    if not isinstance(op, nn.ScanOp):
        return 1
    shape = tensor_of(op.operand).get_shape()
    axis = normalize_axis(int_of(op.axis), len(shape))
    columns, inner = shape[axis], prod(shape[axis + 1 :])
    rows = prod(shape[:axis]) * inner
    if not rows * columns:
        return 1
    height, _ = block_of(rows, columns, inner)
    programs = ceil_div(rows, height)
    wanted = PROGRAMS * arch_of(target).processors // programs
    parts = min(wanted, columns * height // LEAST_PART)
    return parts if parts >= LEAST_PARTS else 1


def plan(nest: ScanNest, family: str, target: TargetAttr) -> Decision:
    """A block of rows for each program, or a part of them."""
    rows, columns = nest.sizes
    height, width = block_of(rows, nest.size, nest.inner)
    schedule = BlockScanSchedule(rows=height, width=width, warps=4)
    why = f"{rows} rows of {columns} elements, {height} x {width} at a time"
    if not isinstance(nest.op, ScanOp):
        why += f", in {nest.parts} parts"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: ScanNest, schedule: BlockScanSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a scan."""
    if root_of(nest.op.operand) not in nest.arguments:
        return "a temporary is read before written"
    if not isinstance(nest.op, ScanOp) and nest.size % schedule.width:
        return f"'width' must divide the {nest.size} elements of a part"
    grid = (ceil_div(nest.sizes[0], schedule.rows) * nest.parts,)
    return size_problem(schedule.rows, schedule.width, grid=grid)
