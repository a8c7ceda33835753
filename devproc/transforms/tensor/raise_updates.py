"""Raises replaced parts of a state to scatters, which can write in place."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.dead_code_elimination import dce

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.gather import ScatterOp
from devproc.dialects.nn.shape import ConcatOp, TransposeOp
from devproc.ir.functions import function_named
from devproc.ir.program.state import state_name
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.nested_updates import (
    MergeNestedUpdates,
    RaiseUpdateWithoutAxes,
    is_of_state,
    replace,
    sliced_at,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions

MOST_REPLACED = 0.5
"""The largest share of an axis that a scatter writes, element by element; a concatenation
copies more than that faster."""


class RaiseReplacedPart(RewritePattern):
    """A concatenation that replaces a part of a state becomes a scatter.

    Before:

    ```mlir
    !state = tensor<8x4xf32>
    func.func @main(%u: tensor<1x4xf32>, %s: !state {dev.state = "s"}) -> (!state {dev.state = "s"}) {
      %a = nn.slice %s from [0, 0] size [3, 4] step [1, 1] : (!state) -> tensor<3x4xf32>
      %b = nn.slice %s from [4, 0] size [4, 4] step [1, 1] : (!state) -> tensor<4x4xf32>
      %r = nn.concat %a, %u, %b axis 0 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<4x4xf32>) -> !state
      func.return %r : !state
    }
    ```

    After:

    ```mlir
    !state = tensor<8x4xf32>
    func.func @main(%u: tensor<1x4xf32>, %s: !state {dev.state = "s"}) -> (!state {dev.state = "s"}) {
      %i = nn.constant dense<3> : tensor<1x1xi64> : tensor<1x1xi64>
      %r = nn.scatter %u into %s at %i axis 0 mode "set"
         : (tensor<1x4xf32>, !state, tensor<1x1xi64>) -> !state
      func.return %r : !state
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConcatOp, rewriter: PatternRewriter, /) -> None:
        axis, shape = int_of(op.axis), tensor_of(op.result).get_shape()
        base: SSAValue | None = None
        replaced: list[int] = []
        parts: list[SSAValue] = []
        at = 0
        for part in op.parts:
            size = tensor_of(part).get_shape()[axis]
            source = sliced_at(part, axis, at)
            if source is not None and (base is None or source is base):
                base = source
            else:
                replaced += range(at, at + size)
                parts.append(part)
            at += size
        few = len(replaced) <= MOST_REPLACED * shape[axis]
        pays = few or any(isinstance(part.owner, ScatterOp) for part in parts)
        if not pays or not 0 < len(replaced) <= ConstantOp.LIMIT:
            return
        if base is None or base.type != op.result.type or not is_of_state(base):
            return
        before, e = op.prev_op, Expressions(rewriter)
        line = [len(replaced) if d == axis else 1 for d in range(len(shape))]
        index = e.constant(replaced, "int64", line)
        updates = e.of(parts[0])
        if len(parts) > 1:
            updates = e.concat(list(map(e.of, parts)), axis)
        scatter = ScatterOp.into(base, index.ssa, updates.ssa, axis)
        replace(op, e.emit(scatter), before, rewriter)


class RaiseTransposedUpdate(RewritePattern):
    """A scatter into a transposed state becomes a transposed scatter into the state.

    Before:

    ```mlir
    !state = tensor<4x8xf32>
    func.func @main(%u: tensor<1x4xf32>, %i: tensor<1x1xi64>, %s: !state {dev.state = "s"})
        -> (!state {dev.state = "s"}) {
      %t = nn.transpose %s by [1, 0] : (!state) -> tensor<8x4xf32>
      %n = nn.scatter %u into %t at %i axis 0 mode "set"
         : (tensor<1x4xf32>, tensor<8x4xf32>, tensor<1x1xi64>) -> tensor<8x4xf32>
      %r = nn.transpose %n by [1, 0] : (tensor<8x4xf32>) -> !state
      func.return %r : !state
    }
    ```

    After:

    ```mlir
    !state = tensor<4x8xf32>
    func.func @main(%u: tensor<1x4xf32>, %i: tensor<1x1xi64>, %s: !state {dev.state = "s"})
        -> (!state {dev.state = "s"}) {
      %v = nn.transpose %u by [1, 0] : (tensor<1x4xf32>) -> tensor<4x1xf32>
      %j = nn.transpose %i by [1, 0] : (tensor<1x1xi64>) -> tensor<1x1xi64>
      %m = nn.scatter %v into %s at %j axis 1 mode "set"
         : (tensor<4x1xf32>, !state, tensor<1x1xi64>) -> !state
      %n = nn.transpose %m by [1, 0] : (!state) -> tensor<8x4xf32>
      %r = nn.transpose %n by [1, 0] : (tensor<8x4xf32>) -> !state
      func.return %r : !state
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScatterOp, rewriter: PatternRewriter, /) -> None:
        turned = op.operand.owner
        if not isinstance(turned, TransposeOp) or not is_of_state(turned.operand):
            return
        before, e = op.prev_op, Expressions(rewriter)
        order = ints(turned.permutation)
        back = [order.index(d) for d in range(len(order))]
        updates, index = (e.of(v).transpose(*back) for v in (op.updates, op.index))
        axis, mode = order[int_of(op.axis)], op.mode.data
        scatter = ScatterOp.into(turned.operand, index.ssa, updates.ssa, axis, mode)
        replace(op, e.emit(scatter).transpose(*order), before, rewriter)


PATTERNS = (
    RaiseReplacedPart(),
    RaiseTransposedUpdate(),
    RaiseUpdateWithoutAxes(),
    MergeNestedUpdates(),
)


@dataclass(frozen=True)
class RaiseUpdatesPass(ModulePass):
    """Raise partial updates of a state to scatters into the state itself.

    A scatter that writes into its operand in place (`update-in-place`) costs what it
    writes; a concatenation or a transposed copy of the state costs the whole state.
    """

    name = "raise-updates"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = function_named(op, "main")
        if main is None or not any(map(state_name, main.arg_attrs or ())):
            return
        patterns = GreedyRewritePatternApplier(list(PATTERNS))
        PatternRewriteWalker(patterns).rewrite_module(op)
        dce(op)
