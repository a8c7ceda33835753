"""Hoists computations on weights and constants to compile time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.verification.verify import PREPARE
from devproc.ir.weights.prepare import extend_prepare


def _constant_ops(block: Block) -> dict[Operation, None]:
    """Weights, constants, and the ops that depend only on them, in order."""
    found: dict[Operation, None] = {}
    for op in block.ops:
        if isinstance(op, WeightOp | ConstantOp) or (
            isinstance(op, NNOp)
            and all(isinstance(v, OpResult) and v.op in found for v in op.operands)
        ):
            found[op] = None
    return found


def _used_outside(ops: dict[Operation, None]) -> list[SSAValue]:
    """The computed values with uses in the rest of the program."""
    return [
        result
        for op in ops
        if not isinstance(op, WeightOp | ConstantOp)
        for result in op.results
        if any(use.operation not in ops for use in result.uses)
    ]


def _needed_for(values: list[SSAValue], ops: dict[Operation, None]) -> list[Operation]:
    """The ops that compute the values, in program order."""
    needed: set[Operation] = set()
    pending = [cast(OpResult, value).op for value in values]
    while pending:
        op = pending.pop()
        if op not in needed:
            needed.add(op)
            pending += [cast(OpResult, operand).op for operand in op.operands]
    return [op for op in ops if op in needed]


def _hoist(module: ModuleOp, block: Block) -> None:
    ops = _constant_ops(block)
    values = _used_outside(ops)
    if not values:
        return
    slice_ = _needed_for(values, ops)
    prepared = extend_prepare(module, slice_, values)
    for value, (key, digest) in zip(values, prepared, strict=True):
        owner = cast(OpResult, value).op
        weight = WeightOp(key, digest, value.type)
        weight.location = owner.location
        weight.result.name_hint = value.name_hint
        block.insert_op_before(weight, owner)
        value.replace_uses_with_if(weight.result, lambda use: use.operation not in ops)
    for op in reversed(slice_):
        if all(result.first_use is None for result in op.results):
            block.erase_op(op)


@dataclass(frozen=True)
class HoistConstantsPass(ModulePass):
    """Move ops that depend only on weights and constants to `@prepare`.

    The program reads their results as further weights: a folded batch norm, a
    transposed matrix, the tap table of a resize have no cost at run time. One walk
    rather than a pattern: all constant ops are added to `@prepare` at once.

    Before:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
      %w = nn.weight @w hash "1f" : tensor<4x3xf32>
      %t = nn.transpose %w by [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
      %y = nn.matmul %x, %t : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      func.return %y : tensor<2x4xf32>
    }
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
      %t = nn.weight @"prepare.0" hash "be945362a82aaec2" : tensor<3x4xf32>
      %y = nn.matmul %x, %t : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      func.return %y : tensor<2x4xf32>
    }
    func.func private @prepare() -> tensor<3x4xf32> {
      %w = nn.weight @w hash "1f" : tensor<4x3xf32>
      %t = nn.transpose %w by [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
      func.return %t : tensor<3x4xf32>
    }
    ```
    """

    name = "hoist-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.sym_name.data != PREPARE:
                for block in function.body.blocks:
                    _hoist(op, block)
