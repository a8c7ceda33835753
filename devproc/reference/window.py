"""Reference of convolution and pooling."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.window import (
    HWIO_TO_OIHW,
    NHWC_TO_NCHW,
    Conv2dOp,
    MaxPool2dOp,
    PoolOp,
    SumPool2dOp,
    image_shape,
    is_nhwc,
)
from devproc.ir.types import tensor_of
from devproc.reference.conversion.tensors import torch_dtype


def _image(op: Conv2dOp | PoolOp, input: Tensor) -> Tensor:
    """The input as NCHW."""
    return input.permute(NHWC_TO_NCHW) if is_nhwc(op.properties) else input


def _result(op: Conv2dOp | PoolOp, image: Tensor) -> tuple[Tensor, ...]:
    """An NCHW image in the layout of the op."""
    if is_nhwc(op.properties):
        image = image.permute(0, 2, 3, 1).contiguous()
    return (image,)


def _conv2d(
    op: Conv2dOp, input: Tensor, weight: Tensor, bias: Tensor | None = None
) -> tuple[Tensor, ...]:
    # Of the integers PyTorch has int64 only; sums wrap the same way.
    if is_nhwc(op.properties):
        weight = weight.permute(HWIO_TO_OIHW)
    image = _image(op, input)
    wide = [v if v.is_floating_point() else v.long() for v in (image, weight)]
    if bias is not None:
        wide.append(bias.to(wide[0].dtype))
    result = F.conv2d(
        *wide,
        stride=ints(op.stride),
        padding=ints(op.padding),
        dilation=ints(op.dilation),
        groups=int_of(op.groups),
    )
    return _result(op, result.to(torch_dtype(tensor_of(op.result).element_type)))


def _max_pool2d(op: MaxPool2dOp, input: Tensor) -> tuple[Tensor, ...]:
    # For channels last PyTorch counts an image's places in its dtype: int8 has too few.
    result = F.max_pool2d(
        _image(op, input).contiguous(),
        ints(op.kernel),
        ints(op.stride),
        ints(op.padding),
        ints(op.dilation),
        bool(int_of(op.ceil_mode)),
    )
    return _result(op, result)


def _sum_pool2d(op: SumPool2dOp, input: Tensor) -> tuple[Tensor, ...]:
    shape = image_shape(op.result.type.get_shape(), op.properties)
    image = _image(op, input)
    kernel, strides, dilations = ints(op.kernel), ints(op.stride), ints(op.dilation)
    # The padding at the far side extends to the end of the last window.
    last = [
        (size - 1) * stride + (k - 1) * dilation + 1
        for size, stride, k, dilation in zip(
            shape[2:], strides, kernel, dilations, strict=True
        )
    ]
    (top, left), (height, width) = ints(op.padding), image.shape[2:]
    wide = image.double() if image.is_floating_point() else image.long()
    wide = F.pad(wide, (left, last[1] - left - width, top, last[0] - top - height))
    for axis, (k, stride, dilation) in enumerate(
        zip(kernel, strides, dilations, strict=True), 2
    ):
        windows = wide.unfold(axis, (k - 1) * dilation + 1, stride)
        wide = windows[..., ::dilation].sum(-1)
    return _result(op, wide[:, :, : shape[2], : shape[3]].to(input.dtype))


REFERENCE = {
    Conv2dOp: _conv2d,
    MaxPool2dOp: _max_pool2d,
    SumPool2dOp: _sum_pool2d,
}
"""op class -> function of the op and its operands."""
