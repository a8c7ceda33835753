"""Packs filters transformed along their lines for Winograd's algorithm."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.dev import WinogradLineAttr
from devproc.ir.layouts.winograd import LINE_TILE, filter_matrix, line_taps


def pack(layout: WinogradLineAttr, filters: Tensor) -> Tensor:
    """HWIO filters transformed along their lines, in float64, as (panel, point, line,
    channel and phase, column)."""
    stride, width = layout.stride.data, layout.width.data
    lines, taps, channels, _ = filters.shape
    count = line_taps(taps, stride)
    filled = F.pad(filters.double(), (0, 0, 0, 0, 0, count * stride - taps))
    phases = filled.reshape(lines, count, stride, channels, -1, width)
    matrix = torch.tensor(filter_matrix(LINE_TILE, count).tolist(), dtype=torch.float64)
    found = torch.einsum("pr,hrscow->ophcsw", matrix, phases)
    return found.flatten(3, 4).to(filters.dtype).contiguous()
