"""Rules of convolutions and pools."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn.base import int_array, int_attr, int_of, ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.contraction import LinearOp
from devproc.dialects.nn.shape import PadOp, ReshapeOp, TransposeOp
from devproc.dialects.nn.window import (
    FEW_CHANNELS,
    OPS,
    Conv2dOp,
    MaxPool2dOp,
    PoolOp,
    SumPool2dOp,
    image_shape,
)
from devproc.ir.types import is_float, lowest, tensor, tensor_of
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.costs import Cost, products, results
from devproc.op_rules.base.images import NCHW_TO_NHWC, OIHW_TO_HWIO, Images
from devproc.op_rules.base.tolerances import Tolerance

WIDE_PIXEL = 4
"""Channels of an image of few channels, on devices that load several at once."""


def _window(images: Images, op: Conv2dOp | PoolOp) -> SSAValue:
    if isinstance(op, Conv2dOp) and _reads_one_pixel(op):
        weight = ReshapeOp.to(op.weight, tensor_of(op.weight).get_shape()[:2])
        operands = [images.image(op.input), images.emit(weight)]
        operands += [op.bias] if op.bias else []
        return images.emit(LinearOp.build_op(operands))
    if images.masks_padding:
        return _masked(images, op)
    operands = [_padded(images, op)]
    if isinstance(op, Conv2dOp):
        operands.append(images.emit(TransposeOp.by(op.weight, OIHW_TO_HWIO)))
        operands += [op.bias] if op.bias else []
    changed: dict[str, Attribute] = {
        "padding": int_array((0, 0)),
        "layout": StringAttr("nhwc"),
    }
    if isinstance(op, PoolOp):
        changed["ceil_mode"] = int_attr(0)
    return images.rebuild(op, operands, **changed)


def _reads_one_pixel(op: Conv2dOp) -> bool:
    """Whether a convolution is a linear layer of one pixel of each image, as those of
    squeeze and excitation are."""
    return (
        tensor_of(op.input).get_shape()[2:] == (1, 1)
        and tensor_of(op.weight).get_shape()[2:] == (1, 1)
        and int_of(op.groups) == 1
        and not any(ints(op.padding))
    )


def _masked(images: Images, op: Conv2dOp | PoolOp) -> SSAValue:
    """The window with its own padding. Pixels of three channels become pixels of four,
    which one load takes: the transpose of the image writes the fourth as zero."""
    layout = StringAttr("nhwc")
    if isinstance(op, PoolOp):
        return images.rebuild(op, [images.image(op.input)], layout=layout)
    weight, element = op.weight, tensor_of(op.input).element_type
    if tensor_of(weight).get_shape()[1] == WIDE_PIXEL - 1 and is_float(element):
        image = _widened(images, op.input)
        weight = images.emit(PadOp.around(weight, (0, 0, 0, 0), (0, 1, 0, 0)))
    else:
        image = images.image(op.input)
    filters = images.emit(TransposeOp.by(weight, OIHW_TO_HWIO))
    bias = [op.bias] if op.bias else []
    return images.rebuild(op, [image, filters, *bias], layout=layout)


def _widened(images: Images, image: SSAValue) -> SSAValue:
    """An image with one more channel, of zeros, and channels last."""
    if image in images.nhwc:
        last = images.nhwc[image]
        return images.emit(PadOp.around(last, (0, 0, 0, 0), (0, 0, 0, 1)))
    wide = images.emit(PadOp.around(image, (0, 0, 0, 0), (0, 1, 0, 0)))
    return images.emit(TransposeOp.by(wide, NCHW_TO_NHWC))


def _padded(images: Images, op: Conv2dOp | PoolOp) -> SSAValue:
    """The image with the padding of the windows, as a separate op.

    The padding after the image has the size that the user wrote, even if a stride
    leaves some of it unread: then layers with and without a stride read the same padded
    image, which one kernel writes.

    An image of few channels is padded before it is transposed: a convolution can read
    the transposed image in place, element by element.
    """
    if isinstance(op, Conv2dOp):
        kernel: Sequence[int] = tensor_of(op.weight).get_shape()[2:]
    else:
        kernel = ints(op.kernel)
    sizes = image_shape(tensor_of(op.input).get_shape(), op.properties)[2:]
    counts = image_shape(tensor_of(op.result).get_shape(), op.properties)[2:]
    low = ints(op.padding)
    high = [
        max(before, (count - 1) * stride + (k - 1) * dilation + 1 - before - size)
        for count, stride, k, dilation, before, size in zip(
            counts,
            ints(op.stride),
            kernel,
            ints(op.dilation),
            low,
            sizes,
            strict=True,
        )
    ]
    if not any((*low, *high)):
        return images.image(op.input)
    value = None
    if isinstance(op, MaxPool2dOp):
        element = tensor_of(op.input).element_type
        least = ConstantOp.of(tensor(element, ()), [lowest(element)])
        value = images.emit(least)
    if op.input in images.nhwc or tensor_of(op.input).get_shape()[1] > FEW_CHANNELS:
        image = images.image(op.input)
        return images.emit(PadOp.around(image, (0, *low, 0), (0, *high, 0), value))
    padded = images.emit(PadOp.around(op.input, (0, 0, *low), (0, 0, *high), value))
    return images.image(padded)


def _taps(op: Operation) -> int:
    return results(op) * prod(ints(op.properties["kernel"]))


POOL = Cost(flops=_taps, is_anchor=True)

SLICING = dict.fromkeys(OPS, reasons.OVERLAPPING)
BATCH = dict.fromkeys(OPS, batches.first)
CHANNELS_LAST = dict.fromkeys(OPS, _window)
COST = {
    Conv2dOp: Cost(flops=products, is_anchor=True),
    MaxPool2dOp: POOL,
    SumPool2dOp: POOL,
}
TOLERANCE = {
    Conv2dOp: Tolerance.SUMMED,
    MaxPool2dOp: Tolerance.EXACT,
    SumPool2dOp: Tolerance.ROUNDED,
}
