"""What the pointwise ops mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor
from xdsl.ir import Operation

from devproc.dialects.nn import pointwise as nn
from devproc.reference.conversion.tensors import torch_dtype

Meaning: TypeAlias = Callable[..., tuple[Tensor, ...]]


def plain(function: Callable[..., Tensor]) -> Meaning:
    """A function that needs nothing of the op but its operands."""

    def run(op: Operation, *operands: Tensor) -> tuple[Tensor, ...]:
        return (function(*operands),)

    return run


def _cast(op: nn.CastOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (operand.to(torch_dtype(op.dtype)),)


def _bitcast(op: nn.BitcastOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (operand.view(torch_dtype(op.dtype)),)


def _quotient(x: Tensor, y: Tensor) -> Tensor:
    divisor = torch.where(y == 0, 1, y).to(y.dtype)
    return torch.where(y == 0, 0, torch.div(x, divisor, rounding_mode="trunc"))


def _remainder(x: Tensor, y: Tensor) -> Tensor:
    if x.is_floating_point():
        return torch.fmod(x, y)
    divisor = torch.where(y == 0, 1, y).to(y.dtype)
    return torch.where(y == 0, 0, torch.fmod(x, divisor))


REFERENCE: dict[type, Meaning] = {
    nn.AbsOp: plain(torch.abs),
    nn.AddOp: plain(torch.add),
    nn.BitcastOp: _bitcast,
    nn.CastOp: _cast,
    nn.DivOp: plain(torch.div),
    nn.ExpOp: plain(torch.exp),
    nn.MaximumOp: plain(torch.maximum),
    nn.MinimumOp: plain(torch.minimum),
    nn.MulOp: plain(torch.mul),
    nn.QuotientOp: plain(_quotient),
    nn.ReluOp: plain(torch.relu),
    nn.RemainderOp: plain(_remainder),
    nn.SqrtOp: plain(torch.sqrt),
    nn.SubOp: plain(torch.sub),
}
"""op class -> function of the op and its operands."""
