"""Stores a weight in panels, as integers with scales or as narrow floats."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.dev import WeightOnlyAttr
from devproc.reference.conversion.packing.memory import empty_words

BYTES = 4
"""Bytes of a word."""


def pack(layout: WeightOnlyAttr, numbers: Tensor, *groups: Tensor) -> Tensor:
    """The words of a weight in panels of outputs, as bits of float32; see
    `ir/layouts/weight_only.py`.

    Integers (N, groups, terms) come with float16 scales and, if unsigned, int32 zero points
    (N, groups, 1), floats are (N, K).
    """
    terms, width = layout.terms.data, layout.width.data
    outputs = numbers.shape[0]
    blocks = numbers.reshape(outputs, -1, terms)
    missing = -outputs % width
    filled = F.pad(blocks, (0, 0, 0, 0, 0, missing))
    # (panel, output, block, term) -> (panel, block, output, term)
    panels = filled.reshape(-1, width, *blocks.shape[1:]).transpose(1, 2)
    words = _words(layout, panels).flatten(2)
    result = empty_words(layout.physical_shape((outputs, blocks.shape[1] * terms)))
    stored = result.view(torch.int32)
    parts = [words]
    for group, dtype in zip(groups, (torch.float16, torch.uint8), strict=False):
        filled = F.pad(group[:, :, 0].to(dtype), (0, 0, 0, missing))
        panels = filled.reshape(-1, width, blocks.shape[1]).transpose(1, 2)
        # Flat, since a dimension of one block may have any stride.
        flat = panels.flatten().view(torch.int32)
        parts.append(flat.view(*stored.shape[:2], -1))
    torch.cat(parts, 2, out=stored)
    return result


def _words(layout: WeightOnlyAttr, panels: Tensor) -> Tensor:
    """(panel, block, output, term) as words (panel, block, row of words, output)."""
    stored = layout.stored
    if stored.dtype == "float16":
        # Whole vectors of outputs for each term; two outputs are a word.
        return panels.transpose(2, 3).contiguous().view(torch.int32)
    if stored.is_integer:
        panels = (panels.short() + stored.zero).to(torch.uint8)
    if stored.bits == 4:
        pairs = panels.reshape(*panels.shape[:3], -1, 2, BYTES)
        panels = (pairs[..., 0, :] | pairs[..., 1, :] << 4).flatten(3)
    words = panels.contiguous().view(torch.int32)
    return words.transpose(2, 3)
