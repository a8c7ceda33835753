"""What convolution and pooling mean."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.window import Conv2dOp, MaxPool2dOp, SumPool2dOp


def _conv2d(
    op: Conv2dOp, input: Tensor, weight: Tensor, bias: Tensor | None = None
) -> tuple[Tensor, ...]:
    # PyTorch has int64 only of the integers; their sums wrap alike.
    wide = [v if v.is_floating_point() else v.long() for v in (input, weight)]
    if bias is not None:
        wide.append(bias.to(wide[0].dtype))
    result = F.conv2d(
        *wide,
        stride=ints(op.stride),
        padding=ints(op.padding),
        dilation=ints(op.dilation),
        groups=int_of(op.groups),
    )
    return (result.to(input.dtype),)


def _max_pool2d(op: MaxPool2dOp, input: Tensor) -> tuple[Tensor, ...]:
    result = F.max_pool2d(
        input,
        ints(op.kernel),
        ints(op.stride),
        ints(op.padding),
        ints(op.dilation),
        bool(int_of(op.ceil_mode)),
    )
    return (result,)


def _sum_pool2d(op: SumPool2dOp, input: Tensor) -> tuple[Tensor, ...]:
    shape = op.result.type.get_shape()
    kernel, strides, dilations = ints(op.kernel), ints(op.stride), ints(op.dilation)
    # The border on the far side reaches as far as the last window does.
    last = [
        (size - 1) * stride + (k - 1) * dilation + 1
        for size, stride, k, dilation in zip(
            shape[2:], strides, kernel, dilations, strict=True
        )
    ]
    (top, left), (height, width) = ints(op.padding), input.shape[2:]
    wide = input.double() if input.is_floating_point() else input.long()
    wide = F.pad(wide, (left, last[1] - left - width, top, last[0] - top - height))
    for axis, (k, stride, dilation) in enumerate(
        zip(kernel, strides, dilations, strict=True), 2
    ):
        windows = wide.unfold(axis, (k - 1) * dilation + 1, stride)
        wide = windows[..., ::dilation].sum(-1)
    return (wide[:, :, : shape[2], : shape[3]].to(input.dtype),)


REFERENCE = {
    Conv2dOp: _conv2d,
    MaxPool2dOp: _max_pool2d,
    SumPool2dOp: _sum_pool2d,
}
"""op class -> function of the op and its operands."""
