"""What a program needs at least: the largest sum of bytes that live at the same time.

Read off the buffers and the order of the launches alone; the plan's own numbers, and the
code that made them, play no part. A buffer takes whole cache lines.
"""

from __future__ import annotations

from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import FixedBitwidthType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from devproc.dialects import plan


def main_function(module: ModuleOp) -> FuncOp:
    """The host program."""
    return next(
        op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main"
    )


def _origin(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, plan.ViewOp):
        value = value.owner.source
    return value


def _bytes(value: SSAValue) -> int:
    type_ = cast(Any, value.type)
    element = type_.element_type
    size = element.size if isinstance(element, FixedBitwidthType) else 8
    count = prod(type_.get_shape()) * size
    return -(-count // plan.ALIGNMENT) * plan.ALIGNMENT


def live_bytes_of(module: ModuleOp) -> int:
    """The bound for a program of launches on the CPU, planned or not."""
    uses: dict[SSAValue, list[int]] = {}
    steps = 0
    for op in main_function(module).body.block.ops:
        if not isinstance(op, plan.LaunchOp):
            continue
        for operand in op.operands:
            origin = _origin(operand)
            if not isinstance(origin.owner, plan.WeightOp) and not hasattr(
                origin.owner, "args"
            ):
                uses.setdefault(origin, []).append(steps)
        steps += 1
    change = [0] * (steps + 1)
    for value, numbers in uses.items():
        change[min(numbers)] += _bytes(value)
        change[max(numbers) + 1] -= _bytes(value)
    most = now = 0
    for difference in change:
        now += difference
        most = max(most, now)
    return most


def arena_bytes_of(module: ModuleOp) -> int:
    """The size of the arena of a planned program."""
    return sum(
        op.byte_count
        for op in main_function(module).body.block.ops
        if isinstance(op, plan.ArenaOp)
    )
