"""Stores a weight in block floating point."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.dev import BlockFloatAttr
from devproc.ir.layouts.block_float import LEAST_EXPONENT, MANTISSA_BITS, QUARTERS
from devproc.reference.conversion.packing.memory import empty_words


def pack(layout: BlockFloatAttr, weight: Tensor) -> Tensor:
    """The words of a weight (N, K) in panels of N, as bits of float32.

    A number is `scale * mantissa * 2**-22`, with a power of two as the scale of its
    block that is finite for every finite block. A block with NaN has the scale NaN; a
    block with infinities has the scale infinity, its infinities become ones, finite
    numbers zeros.
    """
    outputs, inputs = weight.shape
    width, terms = layout.width.data, layout.terms.data
    filled = F.pad(weight, (0, 0, 0, -outputs % width))
    # (panel, column, block, term) -> (panel, block, term, column)
    panels = filled.reshape(-1, width, inputs // terms, terms).permute(0, 2, 3, 1)
    result = empty_words(layout.physical_shape(weight.shape))
    # One panel at a time stays in the cache.
    for panel, stored in zip(panels, result.view(torch.int32), strict=True):
        _store_panel(panel.contiguous(), stored)
    return result


def _store_panel(panel: Tensor, stored: Tensor) -> None:
    """(block, term, column) into the words of each block."""
    largest = panel.abs().amax(1, keepdim=True)
    exponent = torch.frexp(largest).exponent.clamp(min=LEAST_EXPONENT)
    one, most = torch.ones_like(largest), 2 ** (MANTISSA_BITS - 1)
    numbers = panel * torch.ldexp(one, MANTISSA_BITS - 1 - exponent)
    numbers.round_().clamp_(-most, most - 1)
    scales = torch.ldexp(one, exponent - 1)
    if not largest.isfinite().all():
        special = torch.copysign((~panel.isfinite()).float(), panel)
        numbers = torch.where(largest.isfinite(), numbers, special).nan_to_num_(0)
        scales = torch.where(largest.isfinite(), scales, largest)
    words = _packed(numbers.int()).flatten(1)
    torch.cat((words, scales.view(torch.int32).flatten(1)), 1, out=stored)


def _packed(numbers: Tensor) -> Tensor:
    """The words of each row of columns, as defined in `ir/layouts/block_float.py`."""
    a, b, c, d = numbers.chunk(QUARTERS, -1)
    first = a << 8 | b >> 16 & 0xFF
    middle = b << 16 | c >> 8 & 0xFFFF
    last = c << 24 | d & 0xFFFFFF
    return torch.cat((first, middle, last), -1)
