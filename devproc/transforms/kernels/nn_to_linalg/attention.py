"""Attention: a chain of loops, in the form described in `ir/program/structured.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import StringAttr, f32
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.nn import attention as nn
from devproc.dialects.nn.base import int_of
from devproc.errors import CompileError
from devproc.ir.program.structured import CHAIN, broadcast_map, dims
from devproc.ir.text.location import describe_location
from devproc.ir.types import is_bool, tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering, Mapped
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars
from devproc.transforms.kernels.nn_to_linalg.contraction import multiply_add

LOWEST = float(np.finfo(np.float32).min)
"""Initial value of a row's maximum: the powers of a fully masked row then sum to 0."""


def lower_attention(op: Operation, lowering: Lowering) -> SSAValue:
    """Loops (leading..., s, t, d), over rows and columns, and (leading..., s, e, t)."""
    assert isinstance(op, nn.AttentionOp)
    if lowering.dtype(op.query) != f32:
        raise CompileError(
            f"convert-nn-to-linalg: '{op.name}' ({describe_location(op.location)}) has"
            " a loop form only in float32; run decompose-nn first"
        )
    *leading, queries, values = lowering.result_type.get_shape()
    keys = tensor_of(op.key).get_shape()[-2]
    count = len(leading)
    s, t, d = count, count + 1, count + 2
    rows, square = (*leading, queries), (*leading, queries, keys)

    def read(value: SSAValue, *inner: int) -> Mapped:
        shape = tensor_of(value).get_shape()[:-2]
        offset = count - len(shape)
        outer = [
            offset + i if size == leading[offset + i] else None
            for i, size in enumerate(shape)
        ]
        return value, AffineMap(count + 3, 0, dims(*outer, *inner))

    parallel = [True] * (count + 2) + [False]
    scores = multiply_add(
        lowering, [read(op.query, s, d), read(op.key, t, d)], square, parallel
    )
    weighted = _weigh(op, lowering, scores)
    columns = AffineMap.identity(count + 2)
    row = AffineMap(count + 2, 0, dims(*range(count + 1)))

    most = _over_columns(lowering, weighted, LOWEST)
    type_ = lowering.type(square, f32)
    powers = lowering.pointwise([weighted, most], type_, _power, [columns, row])
    total = _over_columns(lowering, powers, 0.0)
    mixed = multiply_add(
        lowering,
        [
            (powers, AffineMap(count + 3, 0, dims(*range(count), s, d))),
            read(op.value, d, t),
        ],
        (*rows, values),
        parallel,
    )
    result = lowering.pointwise(
        [mixed, total],
        lowering.result_type,
        _or_zero if int_of(op.empty) else _quotient,
        [columns, row],
    )
    name = StringAttr(lowering.unique_name("attention"))
    for made in lowering.ops:
        if isinstance(made, GenericOp):
            made.attributes[CHAIN] = name
    return result


def _weigh(op: nn.AttentionOp, lowering: Lowering, scores: SSAValue) -> SSAValue:
    """The scores, scaled and masked."""
    type_ = tensor_of(scores)
    shape = type_.get_shape()
    masks = [] if op.mask is None else [op.mask]

    def body(b: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        value = b.multiply(args[0], b.constant(op.scale.value.data, f32))
        if op.mask is None:
            return [value]
        if is_bool(lowering.dtype(op.mask)):
            none = b.constant(float("-inf"), f32)
            return [b.emit(arith.SelectOp(args[1], value, none))]
        return [b.add(value, args[1])]

    maps = [broadcast_map(tensor_of(v).get_shape(), shape) for v in (scores, *masks)]
    return lowering.pointwise([scores, *masks], type_, body, maps)


def _over_columns(lowering: Lowering, value: SSAValue, start: float) -> SSAValue:
    """The sum of each row, starting at 0, or its maximum, starting at LOWEST."""
    *rows, _ = tensor_of(value).get_shape()
    count = len(rows)

    def body(b: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        number, total = args
        return [b.maximum(number, total, f32) if start else b.add(total, number)]

    return lowering.generic(
        [(value, AffineMap.identity(count + 1))],
        [
            (
                lowering.fill(start, rows, f32),
                AffineMap(count + 1, 0, dims(*range(count))),
            )
        ],
        [True] * count + [False],
        body,
    )[0]


def _power(b: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
    return [b.emit(math.ExpOp(b.emit(arith.SubfOp(args[0], args[1]))))]


def _quotient(b: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
    return [b.emit(arith.DivfOp(args[0], args[1]))]


def _or_zero(b: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
    """The quotient; for a fully masked row the sum of the values times 0, which is 0,
    or NaN if a value is not finite."""
    (quotient,) = _quotient(b, args)
    none = b.emit(arith.CmpfOp(args[1], b.constant(0.0, f32), "oeq"))
    return [b.emit(arith.SelectOp(none, args[0], quotient))]


LOWERINGS = {nn.AttentionOp: lower_attention}

NO_LOWERING: Mapping[type[Operation], str] = {}
