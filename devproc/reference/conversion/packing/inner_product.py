"""Packs a weight for Winograd's inner product."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.dev import InnerProductAttr
from devproc.ir.layouts.inner_product import PARTS, matrix_sizes, spread_bound

PANELS = 8
"""Panels of a weight that are packed at a time."""


def pack(layout: InnerProductAttr, weight: Tensor) -> Tensor:
    """A weight (N, K), or filters (H, W, I, N), in panels of N: the scaled numbers,
    with the sums of their pairs, the scales and the bounds.

    Each slice of K is packed like a weight of its own.

    The bound of a panel is negative if the pairs of a column differ too much in
    magnitude or are not finite. A column of zeros has the scale zero.
    """
    width, terms = layout.width.data, layout.terms.data
    outputs, depth = matrix_sizes(weight.shape)
    if weight.dim() > 2:
        weight = weight.reshape(depth, outputs).T
    missing = -outputs % width
    filled = F.pad(weight, (0, 0, 0, missing)) if missing else weight
    result = torch.empty(layout.physical_shape((outputs, depth)))
    slices = layout.slices.data
    for part, stored in zip(filled.chunk(slices, 1), result.chunk(slices), strict=True):
        # A few panels at a time fit the cache.
        for first in range(0, len(stored), PANELS):
            columns = part[first * width : (first + PANELS) * width]
            _store_columns(columns, stored[first : first + PANELS], terms)
    return result


def _store_columns(columns: Tensor, stored: Tensor, terms: int) -> None:
    """(column, term) into (panel, number of a column, column of the panel)."""
    panels, _, width = stored.shape
    depth = columns.shape[1]
    size = columns.double().square().mean(1).sqrt()
    is_scaled = size.isfinite() & (size > 0)
    scale = torch.where(is_scaled, size.log2().round().neg().exp2(), 1)
    inverse = torch.where(size == 0, 0, 1 / scale)
    columns = columns * scale.float()[:, None]
    blocks, third = depth // terms, terms // PARTS
    whole = blocks * terms
    thirds = columns[:, :whole].reshape(-1, blocks, PARTS, third)
    pairs = thirds[:, :, 0] * thirds[:, :, 1]
    bound = spread_bound(depth)
    spread = pairs.square().sum((1, 2), dtype=torch.float64)
    is_even = (spread <= bound).reshape(panels, width).all(1, keepdim=True)

    numbers = stored[:, : blocks * (terms + 1)].view(panels, blocks, terms + 1, width)
    sums = pairs.sum(2, dtype=torch.float64).neg()
    numbers[:, :, 0] = sums.view(panels, width, blocks).transpose(1, 2)
    by_panel = thirds.view(panels, width, blocks, PARTS, third)
    groups = numbers[:, :, 1:].view(panels, blocks, third, PARTS, width)
    groups.copy_(by_panel.permute(0, 2, 4, 3, 1))
    rest = columns[:, whole:].reshape(panels, width, -1)
    stored[:, blocks * (terms + 1) : -2] = rest.transpose(1, 2)
    stored[:, -2] = inverse.view(panels, width)
    stored[:, -1] = torch.where(is_even, bound, -1)
