"""What is no block program, and what is one without being opened."""

from __future__ import annotations

from xdsl.dialects.builtin import bf16, f16, f32
from xdsl.ir import Operation

from devproc.dialects.nn.attention import AttentionOp, CachedAttentionOp
from devproc.ir.types import tensor_of

SEQUENTIAL = {
    "nn.nms": "each box depends on the boxes kept before it: no block program",
}
"""Name of an op -> why it is no block program."""

LARGEST_HEAD = 256
"""Elements of a query, or of a value, that fit the registers of a program."""


def fits(op: Operation) -> bool:
    """Whether the heads of an attention fit the registers of a program."""
    if not isinstance(op, AttentionOp | CachedAttentionOp):
        return False
    query, value = tensor_of(op.query), tensor_of(op.value)
    if not all(tensor_of(v).element_count() for v in op.operands):
        return False
    largest = max(query.get_shape()[-1], value.get_shape()[-1])
    stored = {tensor_of(v).element_type for v in (op.query, op.key, op.value)}
    return stored <= {f32, f16, bf16} and largest <= LARGEST_HEAD
