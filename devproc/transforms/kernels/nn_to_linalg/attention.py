"""Attention: a chain of loops, in the form described in `ir/program/structured.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TypeAlias

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, StringAttr, f32
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.nn import attention as nn
from devproc.dialects.nn.base import int_of, ints
from devproc.errors import CompileError
from devproc.ir.program.structured import CHAIN, broadcast_map, dim, dims
from devproc.ir.text.location import describe_location
from devproc.ir.types import is_bool, tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering, Mapped
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars
from devproc.transforms.kernels.nn_to_linalg.contraction import multiply_add

Attention: TypeAlias = nn.AttentionOp | nn.CachedAttentionOp

LOWEST = float(np.finfo(np.float32).min)
"""Initial value of a row's maximum: the powers of a fully masked row then sum to 0."""


def lower_attention(op: Operation, lowering: Lowering) -> SSAValue:
    """Loops (leading..., s, t, d), over rows and columns, and (leading..., s, e, t)."""
    assert isinstance(op, nn.AttentionOp)
    if lowering.on_host and lowering.dtype(op.query) != f32:
        raise CompileError(
            f"convert-nn-to-linalg: '{op.name}' ({describe_location(op.location)}) has"
            " a loop form on the CPU only in float32; run decompose-nn first"
        )
    return _lower(op, lowering)


def lower_cached_attention(op: Operation, lowering: Lowering) -> SSAValue:
    """The same loops; the scores of keys that a query does not see are minus infinity."""
    assert isinstance(op, nn.CachedAttentionOp)
    return _lower(op, lowering)


def _lower(op: Attention, lowering: Lowering) -> SSAValue:
    """With `parts`, they are an inner leading dimension, and what they sum is combined."""
    parts = 1 if op.parts is None else int_of(op.parts)
    operands = [op.query, op.key, op.value]
    leading = list(lowering.result_type.get_shape()[:-2])
    if parts > 1:
        operands = [
            _in_parts(lowering, value, parts if index else 1)
            for index, value in enumerate(operands)
        ]
        leading.append(parts)
    sums = _over_keys(op, lowering, operands, leading)
    if parts == 1:
        return _in_chain(op, lowering, sums)
    _mark_chain(lowering)
    return _combined(op, lowering, sums)


def _in_chain(
    op: Attention, lowering: Lowering, sums: tuple[SSAValue, SSAValue, SSAValue]
) -> SSAValue:
    """The quotient of the sums; marks all loops so far as one kernel."""
    _, total, mixed = sums
    count = lowering.result_type.get_num_dims()
    row = AffineMap(count, 0, dims(*range(count - 1)))
    result = _divided(op, lowering, [(mixed, AffineMap.identity(count)), (total, row)])
    _mark_chain(lowering)
    return result


def _mark_chain(lowering: Lowering) -> None:
    name = StringAttr(lowering.unique_name("attention"))
    for made in lowering.ops:
        if isinstance(made, GenericOp):
            made.attributes[CHAIN] = name


