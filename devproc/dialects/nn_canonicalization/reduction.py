"""Simplifications of reductions."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.reduction import ReduceMaxOp, ReduceProdOp, ReduceSumOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp, TransposeOp
from devproc.ir.text.location import replace_op
from devproc.ir.types import tensor, tensor_of


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


class ReduceBeforeTranspose(RewritePattern):
    """A reduction of a transpose, or of its cast, that nothing else reads, if the other
    dimensions stay in their order."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: ReduceMaxOp | ReduceProdOp | ReduceSumOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        cast = op.operand.owner
        moved = cast.operand if isinstance(cast, CastOp) else op.operand
        inner = moved.owner
        if not isinstance(inner, TransposeOp):
            return
        if not (op.operand.has_one_use() and moved.has_one_use()):
            return
        order, axes = ints(inner.permutation), ints(op.axes)
        kept = [d for place, d in enumerate(order) if place not in axes]
        if kept != sorted(kept):
            return
        new: list[Operation] = []
        value: SSAValue = inner.operand
        if isinstance(cast, CastOp):
            new.append(CastOp.to(value, cast.dtype))
            value = new[0].results[0]
        new.append(type(op).over(value, [order[a] for a in axes], keep=False))
        shape = tensor_of(op.result).get_shape()
        replace_op(rewriter, op, [*new, ReshapeOp.to(new[-1].results[0], shape)])


class ReduceMaxToReshape(RewritePattern):
    """The maximum of one element. The sum is not folded: 0 + -0.0 is 0.0."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReduceMaxOp, rewriter: PatternRewriter, /) -> None:
        shape = tensor_of(op.operand).get_shape()
        if all(shape[axis] == 1 for axis in ints(op.axes)):
            result = tensor_of(op.result).get_shape()
            replace_op(rewriter, op, ReshapeOp.to(op.operand, result))


class FoldEmptyReduction(RewritePattern):
    """An empty sum is 0, an empty product 1. GPUs have no schedule for empty rows."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: ReduceProdOp | ReduceSumOp, rewriter: PatternRewriter, /
    ) -> None:
        result = tensor_of(op.result)
        if tensor_of(op.operand).element_count() or not result.element_count():
            return
        number = int(isinstance(op, ReduceProdOp))
        one = ConstantOp.of(tensor(result.element_type, ()), [number])
        if result.get_shape():
            replace_op(rewriter, op, [one, ExpandOp.to(one.result, result.get_shape())])
        else:
            replace_op(rewriter, op, one)


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    ReduceMaxOp: (DropReduction(), ReduceBeforeTranspose(), ReduceMaxToReshape()),
    ReduceProdOp: (DropReduction(), ReduceBeforeTranspose(), FoldEmptyReduction()),
    ReduceSumOp: (DropReduction(), ReduceBeforeTranspose(), FoldEmptyReduction()),
}
"""op class -> its patterns."""
