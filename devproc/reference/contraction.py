"""What the matrix products mean."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.contraction import LinearOp, MatmulOp


def _matmul(op: MatmulOp, lhs: Tensor, rhs: Tensor) -> tuple[Tensor, ...]:
    return (torch.matmul(lhs, rhs),)


def _linear(op: LinearOp, *operands: Tensor) -> tuple[Tensor, ...]:
    return (F.linear(*operands),)


REFERENCE = {
    LinearOp: _linear,
    MatmulOp: _matmul,
}
"""op class -> function of the op and its operands."""
