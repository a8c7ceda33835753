"""The ranges of the indices of a block program: intervals, as in Cousot and Cousot, "Static
determination of dynamic properties of programs", 1976."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import shape_of

SHAPING = (triton.SplatOp, triton.BroadcastOp, triton.ExpandDimsOp)

INDEX_OPS = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.DivSIOp, arith.RemSIOp),
    *(arith.MinSIOp, arith.MaxSIOp, triton.WhereOp, *SHAPING),
)
"""Ops that make indices of indices."""

SOURCES = (arith.ConstantOp, triton.ArangeOp, triton.ProgramIdOp)

LOGIC = (triton.CompareOp, arith.AndIOp, arith.OrIOp)

Conditions: TypeAlias = tuple[tuple[SSAValue, bool], ...]
"""Blocks of bools, and what each is."""


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included."""

    low: float = -inf
    high: float = inf

    def __and__(self, other: Range) -> Range:
        return Range(max(self.low, other.low), min(self.high, other.high))


def is_of_indices(value: SSAValue) -> bool:
    """Whether a value depends on indices alone, not on memory or an argument."""
    op = value.owner
    if not isinstance(op, Operation):
        return False
    return isinstance(op, SOURCES) or (
        isinstance(op, (*INDEX_OPS, *LOGIC)) and all(map(is_of_indices, op.operands))
    )


def range_of(value: SSAValue, known: Mapping[SSAValue, Range]) -> Range:
    """The numbers that an index may be, if those in `known` are in their ranges."""
    return _computed(value, known) & known.get(value, Range())


def _computed(value: SSAValue, known: Mapping[SSAValue, Range]) -> Range:
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return Range(number.value.data, number.value.data)
        case triton.ArangeOp() as op:
            return Range(0, shape_of(op.result.type)[0] - 1)
        case triton.ProgramIdOp():
            return Range(0, inf)
        case triton.SplatOp() | triton.BroadcastOp() | triton.ExpandDimsOp() as op:
            return range_of(op.source, known)
        case triton.WhereOp() as op:
            a, b = range_of(op.lhs, known), range_of(op.rhs, known)
            return Range(min(a.low, b.low), max(a.high, b.high))
        case Operation() as op if isinstance(op, INDEX_OPS):
            a, b = (range_of(operand, known) for operand in op.operands)
            return _arithmetic(op, a, b)
        case _:
            return Range()


def _arithmetic(op: Operation, a: Range, b: Range) -> Range:
    match op:
        case arith.AddiOp():
            return Range(a.low + b.low, a.high + b.high)
        case arith.SubiOp():
            return Range(a.low - b.high, a.high - b.low)
        case arith.MinSIOp():
            return Range(min(a.low, b.low), min(a.high, b.high))
        case arith.MaxSIOp():
            return Range(max(a.low, b.low), max(a.high, b.high))
        case _:
            pass
    factor = b.low
    if a.low < 0 or b.high != factor or factor <= 0:
        return Range()
    match op:
        case arith.MuliOp():
            return Range(a.low * factor, a.high * factor)
        case arith.DivSIOp():
            return Range(a.low // factor, a.high if a.high == inf else a.high // factor)
        case _:
            return Range(0, min(a.high, factor - 1))


def ranges_where(conditions: Conditions) -> dict[SSAValue, Range]:
    """What conditions say of the indices that they compare."""
    known: dict[SSAValue, Range] = {}
    for condition, holds in conditions:
        _learn(condition.owner, holds, known)
    return known


def _learn(op: object, holds: bool, known: dict[SSAValue, Range]) -> None:
    if isinstance(op, arith.AndIOp if holds else arith.OrIOp):
        for operand in op.operands:
            _learn(operand.owner, holds, known)
    if not isinstance(op, triton.CompareOp):
        return
    bound, found = range_of(op.rhs, {}), Range()
    match op.predicate.data, holds:
        case ("sge", True) | ("slt", False):
            found = Range(low=bound.low)
        case ("sgt", True) | ("sle", False):
            found = Range(low=bound.low + 1)
        case ("slt", True) | ("sge", False):
            found = Range(high=bound.high - 1)
        case ("sle", True) | ("sgt", False):
            found = Range(high=bound.high)
        case ("eq", True):
            # An index that equals its bounded self is within the bounds.
            found = bound & range_of(op.lhs, {})
            known[op.rhs] = known.get(op.rhs, Range()) & found
        case _:
            return
    known[op.lhs] = known.get(op.lhs, Range()) & found


@dataclass
class Unclamping:
    """Makes indices without the bounds that conditions imply, before an op."""

    before: Operation
    made: dict[tuple[SSAValue, Conditions], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Conditions], SSAValue]
    )

    def of(self, value: SSAValue, conditions: Conditions) -> SSAValue:
        """The value, or an equal one where the conditions hold, of fewer ops."""
        key = value, conditions
        if key not in self.made:
            self.made[key] = self._unclamped(value, conditions)
        return self.made[key]

    def _unclamped(self, value: SSAValue, conditions: Conditions) -> SSAValue:
        op = value.owner
        if not isinstance(op, INDEX_OPS):
            return value
        if isinstance(op, arith.MinSIOp | arith.MaxSIOp):
            known = ranges_where(conditions)
            inner, bound = range_of(op.lhs, known), range_of(op.rhs, known)
            is_min = isinstance(op, arith.MinSIOp)
            if inner.high <= bound.low if is_min else inner.low >= bound.high:
                return self.of(op.lhs, conditions)
        given = [conditions] * len(op.operands)
        if isinstance(op, triton.WhereOp) and is_of_indices(op.condition):
            given[1] = (*conditions, (op.condition, True))
            given[2] = (*conditions, (op.condition, False))
        operands = [self.of(v, c) for v, c in zip(op.operands, given, strict=True)]
        if operands == list(op.operands):
            return value
        new = op.clone(dict(zip(op.operands, operands, strict=True)))
        # An op may read one value under two conditions.
        new.operands = operands
        Rewriter.insert_op(new, InsertPoint.before(self.before))
        return new.results[0]
