"""ATen's convolutions over one, two and three dimensions, as two-dimensional ones.

One dimension is an image of height 1. Over three, each slice of the kernel convolves the
images at its depth, and the results are added: nothing is stored more often than a
two-dimensional convolution stores it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.shape import PadOp, SliceOp, TransposeOp
from devproc.dialects.nn.window import Conv2dOp, WinogradFilterOp
from devproc.frontends.torch_export import (
    adaptive,
    column_images,
    grid_sample,
    pool_indices,
    pooling,
    weight_norm,
)
from devproc.frontends.torch_export.builder import GraphBuilder, ImportRule, shape_of
from devproc.frontends.torch_export.formula import Formula, compute_type
from devproc.frontends.torch_export.pieces import expanded, part
from devproc.frontends.torch_export.pooling import as_batch, sizes_of
from devproc.frontends.torch_export.problems import Refusal
from devproc.ir.types import tensor_of


def _rank_of(weight: SSAValue) -> int:
    rank = len(shape_of(weight)) - 2
    if rank not in (1, 2, 3):
        raise Refusal(
            f"convolution over {rank} dimensions is not supported",
            "only one, two and three dimensions are",
        )
    return rank


def _conv(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Sequence[int],
    padding: Sequence[int] | str,
    dilation: Sequence[int],
    groups: int,
) -> SSAValue:
    rank = _rank_of(weight)
    x = as_batch(b, x, rank)
    stride, dilation = sizes_of(stride, rank), sizes_of(dilation, rank)
    low, high = _padding(padding, shape_of(weight)[2:], dilation)
    if low != high:
        x = b.emit(PadOp.around(x, [0, 0, *low], [0, 0, *high]))
        low = [0] * rank
    value = convolved(b, x, weight, bias, stride, low, dilation, groups)
    return b.reshape(value, b.result.get_shape())


def convolved(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> SSAValue:
    """The convolution of a batch with channels; its lists have a value a dimension."""
    if len(stride) == 3:
        return _over_depth(b, x, weight, bias, stride, padding, dilation, groups)
    if len(stride) == 1:
        x, weight = (_insert_height(b, v) for v in (x, weight))
        stride, padding, dilation = [1, *stride], [0, *padding], [1, *dilation]
    operands = [v for v in (x, weight, bias) if v is not None]
    properties = {
        "stride": int_array(stride),
        "padding": int_array(padding),
        "dilation": int_array(dilation),
        "groups": int_attr(groups),
    }
    return b.emit(Conv2dOp.build_op(operands, properties))


def _insert_height(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """NCL as NCHW with height 1."""
    n, c, length = shape_of(x)
    return b.reshape(x, (n, c, 1, length))


def _over_depth(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> SSAValue:
    """The sum over the kernel's depth; in float32 for half precision, rounded once."""
    element = tensor_of(x).element_type
    f = Formula(b, compute_type(element))
    if padding[0]:
        sides = [0, 0, padding[0], 0, 0]
        x = b.emit(PadOp.around(x, sides, sides))
    x = b.transpose(f.value(x), (0, 2, 1, 3, 4))
    (n, depth, *image), kernel = shape_of(x), shape_of(weight)[2]
    count = (depth - dilation[0] * (kernel - 1) - 1) // stride[0] + 1
    if count < 1:
        raise Refusal(
            f"the kernel's depth {kernel} does not fit the padded input's {depth}",
            "use a smaller kernel or more padding",
        )
    total: SSAValue | None = None
    for tap in range(kernel):
        images = part(b, x, 1, tap * dilation[0], count, stride[0])
        images = b.reshape(images, (n * count, *image))
        filters = part(b, f.value(weight), 2, tap, 1)
        filters = b.reshape(filters, (*shape_of(weight)[:2], *shape_of(weight)[3:]))
        plane = (stride[1:], padding[1:], dilation[1:], groups)
        if total is None:
            first = None if bias is None else f.value(bias)
            total = convolved(b, images, filters, first, *plane)
        else:
            total = f(AddOp, total, convolved(b, images, filters, None, *plane))
    assert total is not None
    total = b.reshape(total, (n, count, *shape_of(total)[1:]))
    return b.cast(b.transpose(total, (0, 2, 1, 3, 4)), element)


