"""Packs a weight into sums of blocks for Strassen's algorithm."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.dev import StrassenAttr
from devproc.ir.layouts.strassen import BLOCKS, RIGHT, SIDE


def pack(layout: StrassenAttr, weight: Tensor) -> Tensor:
    """The sums of blocks of a weight (N, K), in float64, as (panel, product, term,
    column)."""
    # (K, N) as (row block, K / SIDE, column block, N / SIDE).
    columns, rows = weight.shape
    blocks = weight.double().T.reshape(SIDE, rows // SIDE, SIDE, columns // SIDE)
    listed = torch.stack([blocks[i, :, j] for i, j in BLOCKS])
    table = torch.tensor(RIGHT, dtype=torch.float64)
    sums = torch.einsum("pb,bkn->pkn", table, listed)
    panels = sums.reshape(*sums.shape[:-1], -1, layout.width.data)
    return panels.permute(2, 0, 1, 3).contiguous().to(weight.dtype)
