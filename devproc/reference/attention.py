"""Reference of attention."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.base import int_of, ints


def _attention(
    op: AttentionOp,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
) -> tuple[Tensor, ...]:
    # Half precision is rounded once, at the end.
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = query.to(wide) @ key.to(wide).transpose(-1, -2) * op.scale.value.data
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, float("-inf"))
    elif mask is not None:
        scores = scores + mask
    if op.band is not None:
        low, high = ints(op.band)
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(high).triu(low)
        scores = scores.masked_fill(~seen, float("-inf"))
    weights = scores.softmax(-1)
    if int_of(op.empty):
        weights = torch.where((scores == float("-inf")).all(-1, True), 0.0, weights)
    return ((weights @ value.to(wide)).to(query.dtype),)


REFERENCE = {AttentionOp: _attention}
"""op class -> function of the op and its operands."""
