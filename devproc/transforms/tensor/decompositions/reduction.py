"""Ops over whole axes as reductions and elementwise arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.reduction import LogSoftmaxOp, SoftmaxOp
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.decompositions.rule import Decomposition, formula
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expression


def _softmax(op: SoftmaxOp, builder: Builder) -> Sequence[SSAValue]:
    def value(x: Expression) -> Expression:
        powers = (x - x.max(axis, keep=True)).exp()
        return powers / powers.sum(axis, keep=True)

    axis = int_of(op.axis)
    return [op.operand] if _is_empty(op) else formula(value, op.operand, builder)


def _log_softmax(op: LogSoftmaxOp, builder: Builder) -> Sequence[SSAValue]:
    def value(x: Expression) -> Expression:
        x -= x.max(axis, keep=True)
        return x - x.exp().sum(axis, keep=True).log()

    axis = int_of(op.axis)
    return [op.operand] if _is_empty(op) else formula(value, op.operand, builder)


def _is_empty(op: SoftmaxOp | LogSoftmaxOp) -> bool:
    """Whether the dimension is empty, and so has no maximum."""
    return tensor_of(op.operand).get_shape()[int_of(op.axis)] == 0


DECOMPOSITIONS: Mapping[type[Operation], Decomposition] = {
    LogSoftmaxOp: _log_softmax,
    SoftmaxOp: _softmax,
}
"""op class -> its decomposition."""
