"""The attentions that fit the registers of a program."""

from __future__ import annotations

from xdsl.dialects.builtin import bf16, f16, f32
from xdsl.ir import Operation

from devproc.dialects.nn.attention import AttentionOp
from devproc.ir.types import tensor_of

LARGEST_HEAD = 256
"""Elements of a query, or of a value, that fit the registers of a program."""

LEAST_SCORES = 16
"""With fewer scores of a head, a product is not worth a program of its own."""


def fits(op: Operation) -> bool:
    """Whether the heads of an attention fit the registers of a program."""
    if not isinstance(op, AttentionOp):
        return False
    query, key, value = (tensor_of(v) for v in (op.query, op.key, op.value))
    if not all(tensor_of(v).element_count() for v in op.operands):
        return False
    queries, depth = query.get_shape()[-2:]
    return (
        query.element_type in (f32, f16, bf16)
        and max(depth, value.get_shape()[-1]) <= LARGEST_HEAD
        and queries * key.get_shape()[-2] >= LEAST_SCORES
    )
