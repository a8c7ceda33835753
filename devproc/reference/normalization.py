"""Reference of the normalizations, by PyTorch's functions.

Not all of these accept a weight whose dtype differs from the operand's, so each computes
in float32 at least and rounds once.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from devproc.dialects.nn.base import float_of, int_of
from devproc.dialects.nn.normalization import (
    BatchNormOp,
    GroupNormOp,
    LayerNormOp,
    NormalizationOp,
    RmsNormOp,
)


def _parameters(
    op: NormalizationOp, operands: Sequence[Tensor], *names: str
) -> list[Tensor | None]:
    """The operands of these names, widened; None for each that is left out."""
    given = iter(operands)
    found = [None if getattr(op, name) is None else next(given) for name in names]
    return [p if p is None else _wide(p) for p in found]


def _wide(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _results(
    op: NormalizationOp, x: Tensor, value: Tensor, *moments: Tensor
) -> tuple[Tensor, ...]:
    shapes = [result.type.get_shape() for result in op.moments]
    shown = [m.reshape(shape) for m, shape in zip(moments, shapes, strict=False)]
    return (value.to(x.dtype), *shown)


def _layer_norm(op: LayerNormOp, x: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    weight, bias = _parameters(op, others, "weight", "bias")
    shape, wide = x.shape[x.dim() - int_of(op.dims) :], _wide(x)
    found = torch.native_layer_norm(wide, shape, weight, bias, float_of(op.epsilon))
    return _results(op, x, *found)


def _group_norm(op: GroupNormOp, x: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    weight, bias = _parameters(op, others, "weight", "bias")
    images, channels, pixels = *x.shape[:2], x[0, 0].numel()
    groups, epsilon, wide = int_of(op.groups), float_of(op.epsilon), _wide(x)
    found = torch.native_group_norm(
        wide, weight, bias, images, channels, pixels, groups, epsilon
    )
    return _results(op, x, *found)


def _batch_norm(op: BatchNormOp, x: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    names = ("weight", "bias", "mean", "variance")
    weight, bias, mean, variance = _parameters(op, others, *names)
    training, epsilon, wide = mean is None, float_of(op.epsilon), _wide(x)
    found = torch.native_batch_norm(
        wide, weight, bias, mean, variance, training, 0.0, epsilon
    )
    return _results(op, x, *found)


def _rms_norm(op: RmsNormOp, x: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    (weight,) = _parameters(op, others, "weight")
    wide, epsilon = _wide(x), float_of(op.epsilon)
    axes = range(x.dim() - int_of(op.dims), x.dim())
    value = torch.rms_norm(wide, x.shape[axes.start :], weight, epsilon)
    moment = torch.rsqrt(wide.square().mean(list(axes), True) + epsilon)
    return _results(op, x, value, moment)


REFERENCE = {
    BatchNormOp: _batch_norm,
    GroupNormOp: _group_norm,
    LayerNormOp: _layer_norm,
    RmsNormOp: _rms_norm,
}
"""op class -> function of the op and its operands."""
