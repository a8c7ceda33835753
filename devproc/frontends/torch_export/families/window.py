"""ATen's convolutions, and the table of all operators on sliding windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue

from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.shape import ConcatOp, PadOp, SliceOp, TransposeOp
from devproc.dialects.nn.window import Conv2dOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    rows_of,
    shape_of,
)
from devproc.frontends.torch_export.windows import (
    adaptive,
    column_images,
    grid_sample,
    pool_indices,
    pooling,
    weight_norm,
)
from devproc.frontends.torch_export.windows.convolution import (
    Windows,
    convolved,
    rank_of,
)
from devproc.frontends.torch_export.windows.pooling import as_batch, sizes_of
from devproc.frontends.torch_export.windows.transposed import conv_transpose


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
    rank = rank_of(weight)
    if 0 in b.result.get_shape():
        return b.fill(0)
    x = as_batch(b, x, rank)
    stride, dilation = sizes_of(stride, rank), sizes_of(dilation, rank)
    low, high = _padding(padding, shape_of(weight)[2:], dilation)
    if low != high:
        x = b.emit(PadOp.around(x, [0, 0, *low], [0, 0, *high]))
        low = [0] * rank
    value = convolved(b, x, weight, bias, Windows(stride, low, dilation, groups))
    return b.reshape(value, b.result.get_shape())


def _int8_conv(
    b: GraphBuilder, x: SSAValue, weight: SSAValue, *windows: Any
) -> SSAValue:
    return _conv(b, x, weight, None, *windows)


def _padding(
    padding: Sequence[int] | str, kernel: Sequence[int], dilation: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Padding before and after each dimension. `same` puts an odd zero after."""
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
    operands = (x, weight, bias, stride, padding)
    if transposed:
        return conv_transpose(b, *operands, output_padding, groups, dilation)
    return _conv(b, *operands, dilation, groups)


_DEPTH = (Conv2dOp, SliceOp, AddOp, TransposeOp)
IMPORTS: dict[str, ImportRule] = {
    **adaptive.ROWS,
    **column_images.ROWS,
    **grid_sample.ROWS,
    **pool_indices.ROWS,
    **pooling.ROWS,
    **weight_norm.ROWS,
    **rows_of(ImportRule(_conv, (Conv2dOp,)), "conv1d conv2d"),
    **rows_of(ImportRule(_conv, (Conv2dOp, PadOp)), "conv1d.padding conv2d.padding"),
    "aten.conv3d.default": ImportRule(_conv, _DEPTH),
    "aten.conv3d.padding": ImportRule(_conv, (*_DEPTH, PadOp)),
    **rows_of(
        ImportRule(conv_transpose, (Conv2dOp, PadOp, SliceOp, ConcatOp, TransposeOp)),
        "conv_transpose1d conv_transpose2d.input conv_transpose3d.input",
    ),
    "devproc.conv2d.default": ImportRule(_int8_conv, (Conv2dOp,)),
    "aten.convolution.default": ImportRule(_convolution, (Conv2dOp, PadOp, SliceOp)),
}
"""ATen overload -> import rule."""
