"""Simplifications of reductions."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.reduction import ReduceMaxOp, ReduceProdOp, ReduceSumOp
from devproc.dialects.nn.shape import ReshapeOp
from devproc.ir.location import replace_op
from devproc.ir.types import tensor_of


class DropReduction(RewritePattern):
    """A reduction over no axes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: ReduceMaxOp | ReduceProdOp | ReduceSumOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        if not ints(op.axes):
            rewriter.replace(op, [], [op.operand])


class ReduceMaxToReshape(RewritePattern):
    """The maximum of one element. Not the sum: 0 + -0.0 is 0.0."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReduceMaxOp, rewriter: PatternRewriter, /) -> None:
        shape = tensor_of(op.operand).get_shape()
        if all(shape[axis] == 1 for axis in ints(op.axes)):
            result = tensor_of(op.result).get_shape()
            replace_op(rewriter, op, ReshapeOp.to(op.operand, result))


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    ReduceMaxOp: (DropReduction(), ReduceMaxToReshape()),
    ReduceProdOp: (DropReduction(),),
    ReduceSumOp: (DropReduction(),),
}
"""op class -> its patterns."""
