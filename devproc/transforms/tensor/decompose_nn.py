"""Decomposes composite `nn` ops into primitive ones.

The tables of `decompositions/` define the formulas; the remaining ops are the
primitives that `convert-nn-to-linalg` lowers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker
from xdsl.rewriter import InsertPoint, Rewriter

from devproc import extension
from devproc.extension import custom_op_of
from devproc.ir.text.location import copy_location_between, part_of
from devproc.transforms.tensor.decompositions import (
    activations,
    attention,
    image,
    normalization,
    reduction,
)

DECOMPOSITIONS = {
    **activations.DECOMPOSITIONS,
    **attention.DECOMPOSITIONS,
    **image.DECOMPOSITIONS,
    **normalization.DECOMPOSITIONS,
    **reduction.DECOMPOSITIONS,
}
"""op class -> its decomposition."""


def decompose(op: Operation, keep: tuple[str, ...]) -> None:
    """Replace an op by its decomposition, recursively."""
    custom = custom_op_of(type(op))
    rule = DECOMPOSITIONS.get(type(op)) if custom is None else custom.decomposition
    if rule is None or op.name in keep:
        return
    before = op.prev_op
    results = rule(op, Builder(InsertPoint.before(op)))
    if results is None:
        return
    op.location = part_of(op)
    copy_location_between(before, op)
    made: list[Operation] = []
    last = op.prev_op
    while last is not None and last is not before:
        made.append(last)
        last = last.prev_op
    for old, new in zip(op.results, results, strict=True):
        # Added in reverse, the uses keep their order, on which other passes depend.
        for use in reversed(tuple(old.uses)):
            use.operation.operands[use.index] = new
    Rewriter.replace_op(op, [], results)
    for other in reversed(made):
        decompose(other, keep)


@dataclass(frozen=True)
class DecomposeNnPass(ModulePass):
    """Replace composed `nn` ops by primitive ones.

    Few primitives keep code generation small: a softmax is two reductions and three
    elementwise ops, which fusion combines into one kernel. The parts keep the name of
    the op in their locations, for placement by name. `keep` excludes some ops, for a
    device that implements them as a whole.

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

    keep: tuple[str, ...] = ()
    """Names of ops that are not decomposed."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = extension.patterns()
        if patterns:
            # Before any op is decomposed that a pattern may match.
            applier = GreedyRewritePatternApplier(patterns, dce_enabled=False)
            PatternRewriteWalker(applier).rewrite_module(op)
        for inner in list(op.walk()):
            decompose(inner, self.keep)
