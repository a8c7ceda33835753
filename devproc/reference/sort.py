"""What the ops mean that put elements in order."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.sort import SortOp


def _sort(op: SortOp, operand: Tensor) -> tuple[Tensor, ...]:
    descending = bool(int_of(op.descending))
    return tuple(torch.sort(operand, stable=True, dim=-1, descending=descending))


REFERENCE = {SortOp: _sort}
"""op class -> function of the op and its operands."""
