"""The cost of an op on a device, and of a copy: time from FLOPs and bytes.

A roofline model with a fixed overhead per launch. It only has to rank devices, so its
constants are round numbers for current machines, not measurements of this one.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from devproc.dialects.dev import TargetAttr, byte_size
from devproc.dialects.nn.loop import LoopOp
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.facets.tables import COST, rule_of


@dataclass(frozen=True)
class Machine:
    """The parameters of a device in the model; times in microseconds."""

    flops_per_us: float
    bytes_per_us: float
    launch_us: float


CPU_FLOPS_PER_BIT = 128.0
"""FLOP per microsecond, thread and bit of vector width: 65 GFLOP/s for 512 bits."""

CPU_THREAD_BYTES, CPU_BYTES = 12_000.0, 40_000.0
"""Bytes per microsecond from main memory: per thread, and in total."""

CPU_LAUNCH_US = 0.1
"""Overhead of a call inside a native segment, in microseconds."""

CUDA = Machine(flops_per_us=40e6, bytes_per_us=3e6, launch_us=8.0)
"""A data-centre GPU in float32; a launch through Triton's launcher."""

COPY_LATENCY_US, COPY_BYTES_PER_US = 10.0, 20_000.0
"""A copy over PCIe from or to pageable memory, including its share of the sync."""

FUSED_SHARE = 0.25
"""Share of a launch charged to a pointwise op: most are fused with a neighbour."""


def machine_of(device: str, target: TargetAttr) -> Machine:
    """The parameters of a device of the target."""
    if device == "cuda":
        return CUDA
    threads = target.threads.data
    return Machine(
        flops_per_us=CPU_FLOPS_PER_BIT * target.vector_bits.data * threads,
        bytes_per_us=min(CPU_THREAD_BYTES * threads, CPU_BYTES),
        launch_us=CPU_LAUNCH_US,
    )


@dataclass(frozen=True)
class Work:
    """The work of an op: operations, and bytes that it accesses."""

    flops: int
    byte_count: int

    def __str__(self) -> str:
        return f"{si(self.flops)}FLOP, {si(self.byte_count)}B"


def work_of(op: Operation, device: str = "cpu") -> Work:
    """The work of an `nn` op."""
    cost = cost_of(op)
    if cost.is_free:
        return Work(0, 0)
    if isinstance(op, LoopOp):
        parts = [work_of(child, device) for child in computed_in(op)]
        return Work(
            op.step_count * sum(part.flops for part in parts),
            op.step_count * sum(part.byte_count for part in parts),
        )
    values = (*dict.fromkeys(op.operands), *op.results)
    byte_count = sum(byte_size(value.type) for value in values)
    return Work(cost.flops_of(op, device), byte_count)


def cost_of(op: Operation) -> Cost:
    """The cost rule of an op; an op without one, such as a user's, is pointwise."""
    return rule_of(COST, op) or Cost()


def computed_in(op: LoopOp) -> list[Operation]:
    """The ops of a loop body that have a cost."""
    return [child for child in op.body.block.ops if child.operands and child.results]


def op_time(op: Operation, device: str, target: TargetAttr) -> float:
    """Microseconds of an op on a device."""
    cost = cost_of(op)
    if cost.is_free:
        return 0.0
    if isinstance(op, LoopOp):
        step = sum(op_time(child, device, target) for child in computed_in(op))
        return op.step_count * step
    machine, work = machine_of(device, target), work_of(op, device)
    rate = machine.flops_per_us * cost.efficiency.get(device, 0.5)
    share = 1.0 if cost.is_anchor else FUSED_SHARE
    busy = max(work.flops / rate, work.byte_count / machine.bytes_per_us)
    return machine.launch_us * share + busy


def copy_time(byte_count: int) -> float:
    """Microseconds of a copy between host and device."""
    return COPY_LATENCY_US + byte_count / COPY_BYTES_PER_US


def si(number: float) -> str:
    """A number with three digits and its decimal prefix: `1.23 M`."""
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= scale:
            return f"{number / scale:.3g} {unit}"
    return f"{number:.3g} "
