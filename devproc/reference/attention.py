"""Reference of attention."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.nn.attention import AttentionOp, CachedAttentionOp
from devproc.dialects.nn.base import int_of, ints


def _attention(
    op: AttentionOp,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
) -> tuple[Tensor, ...]:
    scores = _scores(op, query, key, mask)
    if op.band is not None:
        low, high = ints(op.band)
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(high).triu(low)
        scores = scores.masked_fill(~seen, float("-inf"))
    return (_weighted(op, scores, value, query.dtype),)


def _cached_attention(
    op: CachedAttentionOp,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    last: Tensor,
    *others: Tensor,
) -> tuple[Tensor, ...]:
    scales, masks = others[: len(op.scales)], others[len(op.scales) :]
    if scales:
        key, value = (x * s for x, s in zip((key, value), scales, strict=True))
    mask = masks[0] if masks else None
    place = torch.arange(key.shape[-2])
    seen = place <= last[..., None]
    if op.window is not None:
        seen = seen & (place > last[..., None] - int_of(op.window))
    softcap = None if op.softcap is None else op.softcap.value.data
    scores = _scores(op, query, key, mask, softcap).masked_fill(~seen, float("-inf"))
    # What no query sees is not read: zero times NaN is not zero.
    used = seen.any(-2)[..., None] if seen.dim() > 1 else seen[:, None]
    return (_weighted(op, scores, torch.where(used, value, 0), query.dtype),)


def _scores(
    op: AttentionOp | CachedAttentionOp,
    query: Tensor,
    key: Tensor,
    mask: Tensor | None,
    softcap: float | None = None,
) -> Tensor:
    # Half precision is rounded once, at the end.
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = query.to(wide) @ key.to(wide).transpose(-1, -2) * op.scale.value.data
    if softcap is not None:
        scores = (scores / softcap).tanh() * softcap
    if mask is not None and mask.dtype == torch.bool:
        return scores.masked_fill(~mask, float("-inf"))
    return scores if mask is None else scores + mask


def _weighted(
    op: AttentionOp | CachedAttentionOp,
    scores: Tensor,
    value: Tensor,
    dtype: torch.dtype,
) -> Tensor:
    weights = scores.softmax(-1)
    if int_of(op.empty):
        weights = torch.where((scores == float("-inf")).all(-1, True), 0.0, weights)
    return (weights @ value.to(weights.dtype)).to(dtype)


REFERENCE = {AttentionOp: _attention, CachedAttentionOp: _cached_attention}
"""op class -> function of the op and its operands."""
