"""Blocks of the rows of a scan.

The sizes are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.scan import ScanOp
from devproc.dialects.sched import BlockScanSchedule
from devproc.targets.triton.transforms.to_triton.generic import generic_of, root_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)


@dataclass(frozen=True)
class ScanNest(BlockNest):
    """A single scan."""

    op: ScanOp

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
    def is_contiguous(self) -> bool:
        """Whether the elements of a row are contiguous in memory."""
        return self.anchor.reductions[0] == len(self.anchor.extents) - 1


def match(kernel: KernelOps) -> Iterator[ScanNest]:
    """The scan of a kernel that consists of one."""
    if len(kernel.ops) == 1 and isinstance(op := kernel.ops[0], ScanOp):
        scan = generic_of(op)
        if scan.has_results:
            yield ScanNest((scan,), op)


def plan(nest: ScanNest, family: str, target: TargetAttr) -> Decision:
    """As many elements of rows as fit registers; where rows are not contiguous, many
    rows, which are adjacent then."""
    rows, columns = nest.sizes
    height, width = power_of_two(rows), power_of_two(columns)
    width = min(width, 1024 if nest.is_contiguous else 32)
    height = min(height, 1024 // width)
    schedule = BlockScanSchedule(rows=height, width=width, warps=4)
    why = f"{rows} rows of {columns} elements, {height} x {width} at a time"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: ScanNest, schedule: BlockScanSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a scan."""
    if root_of(nest.op.operand) not in nest.arguments:
        return "a temporary is read before written"
    grid = (ceil_div(nest.sizes[0], schedule.rows),)
    return size_problem(schedule.rows, schedule.width, grid=grid)
