"""Conversions of quantized numbers: those of `devproc.quantized`, and those of programs
that PyTorch quantized (`quantized_decomposed`).

Scales and zero points of one program are numbers or tensors; here they are tensors that
broadcast to the input.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.pointwise import DivOp
from devproc.dialects.nn.quantized import (
    DequantizeOp,
    QuantizeGroupsOp,
    QuantizeOp,
    RescaleOp,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.ir.types import DTYPES, item_size, tensor_of

F32, I32, I8, U8 = (DTYPES[name] for name in ("float32", "int32", "int8", "uint8"))


def _along(
    b: GraphBuilder, values: SSAValue, x: SSAValue, axis: int | None
) -> SSAValue:
    """One number for all elements, or one for each index of an axis, as a tensor that
    broadcasts to `x`.
    """
    return b.reshape(values, _shape(size_of(values), x, axis))


def _shape(count: int, x: SSAValue, axis: int | None) -> tuple[int, ...]:
    if axis is None:
        return ()
    rank = len(shape_of(x))
    return (count, *[1] * (rank - 1 - axis_of(axis, rank)))


def _numbers(
    b: GraphBuilder,
    values: Sequence[float],
    dtype: torch.dtype,
    x: SSAValue,
    axis: int | None,
    name: str,
) -> SSAValue:
    """A constant of numbers, in the shape of `_along`."""
    constant = torch.tensor(values, dtype=dtype).reshape(_shape(len(values), x, axis))
    return b.constant(constant, f"{b.node_name}.{name}")


def _limits(low: int, high: int) -> dict[str, IntegerAttr]:
    return {"low": int_attr(low), "high": int_attr(high)}


def _rescale(
    b: GraphBuilder,
    x: SSAValue,
    multiplier: Sequence[int],
    shift: Sequence[int],
    axis: int | None,
    input_zero: int,
    output_zero: int,
    dtype: torch.dtype,
    low: int,
    high: int,
) -> SSAValue:
    operands = [
        x,
        _numbers(b, multiplier, torch.int32, x, axis, "multiplier"),
        _numbers(b, shift, torch.int8, x, axis, "shift"),
    ]
    properties: dict[str, Attribute] = {
        "input_zero": int_attr(input_zero),
        "dtype": b.result.element_type,
        "output_zero": int_attr(output_zero),
        **_limits(low, high),
    }
    return b.emit(RescaleOp.build_op(operands, properties))


def _quantized(
    b: GraphBuilder,
    x: SSAValue,
    factor: SSAValue,
    zero: SSAValue | None,
    low: int,
    high: int,
) -> SSAValue:
    operands = [x, factor, *([] if zero is None else [zero])]
    properties = {"dtype": b.result.element_type, **_limits(low, high)}
    return b.emit(QuantizeOp.build_op(operands, properties))


def _dequantized(
    b: GraphBuilder, x: SSAValue, scale: SSAValue, zero: SSAValue | None
) -> SSAValue:
    operands = [x, scale, *([] if zero is None else [zero])]
    return b.emit(DequantizeOp.build_op(operands))


def _point(b: GraphBuilder, zero_point: int) -> SSAValue | None:
    return b.scalar(zero_point, I32) if zero_point else None


def _reciprocals(scale: Sequence[float]) -> list[float]:
    if not all(scale):
        raise Refusal(f"a scale is 0 in {scale}", "use scales above 0")
    return [1 / s for s in scale]


def _quantize(
    b: GraphBuilder,
    x: SSAValue,
    scale: Sequence[float],
    axis: int | None,
    zero_point: int,
) -> SSAValue:
    factor = _numbers(b, _reciprocals(scale), torch.float32, x, axis, "factor")
    return _quantized(b, x, factor, _point(b, zero_point), -128, 127)


def _dequantize(
    b: GraphBuilder,
    x: SSAValue,
    scale: Sequence[float],
    axis: int | None,
    zero_point: int,
) -> SSAValue:
    factor = _numbers(b, scale, torch.float32, x, axis, "scale")
    return _dequantized(b, x, factor, _point(b, zero_point))


def _quantize_per_tensor(
    b: GraphBuilder,
    x: SSAValue,
    scale: float,
    zero_point: int,
    low: int,
    high: int,
    dtype: torch.dtype,
) -> SSAValue:
    factor = b.scalar(_reciprocals([scale])[0], F32)
    return _quantized(b, b.cast(x, F32), factor, _point(b, zero_point), low, high)


def _quantize_per_channel(
    b: GraphBuilder,
    x: SSAValue,
    scales: SSAValue,
    zero_points: SSAValue,
    axis: int,
    low: int,
    high: int,
    dtype: torch.dtype,
) -> SSAValue:
    _require_float32(scales)
    factor = b.emit(DivOp.build_op([b.scalar(1, F32), scales]))
    zero = _along(b, b.cast(zero_points, I32), x, axis)
    factor = _along(b, factor, x, axis)
    return _quantized(b, b.cast(x, F32), factor, zero, low, high)


def _dequantize_per_tensor(
    b: GraphBuilder,
    x: SSAValue,
    scale: float,
    zero_point: int,
    low: int,
    high: int,
    dtype: torch.dtype,
    out_dtype: torch.dtype | None = None,
) -> SSAValue:
    _require_float32_result(b)
    return _dequantized(b, x, b.scalar(scale, F32), _point(b, zero_point))


def _dequantize_per_channel(
    b: GraphBuilder,
    x: SSAValue,
    scales: SSAValue,
    zero_points: SSAValue | None,
    axis: int,
    low: int,
    high: int,
    dtype: torch.dtype,
    out_dtype: torch.dtype | None = None,
) -> SSAValue:
    _require_float32(scales)
    _require_float32_result(b)
    if zero_points is not None:
        zero_points = _zero_points(b, x, zero_points, axis)
    return _dequantized(b, x, _along(b, scales, x, axis), zero_points)


def _zero_points(
    b: GraphBuilder, x: SSAValue, zero_points: SSAValue, axis: int
) -> SSAValue:
    """Zero points in float32 arithmetic; PyTorch subtracts them as integers, which is the
    same for 8 bits only.
    """
    if item_size(tensor_of(x).element_type) > 1:
        raise Refusal(
            f"int32 with zero points for each index of axis {axis} is not supported",
            "export without zero points",
        )
    return _along(b, b.cast(zero_points, I32), x, axis)


def _require_float32(scales: SSAValue) -> None:
    element = tensor_of(scales).element_type
    if element != F32:
        raise Refusal(
            f"scales of {element} are not supported", "convert them to float32"
        )


def _require_float32_result(b: GraphBuilder) -> None:
    if b.result.element_type != F32:
        raise Refusal(
            f"a result of {b.result.element_type} is not supported",
            "dequantize to float32 and convert",
        )


IMPORTS: dict[str, ImportRule] = {
    "devproc.rescale.default": ImportRule(_rescale, (RescaleOp,)),
    "devproc.quantize.default": ImportRule(_quantize, (QuantizeOp,)),
    "devproc.dequantize.default": ImportRule(_dequantize, (DequantizeOp,)),
    "quantized_decomposed.quantize_per_tensor.default": ImportRule(
        _quantize_per_tensor, (QuantizeOp,)
    ),
    "quantized_decomposed.quantize_per_channel.default": ImportRule(
        _quantize_per_channel, (QuantizeOp, DivOp)
    ),
    "quantized_decomposed.dequantize_per_tensor.default": ImportRule(
        _dequantize_per_tensor, (DequantizeOp,)
    ),
    "quantized_decomposed.dequantize_per_channel.default": ImportRule(
        _dequantize_per_channel, (DequantizeOp,)
    ),
}
"""Operator -> import rule."""

NO_IMPORT: dict[type[Operation], str] = {
    QuantizeGroupsOp: "built by the pass quantize-weights",
}
"""op class -> why no operator is imported as it."""
