"""Ops that need no loops of their own become other `nn` ops.

The tables of `decompositions/` say how; what remains is the set of primitives that
`convert-nn-to-linalg` knows.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)

from devproc import extension
from devproc.extension import custom_op_of
from devproc.ir.text.location import copy_location_between
from devproc.transforms.tensor.decompositions import image, reduction

DECOMPOSITIONS = {**image.DECOMPOSITIONS, **reduction.DECOMPOSITIONS}
"""op class -> how it is made of others."""


class DecomposeOp(RewritePattern):
    """Replaces an op by what its table builds in front of it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        custom = custom_op_of(type(op))
        rule = DECOMPOSITIONS.get(type(op)) if custom is None else custom.decomposition
        if rule is None:
            return
        before = op.prev_op
        results = rule(op, rewriter)
        copy_location_between(before, op)
        rewriter.replace(op, [], results)


@dataclass(frozen=True)
class DecomposeNnPass(ModulePass):
    """Replace composed `nn` ops by primitive ones.

    Few primitives keep code generation small: a softmax is two reductions and three
    elementwise ops, which fusion makes one kernel again.

    Before:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = nn.softmax %x axis -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %y : tensor<2x3xf32>
    }
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = nn.reduce_max %x axes [1] keep 1 : (tensor<2x3xf32>) -> tensor<2x1xf32>
      %1 = nn.sub %x, %0 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      %2 = nn.exp %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %3 = nn.reduce_sum %2 axes [1] keep 1 : (tensor<2x3xf32>) -> tensor<2x1xf32>
      %4 = nn.div %2, %3 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      func.return %4 : tensor<2x3xf32>
    }
    ```
    """

    name = "decompose-nn"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = extension.patterns()
        if patterns:
            # Before anything is taken apart that a pattern may look for.
            applier = GreedyRewritePatternApplier(patterns, dce_enabled=False)
            PatternRewriteWalker(applier).rewrite_module(op)
        PatternRewriteWalker(DecomposeOp()).rewrite_module(op)
