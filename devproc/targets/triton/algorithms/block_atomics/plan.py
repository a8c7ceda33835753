"""Which scatters atomics compute.

The size is a rule of thumb from published Triton tuning, not a measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32, i64
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.dialects.sched import BlockAtomicsSchedule
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div, size_problem

SIZE = 512
"""Updates of a program: four for each thread."""

KINDS: dict[type[Operation], str] = {
    arith.AddfOp: "add",
    arith.AddiOp: "add",
    arith.MaxSIOp: "max",
    arith.MinSIOp: "min",
}
"""What combines an element with an update -> the atomic."""


@dataclass(frozen=True)
class AtomicsNest(BlockNest):
    """A single scatter."""

    op: ScatterOp

    @property
    def kind(self) -> str | None:
        """The atomic that combines; None if none does."""
        first, *rest = self.op.body.block.ops
        block = self.op.body.block
        if len(rest) != 1 or set(first.operands) != set(block.args):
            return None
        return KINDS.get(type(first))

    @property
    def count(self) -> int:
        """The number of updates."""
        return prod(self.anchor.extents)


def match(kernel: KernelOps) -> Iterator[AtomicsNest]:
    """Each scatter; what copies the old elements is a nest before it."""
    for op in kernel.ops:
        if isinstance(op, ScatterOp):
            map_ = AffineMap.identity(len(op.loop_sizes))
            yield AtomicsNest(
                (Generic(op, (), (op.target,), (map_,), op.loop_sizes, ()),), op
            )


def plan(nest: AtomicsNest, family: str, target: TargetAttr) -> Decision:
    """A block of the updates for each program."""
    schedule = BlockAtomicsSchedule(size=SIZE, warps=4)
    why = f"{nest.count} updates, combined in any order"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: AtomicsNest, schedule: BlockAtomicsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a scatter."""
    element = memref_of(nest.op.target).element_type
    if nest.kind is None or element not in (i32, i64, f32):
        return "no atomic combines these elements"
    if element == f32 and (nest.kind != "add" or target.precision.data != "fast"):
        return "sums of floats depend on the order: only precision 'fast' allows any"
    return size_problem(schedule.size, grid=(ceil_div(nest.count, schedule.size),))
