"""What the matrix products mean."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.contraction import LinearOp, MatmulOp, StrassenWeightOp
from devproc.ir.strassen import RIGHT, block_positions, side_of


def _matmul(op: MatmulOp, lhs: Tensor, rhs: Tensor) -> tuple[Tensor, ...]:
    return (torch.matmul(lhs, rhs),)


def _linear(op: LinearOp, *operands: Tensor) -> tuple[Tensor, ...]:
    return (F.linear(*operands),)


def _strassen_weight(op: StrassenWeightOp, operand: Tensor) -> tuple[Tensor, ...]:
    level, width = op.layout.level.data, op.layout.width.data
    side = side_of(level)
    # (K, N) as (row block, K / side, column block, N / side).
    columns, rows = operand.shape
    blocks = operand.double().T.reshape(side, rows // side, side, columns // side)
    listed = torch.stack([blocks[i, :, j] for i, j in block_positions(level)])
    table, one = torch.ones(1, 1).double(), torch.tensor(RIGHT, dtype=torch.float64)
    for _ in range(level):
        table = torch.kron(table, one)
    sums = torch.einsum("pb,bkn->pkn", table, listed)
    panels = sums.reshape(*sums.shape[:-1], -1, width)
    return (panels.permute(2, 0, 1, 3).contiguous().to(operand.dtype),)


REFERENCE = {
    LinearOp: _linear,
    MatmulOp: _matmul,
    StrassenWeightOp: _strassen_weight,
}
"""op class -> function of the op and its operands."""
