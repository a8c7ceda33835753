"""Image ops as tap tables, weighted sums, and elementwise arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.image import (
    NormalizeOp,
    ResampleOp,
    ResampleTapsOp,
    ResizeOp,
)
from devproc.dialects.nn.pointwise import CastOp, DivOp, SubOp
from devproc.ir.types import DTYPES, is_float, tensor, tensor_of

Decomposition: TypeAlias = Callable[[Any, Builder], Sequence[SSAValue]]


def _resize(op: ResizeOp, builder: Builder) -> Sequence[SSAValue]:
    value: SSAValue = op.operand
    dtype = "float64" if is_float(tensor_of(value).element_type) else "int32"
    if op.like.data == "torchvision":
        dtype = "float32"
    for axis, size in op.passes():
        old = tensor_of(value).get_shape()[axis]
        table = builder.insert(
            ResampleTapsOp.table(old, size, op.mode.data, op.like.data, dtype)
        )
        first, taps = cast(Sequence[SSAValue], table.outputs)
        value = builder.insert(ResampleOp.along(value, first, taps, axis)).result
    return [value]


def _normalize(op: NormalizeOp, builder: Builder) -> Sequence[SSAValue]:
    # In the order of torchvision's ToTensor and Normalize; a product with reciprocals
    # would round differently.
    value, axis = op.operand, int_of(op.axis)
    if not is_float(tensor_of(value).element_type):
        value = builder.insert(CastOp.to(value, DTYPES["float32"])).result
        value = _binary(DivOp, value, _constant(builder, [255.0], []), builder)
    rank = len(tensor_of(value).get_shape())
    shape: list[int] = []
    if axis >= 0:
        shape = [tensor_of(value).get_shape()[axis], *[1] * (rank - axis - 1)]
    mean, std = (_constant(builder, _floats(v), shape) for v in (op.mean, op.std))
    value = _binary(SubOp, value, mean, builder)
    return [_binary(DivOp, value, std, builder)]


def _binary(
    op_class: type[DivOp] | type[SubOp], lhs: SSAValue, rhs: SSAValue, builder: Builder
) -> SSAValue:
    return builder.insert(op_class.build_op([lhs, rhs])).results[0]


def _constant(
    builder: Builder, values: Sequence[float], shape: Sequence[int]
) -> SSAValue:
    return builder.insert(ConstantOp.of(tensor("float32", shape), values)).result


def _floats(attribute: DenseArrayBase[Any]) -> Sequence[float]:
    return cast(Sequence[float], attribute.get_values())


DECOMPOSITIONS: Mapping[type[Operation], Decomposition] = {
    NormalizeOp: _normalize,
    ResizeOp: _resize,
}
"""op class -> function of the op and a builder; gives the values of its results."""
