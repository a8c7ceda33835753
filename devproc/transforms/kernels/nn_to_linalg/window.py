"""Windows: a padded input, read at d * stride + k * dilation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from devproc.dialects.nn import window as nn
from devproc.dialects.nn.base import int_of, ints
from devproc.ir.program.structured import dim, dims
from devproc.ir.types import lowest, tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering, Mapped
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars, compute_type
from devproc.transforms.kernels.nn_to_linalg.contraction import multiply_add


def window_indices(
    op: nn.Conv2dOp | nn.PoolOp,
    outer: Sequence[int],
    inner: Sequence[int],
    shift: Sequence[int],
) -> tuple[AffineExpr, ...]:
    """d * stride + k * dilation for the loops of the output and of the window."""
    return tuple(
        dim(d) * stride + dim(k) * dilation + more
        for d, k, stride, dilation, more in zip(
            outer, inner, ints(op.stride), ints(op.dilation), shift, strict=True
        )
    )


def pad_image(
    lowering: Lowering,
    op: nn.Conv2dOp | nn.PoolOp,
    source: SSAValue,
    kernel: Sequence[int],
    value: float,
) -> tuple[SSAValue, tuple[int, ...]]:
    """The input with the padding that the windows read, and its additional offset.

    Padding after the image requires padding before it: `linalg` rejects a copy into the
    front of a larger tensor as a shape mismatch.
    """
    shape, result = tensor_of(source).get_shape(), lowering.result_type.get_shape()
    first = 1 if nn.is_nhwc(op.properties) else len(shape) - 2
    place = slice(first, first + 2)  # height and width
    sizes = result[1:3] if nn.is_nhwc(op.properties) else result[-2:]
    low = ints(op.padding)
    high = [
        max(0, (out - 1) * stride + (k - 1) * dilation + 1 - before - size)
        for out, stride, k, dilation, before, size in zip(
            sizes,
            ints(op.stride),
            kernel,
            ints(op.dilation),
            low,
            shape[place],
            strict=True,
        )
    ]
    shift = tuple(
        1 if after and not before else 0
        for before, after in zip(low, high, strict=True)
    )
    front = [before + more for before, more in zip(low, shift, strict=True)]
    before, after = [0] * len(shape), [0] * len(shape)
    before[place], after[place] = front, high
    return lowering.pad(source, before, after, value), shift


def lower_conv2d(op: Operation, lowering: Lowering) -> SSAValue:
    """Loops (n, [g,] o, h, w, c, kh, kw); groups are a dimension of their own."""
    assert isinstance(op, nn.Conv2dOp)
    if nn.is_nhwc(op.properties):
        return lower_nhwc_conv2d(op, lowering)
    groups = int_of(op.groups)
    channels = tensor_of(op.input).get_shape()[1]
    if groups == channels == tensor_of(op.weight).get_shape()[0] and groups > 1:
        return lower_depthwise(op, lowering)
    n, out_channels, height, width = lowering.result_type.get_shape()
    x, weight, bias = op.input, op.weight, op.bias
    shape = (n, out_channels, height, width)
    if groups > 1:
        image = tensor_of(x).get_shape()[2:]
        per_group = tensor_of(weight).get_shape()[1:]
        x = lowering.view(x, (n, groups, channels // groups, *image))
        weight = lowering.view(weight, (groups, out_channels // groups, *per_group))
        if bias is not None:
            bias = lowering.view(bias, (groups, out_channels // groups))
        shape = (n, groups, out_channels // groups, height, width)
    g = range(1, len(shape) - 3)  # the loop over groups, if there is one
    o, h, w, c, kh, kw = range(len(shape) - 3, len(shape) + 3)
    rank = len(shape) + 3
    padded, shift = pad_image(lowering, op, x, tensor_of(weight).get_shape()[-2:], 0)
    at = window_indices(op, (h, w), (kh, kw), shift)
    inputs = [
        (padded, AffineMap(rank, 0, (*dims(0, *g, c), *at))),
        (weight, AffineMap(rank, 0, dims(*g, o, c, kh, kw))),
    ]
    total = multiply_add(lowering, inputs, shape, [True] * len(shape) + [False] * 3)
    bias_map = AffineMap(len(shape), 0, dims(*g, o))
    result = lowering.epilogue(total, bias, bias_map)
    return lowering.view(result, lowering.result_type.get_shape())


def lower_nhwc_conv2d(op: nn.Conv2dOp, lowering: Lowering) -> SSAValue:
    """Loops (n, h, w, [g,] o, kh, kw, c); depthwise (n, h, w, c, kh, kw)."""
    groups = int_of(op.groups)
    if (parts := lowering.parts_of_sums) > 1:
        return lower_in_parts(op, lowering, parts)
    x, weight, bias = op.input, op.weight, op.bias
    kh, kw, per_group, out_channels = tensor_of(weight).get_shape()
    image = tensor_of(x).get_shape()
    shape: tuple[int, ...] = lowering.result_type.get_shape()
    depthwise = groups == out_channels == image[3] and groups > 1
    if depthwise:
        weight = lowering.view(weight, (kh, kw, out_channels))
    elif groups > 1:
        split = (groups, out_channels // groups)
        x = lowering.view(x, (*image[:3], groups, per_group))
        weight = lowering.view(weight, (kh, kw, per_group, *split))
        bias = None if bias is None else lowering.view(bias, split)
        shape = (*shape[:3], *split)
    rank = len(shape)
    p, q, c = rank, rank + 1, None if depthwise else rank + 2
    rank += 2 if depthwise else 3
    own = range(3, len(shape))  # ([g,] o), or c
    inside = tuple(own) if depthwise else (*own[:-1], rank - 1)
    x, shift = pad_image(lowering, op, x, (kh, kw), 0)
    at = window_indices(op, (1, 2), (p, q), shift)
    filters = (p, q, *own) if c is None else (p, q, c, *own)
    inputs = [
        (x, AffineMap(rank, 0, (dim(0), *at, *dims(*inside)))),
        (weight, AffineMap(rank, 0, dims(*filters))),
    ]
    parallel = [d < len(shape) for d in range(rank)]
    total = multiply_add(lowering, inputs, shape, parallel)
    bias_map = AffineMap(len(shape), 0, dims(*own))
    result = lowering.epilogue(total, bias, bias_map)
    return lowering.view(result, lowering.result_type.get_shape())


def lower_in_parts(op: nn.Conv2dOp, lowering: Lowering, parts: int) -> SSAValue:
    """Loops (n, h, w, s, [g,] o, kh, kw, c) over parts s of each sum; then the sum over s."""
    in_parts = parts_of_window if int_of(op.groups) > 1 else parts_of_channels
    inputs, own = in_parts(op, lowering, parts)
    shape, rank = lowering.result_type.get_shape(), 4 + len(own)
    parallel = [True] * rank + [False] * 3
    sums = multiply_add(lowering, inputs, (*shape[:3], parts, *own), parallel)
    summed = lowering.view(sums, (*shape[:3], parts, shape[3]))
    element = tensor_of(summed).element_type

    def body(scalars: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        return [scalars.add(args[1], args[0])]

    total = lowering.generic(
        [(summed, AffineMap(5, 0, dims(0, 1, 2, 4, 3)))],
        [(lowering.fill(0, shape, element), AffineMap(5, 0, dims(0, 1, 2, 3)))],
        [True] * 4 + [False],
        body,
    )[0]
    return lowering.epilogue(total, op.bias, AffineMap(4, 0, dims(3)))


def parts_of_channels(
    op: nn.Conv2dOp, lowering: Lowering, parts: int
) -> tuple[Sequence[Mapped], Sequence[int]]:
    """The image and the filters over loops (n, h, w, s, o, kh, kw, c), where parts s of the
    channels are like groups with the same outputs; and the sizes of the loops (o)."""
    image = tensor_of(op.input).get_shape()
    kh, kw, channels, outputs = tensor_of(op.weight).get_shape()
    of_part = channels // parts
    x = lowering.view(op.input, (*image[:3], parts, of_part))
    weight = lowering.view(op.weight, (kh, kw, parts, of_part, outputs))
    padded, shift = pad_image(lowering, op, x, (kh, kw), 0)
    s, o, p, q, c = range(3, 8)
    at = window_indices(op, (1, 2), (p, q), shift)
    inputs = [
        (padded, AffineMap(8, 0, (dim(0), *at, *dims(s, c)))),
        (weight, AffineMap(8, 0, dims(p, q, s, c, o))),
    ]
    return inputs, (outputs,)


def parts_of_window(
    op: nn.Conv2dOp, lowering: Lowering, parts: int
) -> tuple[Sequence[Mapped], Sequence[int]]:
    """The image and the filters over loops (n, h, w, s, g, o, kh, kw, c), where parts s are
    of the longer side of the window; and the sizes of the loops (g, o)."""
    image, groups = tensor_of(op.input).get_shape(), int_of(op.groups)
    *window, channels, outputs = tensor_of(op.weight).get_shape()
    own = (groups, outputs // groups)
    long = window.index(max(window))
    size = window[long] // parts
    sides: list[int] = [*window[:long], parts, size, *window[long + 1 :]]
    x = lowering.view(op.input, (*image[:3], groups, channels))
    weight = lowering.view(op.weight, (*sides, channels, *own))
    padded, shift = pad_image(lowering, op, x, window, 0)
    s, g, o, p, q, c = range(3, 9)
    at, taps = list(window_indices(op, (1, 2), (p, q), shift)), [p, q]
    # Place p of part s is place s * size + p of the window.
    places = list(dims(*range(9)))
    places[taps[long]] += dim(s) * size
    at[long] = at[long].replace_dims_and_symbols(places, [])
    taps.insert(long, s)
    inputs = [
        (padded, AffineMap(9, 0, (dim(0), *at, *dims(g, c)))),
        (weight, AffineMap(9, 0, dims(*taps, c, g, o))),
    ]
    return inputs, own


def lower_depthwise(op: nn.Conv2dOp, lowering: Lowering) -> SSAValue:
    """One filter for each channel: loops (n, c, h, w, kh, kw)."""
    kernel = tensor_of(op.weight).get_shape()[-2:]
    padded, shift = pad_image(lowering, op, op.input, kernel, 0)
    at = window_indices(op, (2, 3), (4, 5), shift)
    inputs = [
        (padded, AffineMap(6, 0, (*dims(0, 1), *at))),
        (op.weight, AffineMap(6, 0, dims(1, None, 4, 5))),
    ]
    shape = lowering.result_type.get_shape()
    total = multiply_add(lowering, inputs, shape, [True] * 4 + [False] * 2)
    return lowering.epilogue(total, op.bias, AffineMap(4, 0, dims(1)))


def lower_pool2d(op: Operation, lowering: Lowering) -> SSAValue:
    """Loops (n, c, h, w, kh, kw); the padding is the initial value of the accumulation:
    0, or the lowest value for a maximum, which propagates NaN.
    """
    assert isinstance(op, nn.PoolOp)
    is_sum = isinstance(op, nn.SumPool2dOp)
    kernel, dtype = ints(op.kernel), lowering.dtype(op.input)
    fill_value = 0.0 if is_sum else lowest(dtype)
    nhwc = nn.is_nhwc(op.properties)
    padded, shift = pad_image(lowering, op, op.input, kernel, fill_value)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        value, accumulator = s.widen(args[0]), args[2]
        if is_sum:
            return [s.add(accumulator, value)]
        return [s.maximum(value, accumulator, dtype)]

    shape = lowering.result_type.get_shape()
    # `linalg` infers the sizes of the window from this operand alone.
    window = lowering.empty(kernel, dtype)
    start = lowering.fill(fill_value, shape, compute_type(dtype))
    if nhwc:
        indices = (dim(0), *window_indices(op, (1, 2), (4, 5), shift), dim(3))
    else:
        indices = (*dims(0, 1), *window_indices(op, (2, 3), (4, 5), shift))
    total = lowering.generic(
        [
            (padded, AffineMap(6, 0, indices)),
            (window, AffineMap(6, 0, dims(4, 5))),
        ],
        [(start, AffineMap(6, 0, dims(0, 1, 2, 3)))],
        [True] * 4 + [False] * 2,
        body,
    )
    return lowering.epilogue(total[0])


LOWERINGS = {
    nn.Conv2dOp: lower_conv2d,
    nn.MaxPool2dOp: lower_pool2d,
    nn.SumPool2dOp: lower_pool2d,
}

NO_LOWERING: Mapping[type[Operation], str] = {}
