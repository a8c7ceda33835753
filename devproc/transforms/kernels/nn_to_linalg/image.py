"""Resampling: a weighted sum of the neighbours given by the tap table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i8, i32
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.nn import image as nn
from devproc.dialects.nn.base import int_of
from devproc.ir.program.structured import dims
from devproc.ir.types import is_float, tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars


def lower_resample(op: Operation, lowering: Lowering) -> SSAValue:
    """Loops (result..., t): taps[o, t] * source[.., first[o] + t, ..].

    uint8 images are accumulated in int32, starting at one half, then shifted and
    clipped (Pillow's 8-bit path); float images in the type of the taps, skipping NaN
    taps. A `sum` starts at zero and is not clipped.
    """
    assert isinstance(op, nn.ResampleOp)
    axis, source = int_of(op.axis), op.operand
    shape = lowering.result_type.get_shape()
    rank, loops = len(shape), len(shape) + 1
    weight, dtype = tensor_of(op.taps).element_type, lowering.dtype(source)
    element = weight if is_float(weight) else i32
    row_axis = None if op.row_axis is None else int_of(op.row_axis)
    shift = 0 if op.product_shift is None else int_of(op.product_shift)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        first, tap, *rows, total = args
        start = s.emit(arith.IndexCastOp(first, IndexType()))
        neighbour = s.emit(arith.AddiOp(start, s.loop_index(rank)))
        indices = [neighbour if d == axis else s.loop_index(d) for d in range(rank)]
        if row_axis is not None:
            indices[row_axis] = s.emit(arith.IndexCastOp(rows[0], IndexType()))
        value = s.cast(s.extract(source, indices), dtype, element)
        product = s.multiply(value, s.cast(tap, weight, element))
        if is_float(element):
            absent = s.is_nan(tap)
            product = s.select(absent, s.constant(0.0, element), product)
        if shift:
            product = s.emit(arith.ShRSIOp(product, s.constant(shift, i32)))
        return [s.add(total, product)]

    plain = is_float(element) or op.sum is not None
    half = 0 if plain else 1 << (op.rounded_bits - 1)
    start = lowering.fill(half, shape, element)
    rows = (
        [(op.rows, AffineMap(loops, 0, dims(row_axis)))] if op.rows is not None else []
    )
    total = lowering.generic(
        [
            (op.first, AffineMap(loops, 0, dims(axis))),
            (op.taps, AffineMap(loops, 0, dims(axis, rank))),
            *rows,
        ],
        [(start, AffineMap(loops, 0, dims(*range(rank))))],
        [True] * rank + [False],
        body,
    )[0]
    if op.sum is not None:
        return total
    if is_float(element):
        return lowering.epilogue(total)
    clip = partial(_clip_to_uint8, op.rounded_bits)
    return lowering.pointwise([total], lowering.result_type, clip)


def _clip_to_uint8(bits: int, s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
    """The integer part of the fixed-point sum, clamped to 0..255."""
    shifted = s.emit(arith.ShRSIOp(args[0], s.constant(bits, i32)))
    low = s.emit(arith.MaxSIOp(shifted, s.constant(0, i32)))
    clipped = s.emit(arith.MinSIOp(low, s.constant(255, i32)))
    return [s.emit(arith.TruncIOp(clipped, i8))]


LOWERINGS = {nn.ResampleOp: lower_resample}

NO_LOWERING: Mapping[type[Operation], str] = {
    nn.NormalizeOp: "decomposed into pointwise ops",
    nn.ResampleTapsOp: "evaluated in @prepare",
    nn.ResizeOp: "decomposed into nn.resample along each axis",
}
