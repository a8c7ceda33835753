"""What the elementary functions mean."""

from __future__ import annotations

import torch

from devproc.dialects.nn.elementary import UNARY, Atan2Op, PowOp
from devproc.reference.pointwise import Meaning, plain


def _pow(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.is_floating_point():
        return torch.pow(x, y)
    one = torch.ones_like(x)
    # PyTorch refuses negative powers of integers only where they are Python numbers.
    return torch.pow(x, y.expand(torch.broadcast_shapes(x.shape, y.shape)) * one)


REFERENCE: dict[type, Meaning] = {
    **{op: plain(getattr(torch, op.name.removeprefix("nn."))) for op in UNARY},
    Atan2Op: plain(torch.atan2),
    PowOp: plain(_pow),
}
"""op class -> function of the op and its operands."""
