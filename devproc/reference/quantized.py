"""Reference of the conversions of quantized numbers."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.quantized import DequantizeOp, QuantizeOp, RescaleOp
from devproc.reference.conversion.tensors import torch_dtype


def _rescale(
    op: RescaleOp, x: Tensor, multiplier: Tensor, shift: Tensor
) -> tuple[Tensor, ...]:
    wide = shift.long()
    half = torch.ones_like(wide) << (wide - 1)
    scaled = ((x.long() - int_of(op.input_zero)) * multiplier.long() + half) >> wide
    return (_clamped(op, scaled + int_of(op.output_zero)),)


def _quantize(
    op: QuantizeOp, x: Tensor, factor: Tensor, zero: Tensor | None = None
) -> tuple[Tensor, ...]:
    rounded = torch.round(x * factor)
    if zero is not None:
        rounded = rounded + zero
    return (_clamped(op, rounded),)


def _clamped(op: RescaleOp | QuantizeOp, value: Tensor) -> Tensor:
    value = value.clamp(int_of(op.low), int_of(op.high))
    return value.nan_to_num(0).to(torch_dtype(op.dtype))


def _dequantize(
    op: DequantizeOp, x: Tensor, scale: Tensor, zero: Tensor | None = None
) -> tuple[Tensor, ...]:
    wide = x.float()
    return ((wide if zero is None else wide - zero) * scale,)


REFERENCE = {DequantizeOp: _dequantize, QuantizeOp: _quantize, RescaleOp: _rescale}
"""op class -> function of the op and its operands."""
