"""What the reductions mean."""

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


def _reduce_sum(op: ReduceSumOp, operand: Tensor) -> tuple[Tensor, ...]:
    axes, keep = ints(op.axes), bool(int_of(op.keep))
    # PyTorch takes an empty list of axes for all of them.
    if not axes:
        return (operand,)
    return (torch.sum(operand, axes, keep, dtype=operand.dtype),)


def _reduce_prod(op: ReduceProdOp, operand: Tensor) -> tuple[Tensor, ...]:
    keep = bool(int_of(op.keep))
    for axis in reversed(ints(op.axes)):
        operand = torch.prod(operand, axis, keep, dtype=operand.dtype)
    return (operand,)


def _reduce_max(op: ReduceMaxOp, operand: Tensor) -> tuple[Tensor, ...]:
    axes, keep = ints(op.axes), bool(int_of(op.keep))
    if not axes:
        return (operand,)
    return (torch.amax(operand, axes, keep),)


def _argmax(op: ArgmaxOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (torch.argmax(operand, int_of(op.axis), bool(int_of(op.keep))),)


def _log_softmax(op: LogSoftmaxOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (torch.log_softmax(operand, int_of(op.axis)),)


def _softmax(op: SoftmaxOp, operand: Tensor) -> tuple[Tensor, ...]:
    return (torch.softmax(operand, int_of(op.axis)),)


REFERENCE = {
    ArgmaxOp: _argmax,
    LogSoftmaxOp: _log_softmax,
    ReduceMaxOp: _reduce_max,
    ReduceProdOp: _reduce_prod,
    ReduceSumOp: _reduce_sum,
    SoftmaxOp: _softmax,
}
"""op class -> function of the op and its operands."""
