"""What convolution and pooling mean."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.window import Conv2dOp, MaxPool2dOp


def _conv2d(
    op: Conv2dOp, input: Tensor, weight: Tensor, bias: Tensor | None = None
) -> tuple[Tensor, ...]:
    result = F.conv2d(
        input,
        weight,
        bias,
        ints(op.stride),
        ints(op.padding),
        ints(op.dilation),
        int_of(op.groups),
    )
    return (result,)


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


REFERENCE = {Conv2dOp: _conv2d, MaxPool2dOp: _max_pool2d}
"""op class -> function of the op and its operands."""
