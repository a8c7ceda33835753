"""Axes in another order, put together and taken apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.dialects.pipe import axes
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.expression import Expressions
from devproc.transforms.tensor.pipe_to_nn.rule import Rule


def _layout(op: axes.LayoutOp, e: Expressions) -> Sequence[SSAValue]:
    """A reshape that drops axes, a transpose, and a reshape that adds axes."""
    shape = tensor_of(op.operand).get_shape()
    kept, permutation = axes.layout_shapes(op.source.data, op.target.data, shape)
    dropped = e.emit(ReshapeOp.to(op.operand, kept))
    moved = e.emit(TransposeOp.by(dropped.ssa, permutation))
    return [e.emit(ReshapeOp.to(moved.ssa, tensor_of(op.result).get_shape())).ssa]


def _stack(op: axes.StackOp, e: Expressions) -> Sequence[SSAValue]:
    axis = axes.batch_axis(tensor_of(op.inputs[0]))
    parts = [e.of(value) for value in op.inputs]
    if axis is None:
        parts = [part.reshape(1, *part.shape) for part in parts]
    return [e.concat(parts, axis or 0).ssa]


def _select(op: axes.SelectOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    axis = int_of(op.axis) % len(x.shape)
    one = x.part(axis, int_of(op.index) % x.shape[axis], 1)
    return [one.reshape(*tensor_of(op.result).get_shape()).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    axes.LayoutOp: _layout,
    axes.SelectOp: _select,
    axes.StackOp: _stack,
}
"""op class -> what it is made of."""
