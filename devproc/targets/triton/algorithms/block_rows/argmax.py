"""Recognise the body of an argmax or argmin: two accumulators, a value and its
index."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
)
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from devproc.targets.triton.transforms.to_triton.generic import Generic

KINDS = {"gt": "max", "lt": "min"}
"""The extreme that a strict comparison of the element with the best so far finds."""

MIRRORED = {"gt": "lt", "lt": "gt"}
"""The comparison with its operands swapped."""


@dataclass(frozen=True)
class ArgExtreme:
    """`(value, position)` of the largest or smallest element, the first one on a
    tie."""

    kind: str
    value: SSAValue
    position: SSAValue
    unsigned: bool


def match_arg_extreme(generic: Generic) -> ArgExtreme | None:
    """The argmax or argmin that a body with two outputs computes, else None.

    The form: both outputs are selected by one condition, which holds where the element
    is strictly beyond the best so far (or is the first NaN).
    """
    last = generic.block.last_op
    assert last is not None
    if len(last.operands) != 2:
        return None
    best, best_at = generic.block.args[len(generic.inputs) :]
    first, second = (_chosen(value) for value in last.operands)
    if first is None or second is None:
        return None
    condition, value, old = first
    condition_at, position, old_at = second
    if condition is not condition_at or old is not best or old_at is not best_at:
        return None
    if not isinstance(position.type, IntegerType):
        return None
    for op in _ancestors(condition):
        predicate = _predicate(op, value, best)
        if predicate[1:] in KINDS:
            integers = isinstance(value.type, IntegerType)
            unsigned = integers and predicate[0] == "u"
            return ArgExtreme(KINDS[predicate[1:]], value, position, unsigned)
    return None


def _chosen(value: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue] | None:
    """(condition, new, old) of `select condition, new, old`."""
    op = value.owner
    if not isinstance(op, arith.SelectOp) or not isinstance(op.rhs, BlockArgument):
        return None
    return op.cond, op.lhs, op.rhs


def _ancestors(value: SSAValue) -> list[Operation]:
    """The ops of the body that a value is computed from."""
    found: list[Operation] = []
    todo = [value]
    while todo:
        owner = todo.pop().owner
        if isinstance(owner, Operation) and owner not in found:
            found.append(owner)
            todo.extend(owner.operands)
    return found


def _predicate(op: Operation, value: SSAValue, best: SSAValue) -> str:
    """The predicate p such that an op computes `value p best`; empty if there is
    none."""
    if isinstance(op, arith.CmpfOp):
        predicate = CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    elif isinstance(op, arith.CmpiOp):
        predicate = CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    else:
        return ""
    if op.lhs is value and op.rhs is best:
        return predicate
    if op.lhs is best and op.rhs is value and predicate[1:] in MIRRORED:
        return predicate[0] + MIRRORED[predicate[1:]]
    return ""
