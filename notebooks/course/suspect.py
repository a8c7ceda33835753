"""A package with a pass, as someone might have written it; for lesson 15."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

from package import installed
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.pointwise import MulOp, ReluOp
from devproc.ir.text.location import replace_op
from devproc.plugins import PassPlugin


class SinkRelu(RewritePattern):
    """relu(x) * y -> relu(x * y), which puts the product next to the layer before it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MulOp, rewriter: PatternRewriter, /) -> None:
        relu = op.lhs.owner
        if isinstance(relu, ReluOp) and relu.result.has_one_use():
            product = MulOp.build_op([relu.operand, op.rhs])
            replace_op(rewriter, op, [product, ReluOp.build_op([product.result])])


@dataclass(frozen=True)
class ReorderPointwisePass(ModulePass):
    """Moves pointwise ops next to the products that they can be fused with."""

    name = "reorder-pointwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(SinkRelu()).rewrite_module(op)


PLUGIN = PassPlugin(ReorderPointwisePass, stage="tensor", after="bubble-up-slices")

NAME = ReorderPointwisePass.name


def install() -> AbstractContextManager[None]:
    """Installs the package for the time of a block."""
    return installed("devproc.passes", NAME, PLUGIN)
