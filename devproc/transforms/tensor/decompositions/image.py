"""Image ops as tap tables, weighted sums, and elementwise arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn.base import int_attr, int_of, ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.image import BRIGHTEST, NormalizeOp, ResizeOp
from devproc.dialects.nn.pointwise import CastOp, DivOp, SubOp
from devproc.dialects.nn.resampling.filters import read_rows
from devproc.dialects.nn.resampling.resample import ResampleOp, ResampleTapsOp
from devproc.ir.types import DTYPES, dtype_name, tensor, tensor_of
from devproc.reference.taps.tap_tables import fraction_bits_of
from devproc.transforms.tensor.decompositions.rule import Decomposition


def _resize(op: ResizeOp, builder: Builder) -> Sequence[SSAValue]:
    """If the width is resampled first and some rows are not needed by any output, it is
    resampled for the needed rows only."""
    value: SSAValue = op.operand
    passes, dtype = op.passes(), op.tap_dtype
    mode, like = op.mode.data, op.like.data
    tables: list[Sequence[SSAValue]] = []
    for axis, size in passes:
        old = tensor_of(value).get_shape()[axis]
        compact = axis == ints(op.axes)[0] == passes[-1][0] and len(passes) == 2
        if compact:
            compact = len(read_rows(old, size, mode, like, dtype)[0]) < old
        table = ResampleTapsOp.table(old, size, mode, like, dtype, compact)
        tables.append(cast(Sequence[SSAValue], builder.insert(table).outputs))
    rows: tuple[SSAValue, int] | None = None
    if tables and len(tables[-1]) == 3:
        rows = (tables[-1][2], passes[-1][0])
    for (axis, size), (first, taps, *_) in zip(passes, tables, strict=True):
        more: dict[str, Attribute] = {}
        if dtype == "int16":
            old = tensor_of(op.operand).get_shape()[axis]
            bits = fraction_bits_of(old, size, mode, like, dtype)
            more["fraction_bits"] = int_attr(bits)
        along = ResampleOp.along(value, first, taps, axis, rows, more)
        value = builder.insert(along).result
        rows = None
    return [value]


def _normalize(op: NormalizeOp, builder: Builder) -> Sequence[SSAValue]:
    # In the order of torchvision's ToTensor and Normalize; a product with reciprocals
    # would round differently.
    value, axis = op.operand, int_of(op.axis)
    brightest = BRIGHTEST.get(dtype_name(tensor_of(value).element_type))
    if brightest is not None:
        value = builder.insert(CastOp.to(value, DTYPES["float32"])).result
        value = _binary(DivOp, value, _constant(builder, [brightest], []), builder)
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
"""op class -> its decomposition."""
