"""`col2im`: windows summed back into the image they come from; a row of `window`.

A place of the image sums what stands at it in the windows that cover it: few of them,
whose numbers follow from the sizes. One axis is summed after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.frontends.torch_export.builder import GraphBuilder, ImportRule, shape_of
from devproc.frontends.torch_export.constant import fill
from devproc.frontends.torch_export.formula import Formula, compute_type
from devproc.frontends.torch_export.pool_indices import in_windows
from devproc.frontends.torch_export.pooling import sizes_of
from devproc.ir.types import DTYPES, is_bool


def _sources(
    size: int, kernel: int, dilation: int, padding: int, stride: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """For each place of an axis the numbers tap * windows + window of what stands there,
    (size, most), and which of them count: the rest fill up the rows.
    """
    windows = (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    place = torch.arange(kernel)[:, None] * dilation + torch.arange(windows) * stride
    hits = place.flatten() - padding == torch.arange(size)[:, None]
    most = max(int(hits.sum(1).max()), 1)
    order = hits.to(torch.uint8).argsort(dim=1, descending=True, stable=True)
    numbers = order[:, :most]
    return numbers, hits.gather(1, numbers)


def _summed(
    f: Formula, x: SSAValue, axis: int, numbers: torch.Tensor, counts: torch.Tensor
) -> SSAValue:
    """The axis of taps and windows summed to one of places."""
    after = [1] * (len(shape_of(x)) - axis - 1)
    x = in_windows(f.b, x, axis, numbers)
    if not bool(counts.all()):
        name = f"fold_mask.{f.b.node_name}.{axis}"
        x = f.where(f.b.constant(counts.reshape(*counts.shape, *after), name), x, 0)
    return f.b.emit(ReduceSumOp.over(x, [axis + 1], False))


def _col2im(
    b: GraphBuilder,
    x: SSAValue,
    size: Sequence[int],
    kernel: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> SSAValue:
    result, element = b.result.get_shape(), b.result.element_type
    if 0 in result:
        return fill(b, 0)
    # A sum of bools is "any"; a byte could overflow.
    f = Formula(b, DTYPES["int32"] if is_bool(element) else compute_type(element))
    axes = list(
        zip(
            *(sizes_of(v, 2) for v in (size, kernel, dilation, padding, stride)),
            strict=True,
        )
    )
    rows, columns = ((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in axes)
    channels = result[-3]
    (down, across) = (axis[1] for axis in axes)
    batch = result[0] if len(result) == 4 else 1
    x = b.reshape(f.value(x), (batch, channels, down, across, rows, columns))
    x = b.transpose(x, (0, 1, 2, 4, 3, 5))
    x = b.reshape(x, (batch, channels, down * rows, across * columns))
    for axis, line in reversed(list(enumerate(axes, 2))):
        x = _summed(f, x, axis, *_sources(*line))
    return b.cast(b.reshape(x, result), element)


ROWS: dict[str, ImportRule] = {
    "aten.col2im.default": ImportRule(_col2im, (GatherOp, WhereOp, ReduceSumOp)),
}
"""ATen overload -> how to build it."""