def _in_parts(lowering: Lowering, value: SSAValue, parts: int) -> SSAValue:
    """A tensor (..., rows, columns) as (..., parts, rows of a part, columns)."""
    *leading, rows, columns = tensor_of(value).get_shape()
    return lowering.view(value, (*leading, parts, rows // parts, columns))


def _over_keys(
    op: Attention,
    lowering: Lowering,
    operands: Sequence[SSAValue],
    leading: Sequence[int],
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """For each query the largest score, the sum of the weights, and that of the weighted
    values; the weights are relative to the largest score."""
    query, key, value = operands
    queries, values = lowering.result_type.get_shape()[-2:]
    keys, count = tensor_of(key).get_shape()[-2], len(leading)
    s, t, d = count, count + 1, count + 2
    rows, square = (*leading, queries), (*leading, queries, keys)

    def read(value: SSAValue, *inner: int | None) -> Mapped:
        shape = tensor_of(value).get_shape()[:-2]
        offset = count - len(shape)
        outer = [
            offset + i if size == leading[offset + i] else None
            for i, size in enumerate(shape)
        ]
        return value, AffineMap(count + 3, 0, dims(*outer, *inner))

    scales = op.scales if isinstance(op, nn.CachedAttentionOp) else ()
    # The factor of a key, and of a value.
    key_scales, value_scales = ([x] for x in scales) if scales else ([], [])
    parallel = [True] * (count + 2) + [False]
    keys_ = [read(key, t, d), *(read(x, t, None) for x in key_scales)]
    scores = multiply_add(lowering, [read(query, s, d), *keys_], square, parallel)
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
            read(value, d, t),
            *(read(x, d, None) for x in value_scales),
        ],
        (*rows, values),
        parallel,
    )
    return most, total, mixed


def _combined(op: Attention, lowering: Lowering, sums: Sequence[SSAValue]) -> SSAValue:
    """The sums of all parts, relative to the largest score of all, and their quotient."""
    shape = lowering.result_type.get_shape()
    rank = len(shape)
    *leading, s, e, part = range(rank + 1)
    result = AffineMap(rank + 1, 0, dims(*range(rank)))
    row = AffineMap(rank + 1, 0, dims(*leading, part, s))
    element = AffineMap(rank + 1, 0, dims(*leading, part, s, e))

    def over_parts(inputs: Sequence[Mapped], start: float) -> SSAValue:
        def body(b: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
            if start:
                return [b.maximum(args[0], args[1], f32)]
            value, part_most, all_most, total = args
            (weight,) = _power(b, [part_most, all_most])
            return [b.add(total, b.multiply(value, weight))]

        out = lowering.fill(start, shape, f32), result
        return lowering.generic(inputs, [out], [True] * rank + [False], body)[0]

    part_most, part_total, part_mixed = sums
    most = over_parts([(part_most, row)], LOWEST)
    weight = [(part_most, row), (most, result)]
    total = over_parts([(part_total, row), *weight], 0.0)
    mixed = over_parts([(part_mixed, element), *weight], 0.0)
    identity = AffineMap.identity(rank)
    return _divided(op, lowering, [(mixed, identity), (total, identity)])


def _weigh(op: Attention, lowering: Lowering, scores: SSAValue) -> SSAValue:
    """The scores, scaled and masked."""
    type_ = tensor_of(scores)
    shape = type_.get_shape()
    masks = [] if op.mask is None else [_mask(op.mask, lowering, shape)]
    if isinstance(op, nn.CachedAttentionOp):
        masks.append((op.last, _rows_map(op, shape)))

    def body(b: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        value = _scaled(b, op, args[0])
        if isinstance(op, nn.CachedAttentionOp):
            seen = _in_use(b, op, args[len(masks)], len(shape))
        else:
            seen = _in_band(b, op, len(shape))
        if op.mask is not None and is_bool(lowering.dtype(op.mask)):
            seen = args[1] if seen is None else b.emit(arith.AndIOp(args[1], seen))
        elif op.mask is not None:
            value = b.add(value, b.widen(args[1]))
        if seen is None:
            return [value]
        none = b.constant(float("-inf"), f32)
        return [b.emit(arith.SelectOp(seen, value, none))]

    maps = [AffineMap.identity(len(shape)), *(map_ for _, map_ in masks)]
    values = [scores, *(value for value, _ in masks)]
    return lowering.pointwise(values, type_, body, maps)


def _rows_map(op: nn.CachedAttentionOp, square: Sequence[int]) -> AffineMap:
    """How a number of each query is read in loops (leading..., [parts], queries, keys)."""
    loops = list(range(len(square) - 1))
    if op.parts is not None:
        del loops[-2]
    rows = [square[loop] for loop in loops]
    read = broadcast_map(tensor_of(op.last).get_shape(), rows)
    places = [dim(loop) for loop in loops]
    results = [e.replace_dims_and_symbols(places, []) for e in read.results]
    return AffineMap(len(square), 0, tuple(results))


def _scaled(b: Scalars, op: Attention, product: SSAValue) -> SSAValue:
    """A scaled product of a query and a key, softly capped."""
    scale = op.scale.value.data
    if not isinstance(op, nn.CachedAttentionOp) or op.softcap is None:
        return b.multiply(product, b.constant(scale, f32))
    cap = op.softcap.value.data
    share = b.multiply(product, b.constant(scale / cap, f32))
    return b.multiply(b.emit(math.TanhOp(share)), b.constant(cap, f32))


def _mask(mask: SSAValue, lowering: Lowering, square: Sequence[int]) -> Mapped:
    """The mask as it is read in loops (leading..., [parts], queries, keys)."""
    shape, rank = tensor_of(mask).get_shape(), len(square)
    if rank == lowering.result_type.get_num_dims():
        return mask, broadcast_map(shape, square)
    *leading, parts, queries, keys = square
    *outer, rows, columns = (1, 1, *shape)[-max(len(shape), 2) :]
    inner = (parts, keys) if columns > 1 else (1, 1)
    view = lowering.view(mask, (*outer, rows, *inner))
    # Without the parts, which the mask has after the queries.
    read = broadcast_map((*outer, rows, inner[1]), (*leading, queries, keys))
    loops = [*range(len(leading)), rank - 2, rank - 1]
    places = [
        expr.replace_dims_and_symbols([dim(i) for i in loops], [])
        for expr in read.results
    ]
    part = dims(len(leading) if inner[0] > 1 else None)
    return view, AffineMap(rank, 0, (*places[:-1], *part, places[-1]))


def _in_band(b: Scalars, op: nn.AttentionOp, rank: int) -> SSAValue | None:
    """Whether a key is in the band, without a limit that hides nothing."""
    if op.band is None:
        return None
    queries, keys = (tensor_of(v).get_shape()[-2] for v in (op.query, op.key))
    (low, high), index = ints(op.band), IndexType()
    place = b.emit(arith.SubiOp(b.loop_index(rank - 1), b.loop_index(rank - 2)))
    seen: list[SSAValue] = []
    if low > 1 - queries:
        seen.append(b.compare("sle", b.constant(low, index), place))
    if high < keys - 1:
        seen.append(b.compare("sle", place, b.constant(high, index)))
    return reduce(b.both, seen) if seen else None


def _in_use(
    b: Scalars, op: nn.CachedAttentionOp, last: SSAValue, rank: int
) -> SSAValue:
    """Whether a query sees a key of the cache."""
    index, key = IndexType(), b.loop_index(rank - 1)
    if op.parts is not None:
        size = tensor_of(op.key).get_shape()[-2] // int_of(op.parts)
        first = b.multiply(b.loop_index(rank - 3), b.constant(size, index))
        key = b.add(first, key)
    last = b.emit(arith.IndexCastOp(last, index))
    seen = b.compare("sle", key, last)
    if op.window is None:
        return seen
    before = b.emit(arith.SubiOp(last, b.constant(int_of(op.window), index)))
    return b.both(seen, b.compare("slt", before, key))


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


def _divided(op: Attention, lowering: Lowering, inputs: Sequence[Mapped]) -> SSAValue:
    """The mixed values by the sums of their weights, in the dtype of the result."""
    type_ = lowering.result_type
    quotient = _or_zero if int_of(op.empty) else _quotient

    def body(b: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        (value,) = quotient(b, args)
        return [b.narrow(value, type_.element_type)]

    values, maps = zip(*inputs, strict=True)
    return lowering.pointwise(values, type_, body, maps)


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


LOWERINGS = {
    nn.AttentionOp: lower_attention,
    nn.CachedAttentionOp: lower_cached_attention,
}

NO_LOWERING: Mapping[type[Operation], str] = {}
