"""ATen's convolutions and pools; those over one dimension become two-dimensional."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.shape import PadOp
from devproc.dialects.nn.window import Conv2dOp, MaxPool2dOp
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
)
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
    stride, dilation = (_pair(v, rank, 1) for v in (stride, dilation))
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


def _pair(values: int | Sequence[int], rank: int, other: int) -> tuple[int, int]:
    """Two values: of one dimension beside `other`, or of two."""
    given = [values] if isinstance(values, int) else list(values)
    if rank == 1:
        return (other, given[0])
    return (given[0], given[-1])


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
    both = _pair(padding, rank, 0)
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
        raise Refusal(
            "transposed convolution is not supported",
            "upsample and convolve instead",
        )
    return _conv(b, x, weight, bias, stride, padding, dilation, groups)


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
    if len(shape_of(x)) == rank + 1:
        x = b.reshape(x, (1, *shape_of(x)))
    if rank == 1:
        x = _insert_height(b, x)
    properties = {
        "kernel": int_array(_pair(kernel, rank, 1)),
        "stride": int_array(_pair(stride or kernel, rank, 1)),
        "padding": int_array(_pair(padding, rank, 0)),
        "dilation": int_array(_pair(dilation, rank, 1)),
        "ceil_mode": int_attr(int(ceil_mode)),
    }
    return b.reshape(
        b.emit(MaxPool2dOp.build_op([x], properties)), b.result.get_shape()
    )


def _max_pool1d(b: GraphBuilder, x: SSAValue, *args: object) -> SSAValue:
    return _max_pool(b, x, *args, rank=1)  # pyright: ignore[reportArgumentType]


def _max_pool_with_indices(
    b: GraphBuilder, *args: object
) -> tuple[SSAValue, Unavailable]:
    indices = Unavailable(
        "the indices of max_pool2d are not computed", "use only the pooled values"
    )
    return _max_pool(b, *args), indices  # pyright: ignore[reportArgumentType]


IMPORTS: dict[str, ImportRule] = {
    "aten.conv1d.default": ImportRule(_conv, (Conv2dOp,)),
    "aten.conv1d.padding": ImportRule(_conv, (Conv2dOp, PadOp)),
    "aten.conv2d.default": ImportRule(_conv, (Conv2dOp,)),
    "aten.conv2d.padding": ImportRule(_conv, (Conv2dOp, PadOp)),
    "aten.convolution.default": ImportRule(_convolution, (Conv2dOp,)),
    "aten.max_pool1d.default": ImportRule(_max_pool1d, (MaxPool2dOp,)),
    "aten.max_pool2d.default": ImportRule(_max_pool, (MaxPool2dOp,)),
    "aten.max_pool2d_with_indices.default": ImportRule(
        _max_pool_with_indices, (MaxPool2dOp,)
    ),
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {}
"""op class -> why no ATen operator becomes it."""
