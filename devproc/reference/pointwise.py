"""What the pointwise ops mean."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from xdsl.ir import Operation

from devproc.dialects.nn.pointwise import (
    AddOp,
    CastOp,
    DivOp,
    ExpOp,
    MulOp,
    ReluOp,
    SqrtOp,
    SubOp,
)
from devproc.reference.tensors import torch_dtype


def _plain(
    function: Callable[..., Tensor],
) -> Callable[..., tuple[Tensor, ...]]:
    """A function that needs nothing of the op but its operands."""

    def run(op: Operation, *operands: Tensor) -> tuple[Tensor, ...]:
        return (function(*operands),)

    return run


def _cast(op: CastOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (operand.to(torch_dtype(op.dtype)),)


REFERENCE = {
    AddOp: _plain(torch.add),
    CastOp: _cast,
    DivOp: _plain(torch.div),
    ExpOp: _plain(torch.exp),
    MulOp: _plain(torch.mul),
    ReluOp: _plain(torch.relu),
    SqrtOp: _plain(torch.sqrt),
    SubOp: _plain(torch.sub),
}
"""op class -> function of the op and its operands."""