def _padding(
    padding: Sequence[int] | str, kernel: Sequence[int], dilation: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Zeros before and after each dimension. `same` puts the odd one behind."""
    if padding == "valid":
        return [0] * len(kernel), [0] * len(kernel)
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
        return [t // 2 for t in total], [t - t // 2 for t in total]
    assert not isinstance(padding, str)
    both = sizes_of(padding, len(kernel))
    return both, both


def _convolution(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> SSAValue:
    if transposed:
        return _conv_transpose(
            b, x, weight, bias, stride, padding, output_padding, groups, dilation
        )
    return _conv(b, x, weight, bias, stride, padding, dilation, groups)


def _conv_transpose(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
    dilation: Sequence[int],
) -> SSAValue:
    """The convolution, with turned filters, of the image with zeros between pixels; where
    that is possible, without them.
    """
    rank = _rank_of(weight)
    dilation, strides = sizes_of(dilation, rank), sizes_of(stride, rank)
    x, border = as_batch(b, x, rank), sizes_of(padding, rank)
    if groups == 1 and max(dilation) == 1 < max(strides):
        value = _between_pixels(b, x, weight, bias, strides, border)
        if value is not None:
            return b.reshape(value, b.result.get_shape())
    x = _spread(b, x, strides)
    kernel, more = shape_of(weight)[2:], sizes_of(output_padding, rank)
    reach = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    low = [r - p for r, p in zip(reach, border, strict=True)]
    high = [n + m for n, m in zip(low, more, strict=True)]
    before, behind = ([0, 0, *(max(n, 0) for n in side)] for side in (low, high))
    if any(before) or any(behind):
        x = b.emit(PadOp.around(x, before, behind))
    for axis, (front, back) in enumerate(zip(low, high, strict=True), 2):
        cut, end = max(-front, 0), max(-back, 0)
        x = part(b, x, axis, cut, shape_of(x)[axis] - cut - end)
    one, none = [1] * rank, [0] * rank
    turned = _turned(b, weight, groups)
    value = convolved(b, x, turned, bias, one, none, dilation, groups)
    return b.reshape(value, b.result.get_shape())


def _between_pixels(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    strides: Sequence[int],
    cut: Sequence[int],
) -> SSAValue | None:
    """The pixels that come to lie between two of the image, as channels of one
    convolution, which are put side by side; None where a stride is no divisor of the
    kernel, or the result is longer.

    Along a dimension of stride s, result s * q + r is the sum over j of pixel q - j times
    tap r + s * j: a convolution for each r, with a filter of every s-th tap.
    """
    outputs, *kernel = shape_of(weight)[1:]
    # A tap of zero for what is missing would spread infinities.
    if any(k % s for k, s in zip(kernel, strides, strict=True)):
        return None
    taps = [k // s for k, s in zip(kernel, strides, strict=True)]
    rank = len(kernel)
    places = [n + t - 1 for n, t in zip(shape_of(x)[2:], taps, strict=True)]
    sizes = b.result.get_shape()[-rank:]
    ends = [c + n for c, n in zip(cut, sizes, strict=True)]
    if any(e > s * n for e, s, n in zip(ends, strides, places, strict=True)):
        return None
    filters = _every_tap(b, weight, strides, taps)
    if bias is not None:
        bias = b.reshape(bias, (outputs, 1))
        bias = b.reshape(
            expanded(b, bias, (outputs, prod(strides))), (outputs * prod(strides),)
        )
    one, border = [1] * rank, [t - 1 for t in taps]
    value = convolved(b, x, filters, bias, one, border, one, 1)
    images = shape_of(x)[0]
    value = b.reshape(value, (images, outputs, *strides, *places))
    order = [axis for r in range(rank) for axis in (2 + rank + r, 2 + r)]
    value = b.transpose(value, (0, 1, *order))
    whole = [n * s for n, s in zip(places, strides, strict=True)]
    value = b.reshape(value, (images, outputs, *whole))
    for axis, (front, size) in enumerate(zip(cut, sizes, strict=True), 2):
        value = part(b, value, axis, front, size)
    return value


def _every_tap(
    b: GraphBuilder, weight: SSAValue, strides: Sequence[int], taps: Sequence[int]
) -> SSAValue:
    """Turned filters (out * places, in, ...): for each of the s places that a stride of
    s leaves, one of every s-th tap.
    """
    inputs, outputs = shape_of(weight)[:2]
    rank = len(strides)
    filters = _turned(b, weight, 1)
    pairs = [n for pair in zip(taps, strides, strict=True) for n in pair]
    filters = b.reshape(filters, (outputs, inputs, *pairs))
    axes = range(2, 2 + 2 * rank, 2)
    filters = b.transpose(filters, (0, *(a + 1 for a in axes), 1, *axes))
    shape = (outputs, *strides, inputs, *taps)
    start = [0, *(s - 1 for s in strides), 0, *[0] * rank]
    step = [1, *[-1] * rank, 1, *[1] * rank]
    filters = b.emit(SliceOp.of(filters, start, shape, step))
    return b.reshape(filters, (outputs * prod(strides), inputs, *taps))


def _spread(b: GraphBuilder, x: SSAValue, strides: Sequence[int]) -> SSAValue:
    """The image with `stride - 1` zeros between its pixels."""
    if all(stride == 1 for stride in strides):
        return x
    leading, sizes = shape_of(x)[:2], shape_of(x)[2:]
    x = b.reshape(x, (*leading, *(n for size in sizes for n in (size, 1))))
    behind = [n for stride in strides for n in (0, stride - 1)]
    x = b.emit(PadOp.around(x, [0] * len(shape_of(x)), [0, 0, *behind]))
    spread = [size * stride for size, stride in zip(sizes, strides, strict=True)]
    x = b.reshape(x, (*leading, *spread))
    for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True), 2):
        x = part(b, x, axis, 0, (size - 1) * stride + 1)
    return x


def _turned(b: GraphBuilder, weight: SSAValue, groups: int) -> SSAValue:
    """Filters (in, out / groups, ...) as (out, in / groups, ...), read from behind."""
    inputs, outputs, *kernel = shape_of(weight)
    split = (groups, inputs // groups, outputs, *kernel)
    order = (0, 2, 1, *range(3, len(split)))
    weight = b.transpose(b.reshape(weight, split), order)
    shape = (groups * outputs, inputs // groups, *kernel)
    weight = b.reshape(weight, shape)
    start, step = [0, 0, *(k - 1 for k in kernel)], [1, 1, *(-1 for _ in kernel)]
    return b.emit(SliceOp.of(weight, start, shape, step))


_DEPTH = (Conv2dOp, SliceOp, AddOp, TransposeOp)
_TRANSPOSED = ImportRule(_conv_transpose, (PadOp, SliceOp, Conv2dOp, TransposeOp))

IMPORTS: dict[str, ImportRule] = {
    **adaptive.ROWS,
    **column_images.ROWS,
    **grid_sample.ROWS,
    **pool_indices.ROWS,
    **pooling.ROWS,
    **weight_norm.ROWS,
    "aten.conv1d.default": ImportRule(_conv, (Conv2dOp,)),
    "aten.conv1d.padding": ImportRule(_conv, (Conv2dOp, PadOp)),
    "aten.conv2d.default": ImportRule(_conv, (Conv2dOp,)),
    "aten.conv2d.padding": ImportRule(_conv, (Conv2dOp, PadOp)),
    "aten.conv3d.default": ImportRule(_conv, _DEPTH),
    "aten.conv3d.padding": ImportRule(_conv, (*_DEPTH, PadOp)),
    "aten.conv_transpose1d.default": _TRANSPOSED,
    "aten.conv_transpose2d.input": _TRANSPOSED,
    "aten.conv_transpose3d.input": _TRANSPOSED,
    "aten.convolution.default": ImportRule(_convolution, (Conv2dOp, PadOp, SliceOp)),
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {
    WinogradFilterOp: "built by the pass pack-weights, for the kernels",
}
"""op class -> why no ATen operator becomes it."""
