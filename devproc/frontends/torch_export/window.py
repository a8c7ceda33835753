"""ATen's convolutions and pools; those over one dimension become two-dimensional."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.shape import PadOp, SliceOp
from devproc.dialects.nn.window import Conv2dOp, MaxPool2dOp, WinogradFilterOp
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
)
from devproc.frontends.torch_export.pooling import POOLS, as_image, pair
from devproc.frontends.torch_export.problems import Refusal


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
    rank = len(shape_of(weight)) - 2
    if rank not in (1, 2):
        raise Refusal(
            f"convolution over {rank} dimensions is not supported",
            "only one and two dimensions are",
        )
    if len(shape_of(x)) == rank + 1:
        x = b.reshape(x, (1, *shape_of(x)))
    if rank == 1:
        x, weight = (_insert_height(b, v) for v in (x, weight))
    kernel = shape_of(weight)[2:]
    stride, dilation = (pair(v, rank, 1) for v in (stride, dilation))
    low, high = _padding(padding, kernel, dilation, rank)
    if low != high:
        x = b.emit(PadOp.around(x, [0, 0, *low], [0, 0, *high]))
        low = (0, 0)
    operands = [v for v in (x, weight, bias) if v is not None]
    properties = {
        "stride": int_array(stride),
        "padding": int_array(low),
        "dilation": int_array(dilation),
        "groups": int_attr(groups),
    }
    return b.reshape(
        b.emit(Conv2dOp.build_op(operands, properties)), b.result.get_shape()
    )


def _insert_height(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """NCL as NCHW with height 1."""
    n, c, length = shape_of(x)
    return b.reshape(x, (n, c, 1, length))


def _padding(
    padding: Sequence[int] | str,
    kernel: Sequence[int],
    dilation: Sequence[int],
    rank: int,
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Zeros before and after each dimension. `same` puts the odd one behind."""
    if padding == "valid":
        return (0, 0), (0, 0)
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
        low = (total[0] // 2, total[1] // 2)
        return low, (total[0] - low[0], total[1] - low[1])
    assert not isinstance(padding, str)
    both = pair(padding, rank, 0)
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
    """The convolution, with turned filters, of the image with zeros between pixels."""
    rank = len(shape_of(weight)) - 2
    if rank not in (1, 2):
        raise Refusal(
            f"transposed convolution over {rank} dimensions is not supported",
            "only one and two dimensions are",
        )
    x = as_image(b, x, rank)
    if rank == 1:
        weight = _insert_height(b, weight)
    strides, dilations = pair(stride, rank, 1), pair(dilation, rank, 1)
    pads, more = pair(padding, rank, 0), pair(output_padding, rank, 0)
    x = _spread(b, x, strides)
    reach = [d * (k - 1) for d, k in zip(dilations, shape_of(weight)[2:], strict=True)]
    low = [r - p for r, p in zip(reach, pads, strict=True)]
    high = [n + m for n, m in zip(low, more, strict=True)]
    x = b.emit(
        PadOp.around(
            x, [0, 0, *(max(n, 0) for n in low)], [0, 0, *(max(n, 0) for n in high)]
        )
    )
    start = [0, 0, *(max(-n, 0) for n in low)]
    cut = [0, 0, *(max(-n, 0) for n in high)]
    sizes = [n - a - z for n, a, z in zip(shape_of(x), start, cut, strict=True)]
    x = b.emit(SliceOp.of(x, start, sizes, [1] * 4))
    properties = {
        "stride": int_array([1, 1]),
        "padding": int_array([0, 0]),
        "dilation": int_array(dilations),
        "groups": int_attr(groups),
    }
    operands = [v for v in (x, _turned(b, weight, groups), bias) if v is not None]
    value = b.emit(Conv2dOp.build_op(operands, properties))
    return b.reshape(value, b.result.get_shape())


def _spread(b: GraphBuilder, x: SSAValue, strides: Sequence[int]) -> SSAValue:
    """The image with `stride - 1` zeros between its pixels."""
    n, c, height, width = shape_of(x)
    down, right = strides
    x = b.reshape(x, (n, c, height, 1, width, 1))
    x = b.emit(PadOp.around(x, [0] * 6, [0, 0, 0, down - 1, 0, right - 1]))
    x = b.reshape(x, (n, c, height * down, width * right))
    sizes = (n, c, (height - 1) * down + 1, (width - 1) * right + 1)
    return b.emit(SliceOp.of(x, [0] * 4, sizes, [1] * 4))


def _turned(b: GraphBuilder, weight: SSAValue, groups: int) -> SSAValue:
    """Filters (in, out / groups, h, w) as (out, in / groups, h, w), upside down."""
    inputs, outputs, height, width = shape_of(weight)
    shape = (groups, inputs // groups, outputs, height, width)
    weight = b.transpose(b.reshape(weight, shape), (0, 2, 1, 3, 4))
    weight = b.reshape(weight, (groups * outputs, inputs // groups, height, width))
    start = [0, 0, height - 1, width - 1]
    return b.emit(SliceOp.of(weight, start, shape_of(weight), [1, 1, -1, -1]))


def _max_pool(
    b: GraphBuilder,
    x: SSAValue,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    rank: int = 2,
) -> SSAValue:
    x = as_image(b, x, rank)
    properties = {
        "kernel": int_array(pair(kernel, rank, 1)),
        "stride": int_array(pair(stride or kernel, rank, 1)),
        "padding": int_array(pair(padding, rank, 0)),
        "dilation": int_array(pair(dilation, rank, 1)),
        "ceil_mode": int_attr(int(ceil_mode)),
    }
    return b.reshape(
        b.emit(MaxPool2dOp.build_op([x], properties)), b.result.get_shape()
    )


def _max_pool1d(b: GraphBuilder, x: SSAValue, *args: object) -> SSAValue:
    return _max_pool(b, x, *args, rank=1)  # pyright: ignore[reportArgumentType]


def _max_pool_with_indices(
    b: GraphBuilder, *args: object, rank: int = 2
) -> tuple[SSAValue, Unavailable]:
    indices = Unavailable(
        f"the indices of max_pool{rank}d are not computed", "use only the pooled values"
    )
    return _max_pool(b, *args, rank=rank), indices  # pyright: ignore[reportArgumentType]


def _max_pool1d_with_indices(
    b: GraphBuilder, *args: object
) -> tuple[SSAValue, Unavailable]:
    return _max_pool_with_indices(b, *args, rank=1)


_TRANSPOSED = ImportRule(_conv_transpose, (PadOp, SliceOp, Conv2dOp))

IMPORTS: dict[str, ImportRule] = {
    **POOLS,
    "aten.conv1d.default": ImportRule(_conv, (Conv2dOp,)),
    "aten.conv1d.padding": ImportRule(_conv, (Conv2dOp, PadOp)),
    "aten.conv2d.default": ImportRule(_conv, (Conv2dOp,)),
    "aten.conv2d.padding": ImportRule(_conv, (Conv2dOp, PadOp)),
    "aten.conv_transpose1d.default": _TRANSPOSED,
    "aten.conv_transpose2d.input": _TRANSPOSED,
    "aten.convolution.default": ImportRule(_convolution, (Conv2dOp, PadOp, SliceOp)),
    "aten.max_pool1d.default": ImportRule(_max_pool1d, (MaxPool2dOp,)),
    "aten.max_pool1d_with_indices.default": ImportRule(
        _max_pool1d_with_indices, (MaxPool2dOp,)
    ),
    "aten.max_pool2d.default": ImportRule(_max_pool, (MaxPool2dOp,)),
    "aten.max_pool2d_with_indices.default": ImportRule(
        _max_pool_with_indices, (MaxPool2dOp,)
    ),
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {
    WinogradFilterOp: "built by the pass pack-weights, for the kernels",
}
"""op class -> why no ATen operator becomes it."""
