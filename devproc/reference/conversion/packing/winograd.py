"""Packs filters in the order in which Winograd's algorithm reads them."""

from __future__ import annotations

from torch import Tensor

from devproc.dialects.dev import WinogradAttr


def pack(layout: WinogradAttr, filters: Tensor) -> Tensor:
    """HWIO filters of 3 x 3 as (panel, input channel, tap, column), untransformed."""
    panels = filters.reshape(9, filters.shape[2], -1, layout.width.data)
    return panels.permute(2, 1, 0, 3).contiguous()
