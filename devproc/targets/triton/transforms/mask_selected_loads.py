"""Masks the loads of a select, so that each reads only where it is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import copysign
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from devproc.ir.text.location import copy_location
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import block_of, element_of, shape_of
from devproc.targets.triton.transforms.index_ranges import (
    INDEX_OPS,
    Conditions,
    is_of_indices,
    range_of,
    ranges_where,
)

INVERSE = {
    **{"eq": "ne", "slt": "sge", "sle": "sgt"},
    **{"ne": "eq", "sge": "slt", "sgt": "sle"},
}
"""Predicate of integers -> the predicate that holds where it does not."""


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


def choices(
    value: SSAValue, conditions: Conditions = ()
) -> Iterator[tuple[Operation, Conditions]]:
    """The loads among which nested selects choose by index, each with the conditions under
    which it is chosen, and the ops in between, after those that they read."""
    op = value.owner
    if not isinstance(op, Operation) or value.uses.get_length() != 1:
        return
    if isinstance(op, triton.LoadOp):
        yield op, conditions
    elif _is_elementwise(op):
        for operand in op.operands:
            yield from choices(operand, conditions)
        yield op, conditions
    elif isinstance(op, triton.WhereOp) and is_of_indices(op.condition):
        yield from arms(op, conditions)
        yield op, conditions


def _is_elementwise(op: Operation) -> bool:
    """Whether an op computes each element of those at its place."""
    return op.has_trait(Pure) and (
        isinstance(op, triton.CastOp) or op.dialect_name() in ("arith", "math")
    )


def arms(
    op: triton.WhereOp, conditions: Conditions = ()
) -> Iterator[tuple[Operation, Conditions]]:
    """The `choices` of both values of a select."""
    yield from choices(op.lhs, (*conditions, (op.condition, True)))
    yield from choices(op.rhs, (*conditions, (op.condition, False)))


def mask_loads(select: triton.WhereOp) -> None:
    """Mask the loads that a select chooses from, where that drops bounds of indices."""
    found = [*arms(select)]
    if not can_move([op for op, _ in found], select):
        return
    indices, changed = Unclamping(select), False
    for op, conditions in found:
        if isinstance(op, triton.LoadOp):
            changed |= mask_load(op, conditions, indices)
    if not changed:
        return
    for op, _ in found:
        if op.parent_block() is not None:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(select))
    if is_zero(select.rhs) and not any(
        isinstance(op, triton.WhereOp) for op, _ in found
    ):
        Rewriter.replace_op(select, [], [select.lhs])
        return
    select.operands[0] = Insertion(select).condition(select.condition, True)


def is_zero(value: SSAValue) -> bool:
    """Whether a value is a block of 0, as a masked load gives."""
    splat = value.owner
    if not isinstance(splat, triton.SplatOp):
        return False
    match splat.source.owner:
        case arith.ConstantOp(value=FloatAttr() | IntegerAttr() as number):
            zero = number.value.data
            return zero == 0 and copysign(1, zero) == 1
        case _:
            return False


def can_move(ops: Sequence[Operation], place: Operation) -> bool:
    """Whether ops of a block can move to just before a later one: nothing in between
    writes memory."""
    left, op = set(ops), place.prev_op
    while op is not None and left:
        if not isinstance(op, triton.LoadOp) and not op.has_trait(Pure):
            return False
        left.discard(op)
        op = op.prev_op
    return not left


def mask_load(load: triton.LoadOp, conditions: Conditions, indices: Unclamping) -> bool:
    """Replace a load by one that accesses memory only where conditions hold; returns
    False if they imply no bound of its indices."""
    pointer = load.pointer.owner
    if not isinstance(pointer, triton.AddPtrOp) or not shape_of(load.pointer.type):
        return False
    if load.mask is not None:
        conditions = ((load.mask, True), *conditions)
    offset = indices.of(pointer.offset, conditions)
    if offset is pointer.offset:
        return False
    insert = Insertion(indices.before)
    address = triton.AddPtrOp.build(
        operands=[pointer.pointer, offset], result_types=[pointer.result.type]
    )
    mask = insert.conjunction(conditions)
    other = load.other or insert.filled(0, load.result.type)
    new = triton.LoadOp.build(
        operands=[insert.op(address), [mask], [other]],
        result_types=[load.result.type],
    )
    value = insert.op(new)
    value.name_hint = load.result.name_hint
    Rewriter.replace_op(load, [], [value])
    return True


@dataclass
class Insertion:
    """Inserts ops before another, at its place in the source."""

    before: Operation

    def op(self, new: Operation) -> SSAValue:
        """The result of an op that is inserted."""
        copy_location(self.before, new)
        Rewriter.insert_op(new, InsertPoint.before(self.before))
        return new.results[0]

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


def unclamp(load: triton.LoadOp) -> None:
    """Drop the bounds of a load's indices that its mask implies, or a select of them."""
    pointer = load.pointer.owner
    if not isinstance(pointer, triton.AddPtrOp):
        return
    conditions = () if load.mask is None else ((load.mask, True),)
    offset = Unclamping(load).of(pointer.offset, conditions)
    if offset is not pointer.offset:
        new = triton.AddPtrOp.build(
            operands=[pointer.pointer, offset], result_types=[pointer.result.type]
        )
        load.operands[0] = Insertion(load).op(new)


