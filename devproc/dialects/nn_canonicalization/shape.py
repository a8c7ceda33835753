"""Simplifications of ops that only move elements."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.shape import (
    ConcatOp,
    ExpandOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.dialects.nn_canonicalization.folding import constant_array, constant_of
from devproc.ir.text.location import replace_op
from devproc.ir.types import tensor_of


class DropIdentity(RewritePattern):
    """An identity: a reshape to the same shape, a transpose by the identity, a pad by
    zero, a slice of the whole tensor, a concatenation of one tensor."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, TransposeOp):
            order = ints(op.permutation)
            moves = order != tuple(range(len(order)))
        elif isinstance(op, SliceOp):
            moves = any(ints(op.start)) or op.operand.type != op.result.type
        elif isinstance(op, ConcatOp):
            moves = len(op.parts) > 1
        else:
            moves = op.operands[0].type != op.results[0].type
        if not moves:
            rewriter.replace(op, [], [op.operands[0]])


class MergeReshapes(RewritePattern):
    """A reshape of a reshape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(inner := op.operand.owner, ReshapeOp):
            replace_op(rewriter, op, ReshapeOp.to(inner.operand, ints(op.shape)))


class MergeTransposes(RewritePattern):
    """A transpose of a transpose."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(inner := op.operand.owner, TransposeOp):
            first = ints(inner.permutation)
            order = [first[d] for d in ints(op.permutation)]
            replace_op(rewriter, op, TransposeOp.by(inner.operand, order))


class TransposeToReshape(RewritePattern):
    """A transpose that moves only dimensions of size 1 moves no element."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        shape = tensor_of(op.operand).get_shape()
        order = [d for d in ints(op.permutation) if shape[d] != 1]
        if order == sorted(order):
            result = tensor_of(op.result).get_shape()
            replace_op(rewriter, op, ReshapeOp.to(op.operand, result))


class MergeExpands(RewritePattern):
    """An expand of an expand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExpandOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(inner := op.operand.owner, ExpandOp):
            replace_op(rewriter, op, ExpandOp.to(inner.operand, ints(op.shape)))


class MergeSlices(RewritePattern):
    """A slice of a slice."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SliceOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(inner := op.operand.owner, SliceOp):
            places = zip(
                *(ints(v) for v in (op.start, inner.start, op.step, inner.step)),
                strict=True,
            )
            starts, steps = zip(
                *((b + a * t, s * t) for a, b, s, t in places), strict=True
            )
            new = SliceOp.of(inner.operand, starts, ints(op.size), steps)
            replace_op(rewriter, op, new)


class MergePads(RewritePattern):
    """A pad of a pad."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PadOp, rewriter: PatternRewriter, /) -> None:
        inner = op.operand.owner
        if isinstance(inner, PadOp) and inner.value is op.value:
            low, high = (
                [a + b for a, b in zip(ints(x), ints(y), strict=True)]
                for x, y in ((op.low, inner.low), (op.high, inner.high))
            )
            replace_op(rewriter, op, PadOp.around(inner.operand, low, high, op.value))


class FoldConstant(RewritePattern):
    """The reshape or transpose of a constant."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: ReshapeOp | TransposeOp, rewriter: PatternRewriter, /
    ) -> None:
        array = constant_array(op.operand)
        if array is None:
            return
        if isinstance(op, TransposeOp):
            array = np.transpose(array, ints(op.permutation))
        constant = constant_of(array, tensor_of(op.result))
        if constant is not None:
            replace_op(rewriter, op, constant)


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    ConcatOp: (DropIdentity(),),
    ExpandOp: (DropIdentity(), MergeExpands()),
    PadOp: (DropIdentity(), MergePads()),
    ReshapeOp: (DropIdentity(), MergeReshapes(), FoldConstant()),
    SliceOp: (DropIdentity(), MergeSlices()),
    TransposeOp: (
        DropIdentity(),
        MergeTransposes(),
        TransposeToReshape(),
        FoldConstant(),
    ),
}
"""op class -> its patterns."""
