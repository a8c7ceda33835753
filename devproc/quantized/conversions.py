"""Conversions between float, int32 sums and int8: RESCALE, quantize, dequantize."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from devproc.quantized.operators import operator
from devproc.quantized.scales import MULTIPLIER_LIMIT, SHIFTS


def rescale(
    x: Tensor,
    multiplier: Sequence[int],
    shift: Sequence[int],
    axis: int | None = None,
    input_zero: int = 0,
    output_zero: int = 0,
    dtype: torch.dtype = torch.int8,
    low: int | None = None,
    high: int | None = None,
) -> Tensor:
    """TOSA 1.0's RESCALE with SINGLE_ROUND: `(x - input_zero) * multiplier / 2**shift`,
    rounded half up, plus `output_zero`, clamped to `low` and `high` (by default the
    limits of `dtype`).

    `x` is int8 or int32 of any shape, the result `dtype`: int8 or int32. One multiplier
    and shift for all, or one for each index of `axis`. Multipliers
    are from 0 to 2**31 - 1, shifts from 2 to 62; only int8 has zero points.

    Raises TypeError for other dtypes, ValueError for other numbers.
    """
    limits = torch.iinfo(dtype)
    low = limits.min if low is None else low
    high = limits.max if high is None else high
    return _rescale(
        x, multiplier, shift, axis, input_zero, output_zero, dtype, low, high
    )


def quantize(
    x: Tensor, scale: Sequence[float], axis: int | None = None, zero_point: int = 0
) -> Tensor:
    """float32 as int8 of the same shape: `x * (1 / scale)` in float32, rounded half to
    even, plus `zero_point`, clamped to -128 and 127; NaN becomes 0.

    One scale for all, or one for each index of `axis`. As `quantize_per_tensor` and
    `quantize_per_channel` of `quantized_decomposed`.

    Raises TypeError for another dtype, ValueError for other numbers.
    """
    return _quantize(x, scale, axis, zero_point)


def dequantize(
    x: Tensor, scale: Sequence[float], axis: int | None = None, zero_point: int = 0
) -> Tensor:
    """int8 or int32 as float32 of the same shape: `(x - zero_point) * scale`, each step
    in float32. One scale for all, or one for each index of `axis`.

    Raises TypeError for another dtype, ValueError for other numbers.
    """
    return _dequantize(x, scale, axis, zero_point)


def along_axis(values: Tensor, x: Tensor, axis: int | None) -> Tensor:
    """Numbers for each index of an axis (or one for all) in a shape that broadcasts to
    `x`. Raises ValueError for another count of them.
    """
    count = 1 if axis is None else x.shape[axis]
    if values.numel() != count:
        where = "all elements" if axis is None else f"axis {axis} of {tuple(x.shape)}"
        raise ValueError(f"{where} takes {count} numbers, got {values.numel()}")
    if axis is None:
        return values.reshape(())
    return values.reshape([count, *[1] * (x.dim() - 1 - axis % x.dim())])


@operator
def _rescale(
    x: Tensor,
    multiplier: Sequence[int],
    shift: Sequence[int],
    axis: int | None,
    input_zero: int,
    output_zero: int,
    dtype: torch.dtype,
    low: int,
    high: int,
) -> Tensor:
    _require_integers("rescale", x.dtype, dtype)
    if not all(0 <= m < MULTIPLIER_LIMIT for m in multiplier):
        raise ValueError(f"multipliers are from 0 to 2**31 - 1, got {multiplier}")
    if not all(s in SHIFTS for s in shift):
        raise ValueError(f"shifts are from 2 to 62, got {shift}")
    for zero, of in ((input_zero, x.dtype), (output_zero, dtype)):
        if zero and of != torch.int8:
            raise ValueError(f"only int8 has zero points, got {zero} of {of}")
    limits = torch.iinfo(dtype)
    if not limits.min <= low <= high <= limits.max:
        raise ValueError(f"{dtype} cannot be clamped to {low} and {high}")
    factors = along_axis(torch.tensor(multiplier), x, axis)
    shifts = along_axis(torch.tensor(shift), x, axis)
    half = torch.ones_like(shifts) << (shifts - 1)
    scaled = ((x.long() - input_zero) * factors + half) >> shifts
    return (scaled + output_zero).clamp(low, high).to(dtype)


@operator
def _quantize(
    x: Tensor, scale: Sequence[float], axis: int | None, zero_point: int
) -> Tensor:
    if x.dtype != torch.float32:
        raise TypeError(f"quantize takes float32, got {x.dtype}")
    if not all(s > 0 for s in scale):
        raise ValueError(f"scales are above 0, got {scale}")
    factor = 1 / torch.tensor(scale, dtype=torch.float64)
    rounded = torch.round(x * along_axis(factor.float(), x, axis))
    return (rounded + zero_point).clamp(-128, 127).nan_to_num(0).to(torch.int8)


@operator
def _dequantize(
    x: Tensor, scale: Sequence[float], axis: int | None, zero_point: int
) -> Tensor:
    _require_integers("dequantize", x.dtype)
    return (x.float() - zero_point) * along_axis(torch.tensor(scale), x, axis)


def _require_integers(what: str, *dtypes: torch.dtype) -> None:
    for dtype in dtypes:
        if dtype not in (torch.int8, torch.int32):
            raise TypeError(f"{what} takes int8 and int32, got {dtype}")
