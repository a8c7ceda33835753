"""Reference of the image ops: the arithmetic of Pillow, ATen and OpenCV, step by step.

The folder `taps` computes the tap tables; images are resampled with PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Operation

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.image import BRIGHTEST, NormalizeOp, ResizeOp
from devproc.dialects.nn.resampling.filters import read_rows
from devproc.dialects.nn.resampling.resample import ResampleOp, ResampleTapsOp
from devproc.ir.types import dtype_name
from devproc.reference.conversion.tensors import type_of
from devproc.reference.taps.tap_tables import fraction_bits_of, weights_of


def _resample_taps(op: ResampleTapsOp) -> tuple[Tensor, ...]:
    form = (
        int_of(op.in_size),
        int_of(op.out_size),
        op.mode.data,
        op.like.data,
        op.dtype.data,
    )
    first, taps = weights_of(*form, compact=op.compact is not None)
    lists: list[Any] = [first]
    if op.compact is not None:
        rows, starts = read_rows(*form)
        lists = [starts, rows]
    starts, *rows = (torch.tensor(np.array(v, np.int32)) for v in lists)
    return starts, torch.tensor(taps.astype(op.dtype.data)), *rows


def _resample(
    op: ResampleOp,
    operand: Tensor,
    first: Tensor,
    taps: Tensor,
    rows: Tensor | None = None,
) -> tuple[Tensor, ...]:
    if rows is not None and op.row_axis is not None:
        operand = operand.index_select(int_of(op.row_axis), rows)
    axis = int_of(op.axis)
    if op.sum is None:
        return (resample(operand, first, taps, axis, op.rounded_bits),)
    shift = 0 if op.product_shift is None else int_of(op.product_shift)
    total = weighted_sum(operand, first, taps, axis, 0, shift)
    return (total.movedim(-1, axis).contiguous(),)


def weighted_sum(
    operand: Tensor, first: Tensor, taps: Tensor, axis: int, start: int, shift: int = 0
) -> Tensor:
    """The weighted sums along an axis, which becomes the last; taps are added in order."""
    source = operand.movedim(axis, -1)
    shape = (*source.shape[:-1], taps.shape[0])
    dtype = torch.int32 if taps.dtype == torch.int16 else taps.dtype
    total = torch.full(shape, start, dtype=dtype)
    for t in range(taps.shape[1]):
        product = source[..., (first + t).long()].to(dtype) * taps[:, t]
        if shift:
            product >>= shift
        total += torch.where(taps[:, t].isnan(), 0, product)
    return total


def resample(
    operand: Tensor, first: Tensor, taps: Tensor, axis: int, bits: int
) -> Tensor:
    """The weighted sums along an axis, rounded as `nn.resample` says."""
    fixed = operand.dtype == torch.uint8
    start = 1 << (bits - 1) if fixed else 0
    total = weighted_sum(operand, first, taps, axis, start)
    if fixed:
        total = (total >> bits).clamp(0, 255)
    return total.to(operand.dtype).movedim(-1, axis).contiguous()


def _resize(op: ResizeOp, operand: Tensor) -> tuple[Tensor, ...]:
    for axis, size in op.passes():
        mode, like, dtype = op.mode.data, op.like.data, op.tap_dtype
        form = (operand.shape[axis], size, mode, like, dtype)
        first, taps = _resample_taps(ResampleTapsOp.table(*form))
        operand = resample(operand, first, taps, axis, fraction_bits_of(*form))
    return (operand,)


def _normalize(op: NormalizeOp, operand: Tensor) -> tuple[Tensor, ...]:
    # torchvision's ToTensor and Normalize, in their order.
    brightest = BRIGHTEST.get(dtype_name(type_of(operand).element_type))
    if brightest is not None:
        operand = operand.to(torch.float32).div(brightest)
    axis = int_of(op.axis)
    shape = [1] * operand.dim()
    if axis >= 0:
        shape[axis] = -1
    mean, std = (
        torch.tensor(_floats(v), dtype=torch.float32).reshape(shape)
        for v in (op.mean, op.std)
    )
    return (operand.sub(mean).div(std),)


def _floats(attribute: DenseArrayBase[Any]) -> list[float]:
    return [float(v) for v in cast(tuple[float, ...], attribute.get_values())]


REFERENCE: Mapping[type[Operation], Callable[..., tuple[Tensor, ...]]] = {
    NormalizeOp: _normalize,
    ResampleOp: _resample,
    ResampleTapsOp: _resample_taps,
    ResizeOp: _resize,
}
"""op class -> function of the op and its operands."""
