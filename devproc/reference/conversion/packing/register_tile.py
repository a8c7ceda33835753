"""Packs a weight into panels."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.dev import LayoutAttr


def pack(layout: LayoutAttr, weight: Tensor) -> Tensor:
    """A tensor in tiles; a dimension that its tile does not divide is padded with
    zeros."""
    order, tiles = layout.order_of_dims, layout.tile_sizes
    # PyTorch counts the padding from the last dimension.
    amounts = [
        amount
        for size, tile in reversed(list(zip(weight.shape, tiles, strict=True)))
        for amount in (0, -size % tile)
    ]
    padded = F.pad(weight, amounts) if any(amounts) else weight
    split: list[int] = []
    for size, tile in zip(padded.shape, tiles, strict=True):
        split += [size // tile, tile]
    # Dimension d is now 2d (tiles) and 2d + 1 (within a tile).
    outer, inner = [2 * d for d in order], [2 * d + 1 for d in order]
    physical = layout.physical_shape(weight.shape)
    return padded.reshape(split).permute(*outer, *inner).reshape(physical)
