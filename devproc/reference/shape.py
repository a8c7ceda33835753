"""What the ops mean that move elements."""

from __future__ import annotations

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
from devproc.reference.conversion.packers import PACKERS


def _reshape(op: ReshapeOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (operand.reshape(ints(op.shape)),)


def _transpose(op: TransposeOp, operand: Tensor) -> tuple[Tensor, ...]:
    # A view: what packs a transposed weight then reads it once.
    return (operand.permute(ints(op.permutation)),)


def _pad(op: PadOp, operand: Tensor, value: Tensor | None = None) -> tuple[Tensor, ...]:
    padded = _zero_pad(operand, ints(op.low), ints(op.high))
    if value is None:
        return (padded,)
    # F.pad takes a Python float, which does not hold every int64.
    inside = torch.ones(operand.shape, dtype=torch.bool)
    inside = _zero_pad(inside, ints(op.low), ints(op.high))
    return (torch.where(inside, padded, value),)


def _pack(op: PackOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (PACKERS[type(op.layout)](op.layout, operand),)


def _zero_pad(
    value: Tensor, low: list[int] | tuple[int, ...], high: list[int] | tuple[int, ...]
) -> Tensor:
    # PyTorch counts the padding from the last dimension.
    amounts = [
        amount
        for pair in reversed(list(zip(low, high, strict=True)))
        for amount in pair
    ]
    return F.pad(value, amounts) if any(amounts) else value


def _expand(op: ExpandOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (operand.expand(ints(op.shape)).contiguous(),)


def _slice(op: SliceOp, operand: Tensor) -> tuple[Tensor, ...]:
    # PyTorch knows no negative steps: pick by index, one axis after another.
    parts = zip(ints(op.start), ints(op.size), ints(op.step), strict=True)
    for axis, (start, size, step) in enumerate(parts):
        operand = operand.index_select(axis, start + step * torch.arange(size))
    return (operand.contiguous(),)


def _concat(op: ConcatOp, *parts: Tensor) -> tuple[Tensor, ...]:
    return (torch.cat(parts, int_of(op.axis)),)


REFERENCE = {
    ConcatOp: _concat,
    ExpandOp: _expand,
    PackOp: _pack,
    PadOp: _pad,
    ReshapeOp: _reshape,
    SliceOp: _slice,
    TransposeOp: _transpose,
}
"""op class -> function of the op and its operands."""
