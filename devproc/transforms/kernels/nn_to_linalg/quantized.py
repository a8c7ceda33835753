"""Conversions of quantized numbers: loops over the elements, in 64 bits or float32."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn import quantized as nn
from devproc.dialects.nn.base import int_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars


def lower_rescale(op: Operation, lowering: Lowering) -> SSAValue:
    """A parallel loop; no step exceeds 64 bits."""
    assert isinstance(op, nn.RescaleOp)
    to = lowering.dtype(op.result)
    input_zero, output_zero = int_of(op.input_zero), int_of(op.output_zero)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        x, multiplier, shift = (s.cast(a, a.type, i64) for a in args)
        if input_zero:
            x = s.emit(arith.SubiOp(x, s.constant(input_zero, i64)))
        one = s.constant(1, i64)
        half = s.emit(arith.ShLIOp(one, s.emit(arith.SubiOp(shift, one))))
        value = s.emit(arith.ShRSIOp(s.add(s.multiply(x, multiplier), half), shift))
        if output_zero:
            value = s.add(value, s.constant(output_zero, i64))
        return [s.cast(_clamped(s, op, value, i64), i64, to)]

    return lowering.pointwise(list(op.operands), lowering.result_type, body)


def lower_quantize(op: Operation, lowering: Lowering) -> SSAValue:
    """A parallel loop; the clamped float is converted to int32, then narrowed."""
    assert isinstance(op, nn.QuantizeOp)
    to = lowering.dtype(op.result)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        x, factor, *zero = args
        value = s.emit(math.RoundEvenOp(s.multiply(x, factor)))
        for point in zero:
            value = s.add(value, s.cast(point, point.type, f32))
        value = _clamped(s, op, value, f32)
        # Conversion of NaN is undefined, and PyTorch's gives 0.
        value = s.select(s.is_nan(value), s.constant(0, f32), value)
        return [s.cast(value, f32, to)]

    return lowering.pointwise(list(op.operands), lowering.result_type, body)


def lower_dequantize(op: Operation, lowering: Lowering) -> SSAValue:
    """A parallel loop in float32."""
    assert isinstance(op, nn.DequantizeOp)
    source = lowering.dtype(op.input)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        x, scale, *zero = args
        value = s.cast(x, source, f32)
        for point in zero:
            value = s.emit(arith.SubfOp(value, s.cast(point, point.type, f32)))
        return [s.multiply(value, s.cast(scale, scale.type, f32))]

    return lowering.pointwise(list(op.operands), lowering.result_type, body)


def _clamped(
    s: Scalars, op: nn.RescaleOp | nn.QuantizeOp, value: SSAValue, element: Attribute
) -> SSAValue:
    low, high = (s.constant(int_of(n), element) for n in (op.low, op.high))
    return s.minimum(s.maximum(value, low, element), high, element)


LOWERINGS = {
    nn.DequantizeOp: lower_dequantize,
    nn.QuantizeOp: lower_quantize,
    nn.RescaleOp: lower_rescale,
}

NO_LOWERING: Mapping[type[Operation], str] = {
    nn.QuantizeGroupsOp: "only in @prepare, which runs at compile time"
}
