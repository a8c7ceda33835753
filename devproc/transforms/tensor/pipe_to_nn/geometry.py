"""Geometry: resizing, with Pillow's treatment of alpha."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import image
from devproc.dialects.nn.base import ints
from devproc.dialects.pipe import geometry
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.opencv_resize import (
    resize_like_opencv,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


def _resize(op: geometry.ResizeOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    properties = geometry.resize_properties(tensor_of(x.ssa), op.properties)
    axes, size = ints(properties["axes"]), ints(op.size)
    if op.like.data == "opencv":
        return [resize_like_opencv(e, x, axes, size, op.mode.data).ssa]
    alpha = geometry.alpha_axis(tensor_of(x.ssa), op.properties)
    if alpha is None or [x.shape[axis] for axis in axes] == list(size):
        return [e.emit(image.ResizeOp.build_op([x.ssa], properties)).ssa]
    weighed = _weighed_by_alpha(e, x, alpha)
    resized = e.emit(image.ResizeOp.build_op([weighed.ssa], properties))
    return [_without_alpha(e, resized, alpha).ssa]


def _weighed_by_alpha(e: Expressions, x: Expression, axis: int) -> Expression:
    """Each colour times alpha / 255, rounded as Pillow's `MULDIV255` does."""
    count = x.shape[axis] - 1
    alpha = x.part(axis, count, 1)
    product = x.part(axis, 0, count).cast("int32") * alpha.cast("int32") + 128
    colors = (((product >> 8) + product) >> 8).cast("uint8")
    return e.concat([colors, alpha], axis)


def _without_alpha(e: Expressions, x: Expression, axis: int) -> Expression:
    """The colours over alpha / 255, rounded down; unchanged where alpha is 0."""
    count = x.shape[axis] - 1
    colors, alpha = x.part(axis, 0, count), x.part(axis, count, 1)
    # float32 represents these numbers, and rounds no quotient up to an integer.
    quotient = colors.cast("float32") * 255.0 / e.maximum(alpha, 1).cast("float32")
    divided = e.minimum(quotient, 255.0).cast("uint8")
    return e.concat([e.where(alpha.equal(0), colors, divided), alpha], axis)


LOWERINGS: Mapping[type[Operation], Rule] = {
    geometry.ResizeOp: _resize,
}
"""op class -> its lowering."""
