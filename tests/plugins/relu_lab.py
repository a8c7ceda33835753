"""A package of somebody else's with a pass: its entry point is made by the test."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.pointwise import AbsOp, ReluOp
from devproc.ir.text.location import replace_op
from devproc.plugins import PassPlugin


class ReluToAbs(RewritePattern):
    """Another function, so that a test sees by the values that the pass has run."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReluOp, rewriter: PatternRewriter) -> None:
        replace_op(rewriter, op, AbsOp.build_op([op.operands[0]]))


@dataclass(frozen=True)
class ReluToAbsPass(ModulePass):
    """Puts `nn.abs` in the place of `nn.relu`."""

    name = "relu-to-abs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(ReluToAbs()).rewrite_module(op)


RELU_TO_ABS = PassPlugin(ReluToAbsPass, stage="tensor", after="canonicalize")
