"""Reference of the scans."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.scan import (
    CummaxOp,
    CumminOp,
    CumprodOp,
    CumsumOp,
    LogcumsumexpOp,
    ScanOp,
)


def _in_double(
    function: Callable[..., Tensor],
) -> Callable[[ScanOp, Tensor], tuple[Tensor, ...]]:
    """Combines floats in float64; integers keep their dtype."""

    def run(op: ScanOp, operand: Tensor) -> tuple[Tensor, ...]:
        if not operand.is_floating_point():
            return (function(operand, int_of(op.axis), dtype=operand.dtype),)
        return (function(operand.double(), int_of(op.axis)).to(operand.dtype),)

    return run


def _cummax(op: CummaxOp, operand: Tensor) -> tuple[Tensor, ...]:
    return tuple(torch.cummax(operand, int_of(op.axis)))


def _cummin(op: CumminOp, operand: Tensor) -> tuple[Tensor, ...]:
    return tuple(torch.cummin(operand, int_of(op.axis)))


REFERENCE = {
    CummaxOp: _cummax,
    CumminOp: _cummin,
    CumprodOp: _in_double(torch.cumprod),
    CumsumOp: _in_double(torch.cumsum),
    LogcumsumexpOp: _in_double(torch.logcumsumexp),
}
"""op class -> function of the op and its operands."""
