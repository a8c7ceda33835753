"""Tokens and embeddings: steps as formulas of `nn` ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of
from devproc.dialects.pipe import text
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


def _pad_tokens(op: text.PadTokensOp, e: Expressions) -> Sequence[SSAValue]:
    x, length = e.of(op.operand), int_of(op.length)
    kept = min(x.shape[-1], length)
    none, more = [0] * (len(x.shape) - 1), length - kept
    low, high = (0, more) if op.side.data == "right" else (more, 0)
    x = x.part(-1, 0, kept)
    return [x.pad([*none, low], [*none, high], int_of(op.value)).ssa]


def _attention_mask(op: text.AttentionMaskOp, e: Expressions) -> Sequence[SSAValue]:
    padding = e.of(op.operand).equal(int_of(op.pad_id))
    return [e.where(padding, 0, e.constant(1, "int64")).ssa]


def _mean_pool(op: text.MeanPoolOp, e: Expressions) -> Sequence[SSAValue]:
    x, mask = e.of(op.operand), e.of(op.mask)
    weight = mask.cast(x.dtype).reshape(*mask.shape, 1)
    return [((x * weight).sum(1) / e.maximum(weight.sum(1), 1e-9)).ssa]


def _cls_pool(op: text.ClsPoolOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    batch, _, size = x.shape
    return [x.part(1, 0, 1).reshape(batch, size).ssa]


def _unit(x: Expression, axis: int) -> Expression:
    norm = (x * x).sum(axis, keep=True).sqrt()
    return x / x.maker.maximum(norm, 1e-12)


def _l2_normalize(op: text.L2NormalizeOp, e: Expressions) -> Sequence[SSAValue]:
    return [_unit(e.of(op.operand), int_of(op.axis)).ssa]


def _cosine_similarity(
    op: text.CosineSimilarityOp, e: Expressions
) -> Sequence[SSAValue]:
    lhs, rhs = (_unit(e.of(x), 1) for x in (op.lhs, op.rhs))
    return [lhs.matmul(rhs.transpose(1, 0)).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    text.AttentionMaskOp: _attention_mask,
    text.ClsPoolOp: _cls_pool,
    text.CosineSimilarityOp: _cosine_similarity,
    text.L2NormalizeOp: _l2_normalize,
    text.MeanPoolOp: _mean_pool,
    text.PadTokensOp: _pad_tokens,
}
"""op class -> its lowering."""
