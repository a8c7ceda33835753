"""What the ops mean that move elements."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.shape import PackOp, PadOp, ReshapeOp, TransposeOp


def _reshape(op: ReshapeOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (operand.reshape(ints(op.shape)),)


def _transpose(op: TransposeOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (operand.permute(ints(op.permutation)).contiguous(),)


def _pad(op: PadOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (_zero_pad(operand, ints(op.low), ints(op.high)),)


def _pack(op: PackOp, operand: Tensor) -> tuple[Tensor, ...]:
    order, tiles = op.layout.order_of_dims, op.layout.tile_sizes
    high = [-size % tile for size, tile in zip(operand.shape, tiles, strict=True)]
    padded = _zero_pad(operand, [0] * len(high), high)
    split: list[int] = []
    for size, tile in zip(padded.shape, tiles, strict=True):
        split += [size // tile, tile]
    # Dimension d is now 2d (tiles) and 2d + 1 (inside of a tile).
    outer, inner = [2 * d for d in order], [2 * d + 1 for d in order]
    physical = op.layout.physical_shape(operand.shape)
    return (padded.reshape(split).permute(*outer, *inner).reshape(physical),)


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


REFERENCE = {
    PackOp: _pack,
    PadOp: _pad,
    ReshapeOp: _reshape,
    TransposeOp: _transpose,
}
"""op class -> function of the op and its operands."""
