"""Colour, range, dtype and order of axes: the axis named C becomes an axis number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import image, pointwise
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.dialects.pipe import color
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.expression import Expressions
from devproc.transforms.tensor.pipe_to_nn.rule import Rule


def _cast(op: color.CastOp, e: Expressions) -> Sequence[SSAValue]:
    return [e.emit(pointwise.CastOp.build_op([op.operand], op.properties)).ssa]


def _normalize(op: color.NormalizeOp, e: Expressions) -> Sequence[SSAValue]:
    properties = color.normalize_properties(tensor_of(op.operand), op.properties)
    return [e.emit(image.NormalizeOp.build_op([op.operand], properties)).ssa]


def _layout(op: color.LayoutOp, e: Expressions) -> Sequence[SSAValue]:
    """A reshape that drops axes, a transpose, and a reshape that adds axes."""
    shape = tensor_of(op.operand).get_shape()
    kept, permutation = color.layout_shapes(op.source.data, op.target.data, shape)
    dropped = e.emit(ReshapeOp.to(op.operand, kept))
    moved = e.emit(TransposeOp.by(dropped.ssa, permutation))
    return [e.emit(ReshapeOp.to(moved.ssa, tensor_of(op.result).get_shape())).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    color.CastOp: _cast,
    color.LayoutOp: _layout,
    color.NormalizeOp: _normalize,
}
"""op class -> what it is made of."""
