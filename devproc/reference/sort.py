"""Reference of sorting and order statistics."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.sort import KthValueOp, SortOp


def _sort(op: SortOp, operand: Tensor) -> tuple[Tensor, ...]:
    descending = bool(int_of(op.descending))
    return tuple(torch.sort(operand, stable=True, dim=-1, descending=descending))


def _kth_value(op: KthValueOp, operand: Tensor, ranks: Tensor) -> tuple[Tensor, ...]:
    ranks = ranks.clamp(0, operand.shape[-1] - 1)
    ordered = torch.sort(operand, stable=True, dim=-1)
    return tuple(torch.gather(found, -1, ranks) for found in ordered)


REFERENCE = {KthValueOp: _kth_value, SortOp: _sort}
"""op class -> function of the op and its operands."""
