"""Reference of the pointwise ops."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.nn import pointwise as nn
from devproc.reference.base.meaning import Meaning, plain, unary
from devproc.reference.conversion.tensors import torch_dtype


def _nonzero(y: Tensor) -> Tensor:
    return torch.where(y == 0, 1, y).to(y.dtype)


def _quotient(x: Tensor, y: Tensor) -> Tensor:
    return torch.where(y == 0, 0, torch.div(x, _nonzero(y), rounding_mode="trunc"))


def _remainder(x: Tensor, y: Tensor) -> Tensor:
    if x.is_floating_point():
        return torch.fmod(x, y)
    return torch.where(y == 0, 0, torch.fmod(x, _nonzero(y)))


REFERENCE: dict[type, Meaning] = {
    nn.AbsOp: plain(torch.abs),
    nn.AddOp: plain(torch.add),
    nn.BitcastOp: unary(lambda op, x: x.view(torch_dtype(op.dtype))),
    nn.CastOp: unary(lambda op, x: x.to(torch_dtype(op.dtype))),
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
