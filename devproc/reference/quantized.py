"""Reference of the conversions of quantized numbers."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.quantized import (
    DequantizeOp,
    QuantizeGroupsOp,
    QuantizeOp,
    RescaleOp,
)
from devproc.errors import CompileError
from devproc.reference.conversion.arrays import to_torch
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


def _quantize_groups(op: QuantizeGroupsOp, weight: Tensor) -> tuple[Tensor, ...]:
    groups = weight.reshape(weight.shape[0], -1, int_of(op.group)).numpy()
    if op.zero is not None:
        return _with_zero_points(groups, int_of(op.bits))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        # As `quantize_blocks` of GGUF's package: the reciprocal of the exact scale.
        if int_of(op.bits) == 8:
            scale = np.abs(groups).max(-1, keepdims=True) / np.float32(127)
            scaled = groups * np.where(scale == 0, np.float32(0), 1 / scale)
            whole = np.floor(np.abs(scaled))
            # Halves away from zero.
            whole += np.floor(2 * (np.abs(scaled) - whole))
            numbers = np.copysign(whole, scaled)
        else:
            largest = np.abs(groups).argmax(-1)[..., None]
            scale = np.take_along_axis(groups, largest, -1) / np.float32(-8)
            inverse = np.where(scale == 0, np.float32(0), 1 / scale)
            scaled = groups.astype(np.float64) * inverse.astype(np.float64)
            numbers = np.clip(np.trunc(scaled + 8.5), 0, 15) - 8
        scales = scale.astype(np.float16)
    _require_finite(scales)
    return tuple(map(to_torch, (numbers.astype(np.int8), scales), ("int8", "float16")))


def _with_zero_points(groups: np.ndarray, bits: int) -> tuple[Tensor, ...]:
    top = (1 << bits) - 1
    low = np.minimum(groups.min(-1, keepdims=True), 0)
    high = np.maximum(groups.max(-1, keepdims=True), 0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        # Divided before the difference, which may overflow.
        scales = (high / np.float32(top) - low / np.float32(top)).astype(np.float16)
        _require_finite(scales)
        scale = scales.astype(np.float32)
        inverse = np.where(scale == 0, np.float32(0), 1 / scale)
        zeros = np.clip(np.rint(-low * inverse), 0, top)
        numbers = np.clip(np.rint(groups * inverse) + zeros, 0, top)
    made = numbers.astype(np.uint8), scales, zeros.astype(np.int32)
    return tuple(map(to_torch, made, ("uint8", "float16", "int32")))


def _require_finite(scales: np.ndarray) -> None:
    if not np.isfinite(scales).all():
        raise CompileError(
            "a weight to be stored in groups holds NaN, infinity, or numbers whose scale"
            " is no float16 (above 65504); compile without `weights`, or scale the weight"
        )


REFERENCE = {
    DequantizeOp: _dequantize,
    QuantizeGroupsOp: _quantize_groups,
    QuantizeOp: _quantize,
    RescaleOp: _rescale,
}
"""op class -> function of the op and its operands."""
