"""Reference of the matrix products."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.reference.base.meaning import plain


def _wide(factor: Tensor) -> Tensor:
    return factor.int() if factor.dtype == torch.int8 else factor


def _linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    return F.linear(_wide(x), _wide(weight), bias)


def _matmul(lhs: Tensor, rhs: Tensor) -> Tensor:
    return torch.matmul(_wide(lhs), _wide(rhs))


REFERENCE = {LinearOp: plain(_linear), MatmulOp: plain(_matmul)}
"""op class -> function of the op and its operands."""
