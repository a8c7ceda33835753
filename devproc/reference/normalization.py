"""What the normalizations mean, in PyTorch's functions.

A weight in another dtype than the operand is a case that these do not all take: each
computes in float32 at least, and is rounded once.
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
    shape = x.shape[x.dim() - int_of(op.dims) :]
    epsilon = float_of(op.epsilon)
    return _results(
        op, x, *torch.native_layer_norm(_wide(x), shape, weight, bias, epsilon)
    )


def _group_norm(op: GroupNormOp, x: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    weight, bias = _parameters(op, others, "weight", "bias")
    images, channels, groups = *x.shape[:2], int_of(op.groups)
    pixels = x[0, 0].numel()
    return _results(
        op,
        x,
        *torch.native_group_norm(
            _wide(x),
            weight,
            bias,
            images,
            channels,
            pixels,
            groups,
            float_of(op.epsilon),
        ),
    )


def _batch_norm(op: BatchNormOp, x: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    names = ("weight", "bias", "mean", "variance")
    weight, bias, mean, variance = _parameters(op, others, *names)
    return _results(
        op,
        x,
        *torch.native_batch_norm(
            _wide(x),
            weight,
            bias,
            mean,
            variance,
            training=mean is None,
            momentum=0.0,
            eps=float_of(op.epsilon),
        ),
    )


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
