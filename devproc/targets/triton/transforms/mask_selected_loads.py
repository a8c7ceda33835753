"""Masks the loads of a select, so that each reads only where it is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import shape_of
from devproc.targets.triton.transforms.block_masks import Insertion
from devproc.targets.triton.transforms.index_ranges import (
    Conditions,
    Unclamping,
    is_of_indices,
)
from devproc.targets.triton.transforms.to_triton.constants import is_zero


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
    if is_zero(select.rhs) and is_zero_where_masked(select.lhs):
        Rewriter.replace_op(select, [], [select.lhs])
        return
    select.operands[0] = Insertion(select).condition(select.condition, True)


def is_zero_where_masked(value: SSAValue) -> bool:
    """Whether a value is that of a masked load with zeros elsewhere, or a cast of it."""
    op = value.owner
    if isinstance(op, triton.CastOp):
        return is_zero_where_masked(op.source)
    return isinstance(op, triton.LoadOp) and op.other is not None and is_zero(op.other)


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
    mask = insert.conjunction(conditions)
    other = load.other or insert.filled(0, load.result.type)
    new = triton.LoadOp.build(
        operands=[insert.address(pointer, offset), [mask], [other]],
        result_types=[load.result.type],
    )
    value = insert.op(new)
    value.name_hint = load.result.name_hint
    Rewriter.replace_op(load, [], [value])
    return True


def unclamp(load: triton.LoadOp) -> None:
    """Drop the bounds of a load's indices that its mask implies, or a select of them."""
    pointer = load.pointer.owner
    if not isinstance(pointer, triton.AddPtrOp):
        return
    conditions = () if load.mask is None else ((load.mask, True),)
    offset = Unclamping(load).of(pointer.offset, conditions)
    if offset is not pointer.offset:
        load.operands[0] = Insertion(load).address(pointer, offset)


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