def _is_arm(select: triton.WhereOp) -> bool:
    """Whether a select is the value of another one, which masks its loads too."""
    uses = list(select.result.uses)
    return len(uses) == 1 and isinstance(uses[0].operation, triton.WhereOp)


@dataclass(frozen=True)
class MaskSelectedLoadsPass(ModulePass):
    """Masks the loads of a select, so that each reads only where it is chosen.

    A concatenation or padding loads from each operand, at indices that are bounded to its
    size, and selects. Bounded indices are not contiguous for Triton, which then loads
    element by element; and what is not chosen is read for nothing. Where the condition of
    a select depends on indices alone, it becomes the mask of the load, and bounds that it
    implies are dropped; so are those in arms of a select of indices.

    Before:
    ```mlir
    triton.func @concat(%a: !triton.ptr<f32>, %b: !triton.ptr<f32>, %y: !triton.ptr<f32>)
        attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
      %first = arith.constant 0 : i32
      %last = arith.constant 63 : i32
      %size = arith.constant 64 : i32
      %low = triton.splat %first : i32 -> tensor<128xi32>
      %high = triton.splat %last : i32 -> tensor<128xi32>
      %sizes = triton.splat %size : i32 -> tensor<128xi32>
      %i = triton.arange : tensor<128xi32>
      %0 = arith.maxsi %i, %low : tensor<128xi32>
      %1 = arith.minsi %0, %high : tensor<128xi32>
      %2 = triton.addptr %a, %1 : !triton.ptr<f32>, tensor<128xi32> -> tensor<128x!triton.ptr<f32>>
      %u = triton.load %2 : tensor<128x!triton.ptr<f32>> -> tensor<128xf32>
      %3 = arith.subi %i, %sizes : tensor<128xi32>
      %4 = arith.maxsi %3, %low : tensor<128xi32>
      %5 = arith.minsi %4, %high : tensor<128xi32>
      %6 = triton.addptr %b, %5 : !triton.ptr<f32>, tensor<128xi32> -> tensor<128x!triton.ptr<f32>>
      %v = triton.load %6 : tensor<128x!triton.ptr<f32>> -> tensor<128xf32>
      %is_v = triton.compare "sge" %i, %sizes : tensor<128xi32> -> tensor<128xi1>
      %w = triton.where %is_v, %v, %u : tensor<128xi1>, tensor<128xf32>
      %7 = triton.addptr %y, %i : !triton.ptr<f32>, tensor<128xi32> -> tensor<128x!triton.ptr<f32>>
      triton.store %7, %w : tensor<128x!triton.ptr<f32>>, tensor<128xf32>
      triton.return
    }
    ```

    After:
    ```mlir
    triton.func @concat(%a: !triton.ptr<f32>, %b: !triton.ptr<f32>, %y: !triton.ptr<f32>)
        attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
      %size = arith.constant 64 : i32
      %sizes = triton.splat %size : i32 -> tensor<128xi32>
      %i = triton.arange : tensor<128xi32>
      %0 = arith.subi %i, %sizes : tensor<128xi32>
      %is_v = triton.compare "sge" %i, %sizes : tensor<128xi32> -> tensor<128xi1>
      %1 = arith.constant 0.0 : f32
      %2 = triton.splat %1 : f32 -> tensor<128xf32>
      %3 = triton.addptr %b, %0 : !triton.ptr<f32>, tensor<128xi32> -> tensor<128x!triton.ptr<f32>>
      %v = triton.load %3 mask %is_v : tensor<128xi1> other %2 : tensor<128xf32>
        : tensor<128x!triton.ptr<f32>> -> tensor<128xf32>
      %is_u = triton.compare "slt" %i, %sizes : tensor<128xi32> -> tensor<128xi1>
      %4 = arith.constant 0.0 : f32
      %5 = triton.splat %4 : f32 -> tensor<128xf32>
      %6 = triton.addptr %a, %i : !triton.ptr<f32>, tensor<128xi32> -> tensor<128x!triton.ptr<f32>>
      %u = triton.load %6 mask %is_u : tensor<128xi1> other %5 : tensor<128xf32>
        : tensor<128x!triton.ptr<f32>> -> tensor<128xf32>
      %w = triton.where %is_v, %v, %u : tensor<128xi1>, tensor<128xf32>
      %7 = triton.addptr %y, %i : !triton.ptr<f32>, tensor<128xi32> -> tensor<128x!triton.ptr<f32>>
      triton.store %7, %w : tensor<128x!triton.ptr<f32>>, tensor<128xf32>
      triton.return
    }
    ```
    """

    name = "mask-selected-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, triton.FuncOp):
                for inner in list(function.walk()):
                    if isinstance(inner, triton.WhereOp) and not _is_arm(inner):
                        mask_loads(inner)
                for inner in list(function.walk()):
                    if isinstance(inner, triton.LoadOp):
                        unclamp(inner)
                for inner in reversed(list(function.walk())):
                    if is_trivially_dead(inner):
                        inner.detach()
                        inner.erase()
