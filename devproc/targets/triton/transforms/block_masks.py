"""Inserts the masks of conditions of indices, and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.ir.text.location import copy_location
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import block_of, element_of, shape_of
from devproc.targets.triton.transforms.index_ranges import Conditions, range_of

INVERSE = {
    **{"eq": "ne", "slt": "sge", "sle": "sgt"},
    **{"ne": "eq", "sge": "slt", "sgt": "sle"},
}
"""Predicate of integers -> the predicate that holds where it does not."""


@dataclass
class Insertion:
    """Inserts ops before another, at its place in the source."""

    before: Operation

    def op(self, new: Operation) -> SSAValue:
        """The result of an op that is inserted."""
        copy_location(self.before, new)
        Rewriter.insert_op(new, InsertPoint.before(self.before))
        return new.results[0]

    def address(self, pointer: triton.AddPtrOp, offset: SSAValue) -> SSAValue:
        """The address at another offset from the same base."""
        operands, types = [pointer.pointer, offset], [pointer.result.type]
        return self.op(triton.AddPtrOp.build(operands=operands, result_types=types))

    def filled(self, number: float, type_: Attribute) -> SSAValue:
        """A block of one number."""
        element = element_of(type_)
        if isinstance(element, IntegerType):
            attribute = IntegerAttr(int(number), cast(IntegerType, element))
            scalar = self.op(arith.ConstantOp(attribute))
        else:
            rounded = FloatAttr(number, cast(AnyFloat, element))
            scalar = self.op(arith.ConstantOp(rounded))
        return self.op(triton.SplatOp.build(operands=[scalar], result_types=[type_]))

    def conjunction(self, conditions: Conditions) -> SSAValue:
        """Where all conditions hold; the outermost one first."""
        values = [self.condition(value, holds) for value, holds in conditions]
        result = values[0]
        for value in values[1:]:
            result = self.op(arith.AndIOp(result, value))
        return result

    def condition(self, value: SSAValue, holds: bool) -> SSAValue:
        """Where a condition holds, or does not."""
        op = value.owner
        if holds and isinstance(op, arith.AndIOp):
            both = self.condition(op.lhs, True), self.condition(op.rhs, True)
            return self.op(arith.AndIOp(both[0], both[1]))
        if holds:
            return self.within(op) or value
        if isinstance(op, triton.CompareOp) and op.predicate.data in INVERSE:
            new = op.clone()
            new.predicate = StringAttr(INVERSE[op.predicate.data])
            return self.op(new)
        true = self.filled(-1, value.type)
        return self.op(arith.XOrIOp(value, true))

    def within(self, op: Operation | Block) -> SSAValue | None:
        """Where an index is within the bounds that it is compared with after bounding it;
        None for another condition."""
        if not isinstance(op, triton.CompareOp) or op.predicate.data != "eq":
            return None
        least = op.lhs.owner
        if not isinstance(least, arith.MinSIOp):
            return None
        most = least.lhs.owner
        if not isinstance(most, arith.MaxSIOp) or most.lhs is not op.rhs:
            return None
        known, bounds = range_of(op.rhs, {}), range_of(op.lhs, {})
        found: list[SSAValue] = []
        if known.low < bounds.low:
            found.append(self.compared("sge", op.rhs, most.rhs))
        if known.high > bounds.high or not found:
            found.append(self.compared("sle", op.rhs, least.rhs))
        return (
            found[0] if len(found) == 1 else self.op(arith.AndIOp(found[0], found[1]))
        )

    def compared(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A comparison of indices."""
        compare = triton.CompareOp.build(
            operands=[lhs, rhs],
            properties={"predicate": StringAttr(predicate)},
            result_types=[block_of(i1, shape_of(lhs.type))],
        )
        return self.op(compare)
