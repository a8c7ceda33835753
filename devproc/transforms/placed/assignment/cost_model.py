"""The cost of an op on a device, and of a copy: time from operations and bytes.

A roofline model with a fixed overhead per launch, from the descriptions of the backends;
a backend may have a model of its own (`Backend.cost`). It only has to rank devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from devproc.backend import Description
from devproc.backend.installed import backend
from devproc.dialects.dev import TargetAttr, byte_size
from devproc.dialects.nn.loop import LoopOp
from devproc.ir.types import dtype_name, tensor_of
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.facets.tables import COST, rule_of

FUSED_SHARE = 0.25
"""Share of a launch charged to a pointwise op: most are fused with a neighbour."""


@dataclass(frozen=True)
class Work:
    """The work of an op: operations, and bytes that it accesses."""

    flops: int
    byte_count: int

    def __str__(self) -> str:
        return f"{si(self.flops)}FLOP, {si(self.byte_count)}B"


def work_of(op: Operation) -> Work:
    """The work of an `nn` op."""
    cost = cost_of(op)
    if cost.is_free:
        return Work(0, 0)
    if isinstance(op, LoopOp):
        parts = [work_of(child) for child in computed_in(op)]
        return Work(
            op.step_count * sum(part.flops for part in parts),
            op.step_count * sum(part.byte_count for part in parts),
        )
    values = (*dict.fromkeys(op.operands), *op.results)
    byte_count = sum(byte_size(value.type) for value in values)
    return Work(cost.flops_of(op), byte_count)


def cost_of(op: Operation) -> Cost:
    """The cost rule of an op; an op without one, such as a user's, is pointwise."""
    return rule_of(COST, op) or Cost()


def computed_in(op: LoopOp) -> list[Operation]:
    """The ops of a loop body that have a cost."""
    return [child for child in op.body.block.ops if child.operands and child.results]


@dataclass
class CostModel:
    """Times on the devices of a compilation, in microseconds."""

    target: TargetAttr

    def __post_init__(self) -> None:
        self._described: dict[str, Description] = {}

    def described(self, device: str) -> Description:
        """The description of a device, under the options of the compilation."""
        if device not in self._described:
            self._described[device] = backend(device).describe(self.target)
        return self._described[device]

    def op_time(self, op: Operation, device: str) -> float:
        """The time of an op by itself."""
        own = backend(device).cost([op], self.target)
        if own is not None:
            return 1e6 * own
        cost = cost_of(op)
        if cost.is_free:
            return 0.0
        if isinstance(op, LoopOp):
            step = sum(self.op_time(child, device) for child in computed_in(op))
            return op.step_count * step
        share = 1.0 if cost.is_anchor else FUSED_SHARE
        busy = self._busy(device, [op], work_of(op).byte_count)
        return 1e6 * (self.described(device).launch_seconds * share + busy)

    def composite_time(self, ops: Sequence[Operation], device: str) -> float:
        """The time of several ops as a whole: one launch, no traffic of values between."""
        own = backend(device).cost(ops, self.target)
        if own is not None:
            return 1e6 * own
        members = set(ops)
        read = (v for op in ops for v in op.operands if v.owner not in members)
        values = (*dict.fromkeys(read), *ops[-1].results)
        busy = self._busy(device, ops, sum(byte_size(value.type) for value in values))
        return 1e6 * (self.described(device).launch_seconds + busy)

    def _busy(self, device: str, ops: Sequence[Operation], byte_count: int) -> float:
        """Seconds of the arithmetic or of the traffic, whichever is longer."""
        described, efficiency = self.described(device), backend(device).efficiency
        arithmetic = sum(
            work_of(op).flops / (described.rate(_dtype_of(op)) * efficiency(op))
            for op in ops
        )
        return max(arithmetic, byte_count / described.memories[0].bytes_per_second)

    def copy_time(self, byte_count: int, device: str) -> float:
        """The time of a copy between the host and a device."""
        link = self.described(device).link
        if link is None:
            return 0.0
        return 1e6 * (link.seconds + byte_count / link.bytes_per_second)


def _dtype_of(op: Operation) -> str:
    return dtype_name(tensor_of(op.results[0]).element_type)


def si(number: float) -> str:
    """A number with three digits and its decimal prefix: `1.23 M`."""
    for unit, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= scale:
            return f"{number / scale:.3g} {unit}"
    return f"{number:.3g} "
