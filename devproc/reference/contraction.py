"""What the matrix products mean."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.contraction import LinearOp, MatmulOp, StrassenWeightOp
from devproc.ir.strassen import BLOCKS, RIGHT, SIDE


def _matmul(op: MatmulOp, lhs: Tensor, rhs: Tensor) -> tuple[Tensor, ...]:
    return (torch.matmul(lhs, rhs),)


def _linear(op: LinearOp, *operands: Tensor) -> tuple[Tensor, ...]:
    return (F.linear(*operands),)


def _strassen_weight(op: StrassenWeightOp, operand: Tensor) -> tuple[Tensor, ...]:
    # (K, N) as (row block, K / SIDE, column block, N / SIDE).
    columns, rows = operand.shape
    blocks = operand.double().T.reshape(SIDE, rows // SIDE, SIDE, columns // SIDE)
    listed = torch.stack([blocks[i, :, j] for i, j in BLOCKS])
    table = torch.tensor(RIGHT, dtype=torch.float64)
    sums = torch.einsum("pb,bkn->pkn", table, listed)
    panels = sums.reshape(*sums.shape[:-1], -1, op.layout.width.data)
    return (panels.permute(2, 0, 1, 3).contiguous().to(operand.dtype),)


REFERENCE = {
    LinearOp: _linear,
    MatmulOp: _matmul,
    StrassenWeightOp: _strassen_weight,
}
"""op class -> function of the op and its operands."""
