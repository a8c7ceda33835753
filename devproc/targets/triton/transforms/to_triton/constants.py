"""Blocks and scalars that are known numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from devproc.targets.triton import dialect as triton


def constant_value(value: SSAValue) -> float | int | None:
    """The constant value of an SSA value, or None."""
    owner = value.owner
    if isinstance(owner, triton.SplatOp | triton.BroadcastOp):
        return constant_value(owner.source)
    if isinstance(owner, arith.ConstantOp) and isinstance(
        owner.value, IntegerAttr | FloatAttr
    ):
        return owner.value.value.data
    return None


def without_effect(
    op_type: type[Operation], operands: Sequence[SSAValue]
) -> SSAValue | None:
    """The operand that the result of integer arithmetic equals, where one is 0 or 1."""
    if op_type not in (arith.AddiOp, arith.SubiOp, arith.MuliOp):
        return None
    a, b = operands
    x, y = constant_value(a), constant_value(b)
    if op_type is arith.MuliOp:
        if x == 0 or y == 1:
            return a
        return b if y == 0 or x == 1 else None
    if y == 0:
        return a
    return b if x == 0 and op_type is arith.AddiOp else None


def is_zero(value: SSAValue) -> bool:
    """Whether a value is 0, or a block of it, as a masked load gives; not -0."""
    known = constant_value(value)
    return known == 0 and copysign(1, known) == 1
