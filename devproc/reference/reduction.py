"""Reference of the reductions."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.reduction import (
    ArgmaxOp,
    LogSoftmaxOp,
    ReduceMaxOp,
    ReduceProdOp,
    ReduceSumOp,
    SoftmaxOp,
)
from devproc.reference.base.meaning import unary


def _keeps(op: ArgmaxOp | ReduceMaxOp | ReduceProdOp | ReduceSumOp) -> bool:
    return bool(int_of(op.keep))


# PyTorch takes an empty list of axes for all axes.
def _reduce_sum(op: ReduceSumOp, x: Tensor) -> Tensor:
    axes = ints(op.axes)
    return torch.sum(x, axes, _keeps(op), dtype=x.dtype) if axes else x


def _reduce_max(op: ReduceMaxOp, x: Tensor) -> Tensor:
    axes = ints(op.axes)
    return torch.amax(x, axes, _keeps(op)) if axes else x


def _reduce_prod(op: ReduceProdOp, x: Tensor) -> Tensor:
    for axis in reversed(ints(op.axes)):
        x = torch.prod(x, axis, _keeps(op), dtype=x.dtype)
    return x


REFERENCE = {
    ArgmaxOp: unary(lambda op, x: torch.argmax(x, int_of(op.axis), _keeps(op))),
    LogSoftmaxOp: unary(lambda op, x: torch.log_softmax(x, int_of(op.axis))),
    ReduceMaxOp: unary(_reduce_max),
    ReduceProdOp: unary(_reduce_prod),
    ReduceSumOp: unary(_reduce_sum),
    SoftmaxOp: unary(lambda op, x: torch.softmax(x, int_of(op.axis))),
}
"""op class -> function of the op and its operands."""
