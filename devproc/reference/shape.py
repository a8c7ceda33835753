"""Reference of the ops that move elements."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.shape import (
    ConcatOp,
    ExpandOp,
    PackOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.reference.base.meaning import unary
from devproc.reference.conversion.packers import PACKERS


def _pad(op: PadOp, operand: Tensor, value: Tensor | None = None) -> tuple[Tensor, ...]:
    padded = _zero_pad(operand, ints(op.low), ints(op.high))
    if value is None:
        return (padded,)
    # F.pad takes a Python float, which does not hold every int64.
    inside = torch.ones(operand.shape, dtype=torch.bool)
    inside = _zero_pad(inside, ints(op.low), ints(op.high))
    return (torch.where(inside, padded, value),)


def _zero_pad(value: Tensor, low: Sequence[int], high: Sequence[int]) -> Tensor:
    # PyTorch counts the padding from the last dimension.
    pairs = zip(reversed(low), reversed(high), strict=True)
    amounts = [amount for pair in pairs for amount in pair]
    return F.pad(value, amounts) if any(amounts) else value


def _slice(op: SliceOp, operand: Tensor) -> tuple[Tensor, ...]:
    # PyTorch has no negative steps: select by index, one axis after another.
    parts = zip(ints(op.start), ints(op.size), ints(op.step), strict=True)
    for axis, (start, size, step) in enumerate(parts):
        operand = operand.index_select(axis, start + step * torch.arange(size))
    return (operand.contiguous(),)


def _concat(op: ConcatOp, *parts: Tensor) -> tuple[Tensor, ...]:
    return (torch.cat(parts, int_of(op.axis)),)


def _pack(op: PackOp, *sources: Tensor) -> tuple[Tensor, ...]:
    return (PACKERS[type(op.layout)](op.layout, *sources),)


REFERENCE = {
    ConcatOp: _concat,
    ExpandOp: unary(lambda op, x: x.expand(ints(op.shape)).contiguous()),
    PackOp: _pack,
    PadOp: _pad,
    ReshapeOp: unary(lambda op, x: x.reshape(ints(op.shape))),
    SliceOp: _slice,
    # A view: packing a transposed weight then reads it once.
    TransposeOp: unary(lambda op, x: x.permute(ints(op.permutation))),
}
"""op class -> function of the op and its operands."""
