"""Lowerings of steps that permute, join and split axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.dialects.pipe import axes
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


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
    if axis is None or op.axis is not None:
        axis = 0 if op.axis is None else int_of(op.axis) % (len(parts[0].shape) + 1)
        shape = (*parts[0].shape[:axis], 1, *parts[0].shape[axis:])
        parts = [part.reshape(*shape) for part in parts]
    return [e.concat(parts, axis).ssa]


def _slice(op: axes.SliceOp, e: Expressions) -> Sequence[SSAValue]:
    start, size, step = (int_of(number) for number in (op.start, op.size, op.step))
    return [e.of(op.operand).part(int_of(op.axis), start, size, step).ssa]


def _concat(op: axes.ConcatOp, e: Expressions) -> Sequence[SSAValue]:
    return [e.concat([e.of(value) for value in op.inputs], int_of(op.axis)).ssa]


def _transpose(op: axes.TransposeOp, e: Expressions) -> Sequence[SSAValue]:
    return [e.of(op.operand).transpose(*ints(op.axes)).ssa]


def _reshape(op: axes.ReshapeOp, e: Expressions) -> Sequence[SSAValue]:
    return [e.of(op.operand).reshape(*ints(op.shape)).ssa]


def _select(op: axes.SelectOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    axis = int_of(op.axis) % len(x.shape)
    one = x.part(axis, int_of(op.index) % x.shape[axis], 1)
    return [one.reshape(*tensor_of(op.result).get_shape()).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    axes.ConcatOp: _concat,
    axes.LayoutOp: _layout,
    axes.ReshapeOp: _reshape,
    axes.SelectOp: _select,
    axes.SliceOp: _slice,
    axes.StackOp: _stack,
    axes.TransposeOp: _transpose,
}
"""op class -> its lowering."""
