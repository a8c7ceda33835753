"""What the matrix products mean."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.contraction import (
    BlockFloatWeightOp,
    LinearOp,
    MatmulOp,
    StrassenWeightOp,
)
from devproc.ir.block_float import MANTISSA_BITS, MANTISSA_BYTES
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


def _block_float_weight(op: BlockFloatWeightOp, operand: Tensor) -> tuple[Tensor, ...]:
    outputs, inputs = operand.shape
    width, terms = op.layout.width.data, op.layout.terms.data
    filled = F.pad(operand, (0, 0, 0, -outputs % width))
    # (panel, column, block, term) -> (panel, block, term, column)
    blocks = filled.reshape(-1, width, inputs // terms, terms).permute(0, 2, 3, 1)
    # One panel at a time: the float64 numbers of a large weight would not fit in memory.
    panels = [_block_float_panel(panel.double()) for panel in blocks]
    return (torch.stack(panels).view(torch.float32),)


def _block_float_panel(panel: Tensor) -> Tensor:
    """(block, term, column) -> the bytes of each block."""
    largest = panel.abs().amax(1, keepdim=True)
    exponent = torch.frexp(largest).exponent
    most = 2 ** (MANTISSA_BITS - 1)
    numbers = torch.ldexp(panel, MANTISSA_BITS - 1 - exponent).round()
    special = torch.copysign((~panel.isfinite()).double(), panel)
    numbers = torch.where(largest.isfinite(), numbers, special)
    numbers = numbers.nan_to_num(0).clamp(-most, most - 1).int()
    scales = torch.ldexp(torch.ones_like(largest), exponent - 1)
    scales = torch.where(largest.isfinite(), scales, largest)
    scales = torch.where(largest == 0, 0.0, scales).float()
    count = len(panel)
    stored = numbers.contiguous().view(torch.uint8)
    stored = stored.reshape(count, -1, numbers.element_size())[..., :MANTISSA_BYTES]
    parts = (stored.reshape(count, -1), scales.reshape(count, -1).view(torch.uint8))
    return torch.cat(parts, 1)


REFERENCE = {
    BlockFloatWeightOp: _block_float_weight,
    LinearOp: _linear,
    MatmulOp: _matmul,
    StrassenWeightOp: _strassen_weight,
}
"""op class -> function of the op and its operands."""
