"""Plans fills that skip the interior of a buffer: the lanes of their vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, i1
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Choice, Decision, KernelOps
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PaddingSchedule
from devproc.ir.types import AnyMemRef
from devproc.targets.cpu.algorithms.vectors.match import parallel_ops
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import lanes_of, lanes_problem
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.transforms.buffers.memory import INSIDE


@dataclass(frozen=True)
class Padding:
    """A fill around an interior, given by its first index and size in each
    dimension."""

    fill: FillOp
    box: list[tuple[int, int]]

    @property
    def ops(self) -> list[Operation]:
        """The ops of the nest."""
        return [self.fill]

    @property
    def target(self) -> SSAValue:
        """The buffer that is filled."""
        return self.fill.outputs[0]

    @property
    def type(self) -> AnyMemRef:
        """Its type."""
        return memref_of(self.target)


def box_of(fill: FillOp) -> list[tuple[int, int]] | None:
    """The first index and size of the interior in each dimension; None without one."""
    box = fill.attributes.get(INSIDE)
    if box is None:
        return None
    rows = cast(ArrayAttr[ArrayAttr[IntAttr]], box)
    return [(first.data, size.data) for first, size in rows]


def match(kernel: KernelOps) -> Iterator[Padding]:
    """The fills of a kernel that skip an interior."""
    if not any(INSIDE in op.attributes for op in kernel.ops):
        return
    for op in parallel_ops(kernel):
        box = box_of(op) if isinstance(op, FillOp) else None
        if box is not None and memref_of(op.operands[1]).element_type != i1:
            yield Padding(cast(FillOp, op), box)


def plan(padding: Padding, family: str, target: TargetAttr) -> Decision:
    """The schedule of any such fill: one register at a time."""
    whole, inside = prod(padding.type.get_shape()), prod(s for _, s in padding.box)
    return Choice(
        PaddingSchedule(lanes=_register(padding, target)),
        f"{whole - inside} of {whole} elements lie around the box",
    )


def refuse(
    padding: Padding, schedule: PaddingSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a fill."""
    return lanes_problem(schedule.lanes, _register(padding, target))


def _register(padding: Padding, target: TargetAttr) -> int:
    return lanes_of(padding.type.element_type, machine_of(target).vector_bits.data)
