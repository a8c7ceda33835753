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
    blocks = operand.double().T.unflatten(1, (side, -1)).unflatten(0, (side, -1))
    listed = torch.stack([blocks[i, :, j] for i, j in block_positions(level)])
    table, one = torch.ones(1, 1).double(), torch.from_numpy(RIGHT)
    for _ in range(level):
        table = torch.kron(table, one)
    sums = torch.einsum("pb,bkn->pkn", table, listed).unflatten(-1, (-1, width))
    return (sums.permute(2, 0, 1, 3).contiguous().to(operand.dtype),)


REFERENCE = {
    LinearOp: _linear,
    MatmulOp: _matmul,
    StrassenWeightOp: _strassen_weight,
}
"""op class -> function of the op and its operands."""
