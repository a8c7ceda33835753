"""What the matrix products mean."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.contraction import (
    BlockFloatWeightOp,
    InnerProductWeightOp,
    LinearOp,
    MatmulOp,
    StrassenWeightOp,
)
from devproc.ir.layouts.block_float import LEAST_EXPONENT, MANTISSA_BITS, QUARTERS
from devproc.ir.layouts.inner_product import PARTS, matrix_sizes, spread_bound
from devproc.ir.layouts.strassen import BLOCKS, RIGHT, SIDE

PANELS = 8
"""Panels of a weight that are put in order at a time."""


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


def _inner_product_weight(
    op: InnerProductWeightOp, operand: Tensor
) -> tuple[Tensor, ...]:
    width, terms = op.layout.width.data, op.layout.terms.data
    outputs, depth = matrix_sizes(operand.shape)
    if operand.dim() > 2:
        operand = operand.reshape(depth, outputs).T
    missing = -outputs % width
    filled = F.pad(operand, (0, 0, 0, missing)) if missing else operand
    result = torch.empty(op.layout.physical_shape((outputs, depth)))
    # A few panels at a time stay in the cache.
    for first in range(0, len(result), PANELS):
        columns = filled[first * width : (first + PANELS) * width]
        _store_columns(columns, result[first : first + PANELS], terms)
    return (result,)


def _store_columns(columns: Tensor, stored: Tensor, terms: int) -> None:
    """(column, term) into (panel, number of a column, column of the panel)."""
    panels, _, width = stored.shape
    depth = columns.shape[1]
    size = columns.double().square().mean(1).sqrt()
    is_scaled = size.isfinite() & (size > 0)
    scale = torch.where(is_scaled, size.log2().round().neg().exp2(), 1)
    inverse = torch.where(size == 0, 0, 1 / scale)
    columns = columns * scale.float()[:, None]
    blocks, third = depth // terms, terms // PARTS
    whole = blocks * terms
    thirds = columns[:, :whole].reshape(-1, blocks, PARTS, third)
    pairs = thirds[:, :, 0] * thirds[:, :, 1]
    bound = spread_bound(depth)
    spread = pairs.square().sum((1, 2), dtype=torch.float64)
    is_even = (spread <= bound).reshape(panels, width).all(1, keepdim=True)

    numbers = stored[:, : blocks * (terms + 1)].view(panels, blocks, terms + 1, width)
    sums = pairs.sum(2, dtype=torch.float64).neg()
    numbers[:, :, 0] = sums.view(panels, width, blocks).transpose(1, 2)
    by_panel = thirds.view(panels, width, blocks, PARTS, third)
    groups = numbers[:, :, 1:].view(panels, blocks, third, PARTS, width)
    groups.copy_(by_panel.permute(0, 2, 4, 3, 1))
    rest = columns[:, whole:].reshape(panels, width, -1)
    stored[:, blocks * (terms + 1) : -2] = rest.transpose(1, 2)
    stored[:, -2] = inverse.view(panels, width)
    stored[:, -1] = torch.where(is_even, bound, -1)


def _block_float_weight(op: BlockFloatWeightOp, operand: Tensor) -> tuple[Tensor, ...]:
    outputs, inputs = operand.shape
    width, terms = op.layout.width.data, op.layout.terms.data
    filled = F.pad(operand, (0, 0, 0, -outputs % width))
    # (panel, column, block, term) -> (panel, block, term, column)
    panels = filled.reshape(-1, width, inputs // terms, terms).permute(0, 2, 3, 1)
    result = torch.empty(op.layout.physical_shape(operand.shape))
    # One panel at a time stays in the cache.
    for panel, stored in zip(panels, result.view(torch.int32), strict=True):
        _store_panel(panel.contiguous(), stored)
    return (result,)


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
    """The words of each row of columns, as `ir/layouts/block_float.py` has them."""
    a, b, c, d = numbers.chunk(QUARTERS, -1)
    first = a << 8 | b >> 16 & 0xFF
    middle = b << 16 | c >> 8 & 0xFFFF
    last = c << 24 | d & 0xFFFFFF
    return torch.cat((first, middle, last), -1)


REFERENCE = {
    BlockFloatWeightOp: _block_float_weight,
    InnerProductWeightOp: _inner_product_weight,
    LinearOp: _linear,
    MatmulOp: _matmul,
    StrassenWeightOp: _strassen_weight,
}
"""op class -> function of the op and its operands."""
