"""`col2im`: windows summed back into the image they come from; a row of `window`.

Each pixel sums its values in the few windows that cover it, whose numbers follow from the
sizes. Axes are summed one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import NamedTuple

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.dialects.nn.shape import PadOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    shape_of,
)
from devproc.frontends.torch_export.places.padding import axis_pad
from devproc.frontends.torch_export.places.pieces import part
from devproc.frontends.torch_export.windows.pool_indices import in_windows
from devproc.frontends.torch_export.windows.pooling import sizes_of
from devproc.ir.types import DTYPES, is_bool

FEW_BLOCKS = 4
"""Most blocks that are added one by one: each is an op, which costs compile time."""

LONG_BLOCK = 8
"""Taps in a block from which the sum of blocks is faster than a gather. (16 taps every 16
places: 2.5 times; 24 taps every 2 places take 1.6 times as long.)"""


class Line(NamedTuple):
    """The arguments of `col2im` for one axis."""

    size: int
    kernel: int
    dilation: int
    padding: int
    stride: int

    @property
    def reach(self) -> int:
        """The span from the first tap of a window to its last."""
        return self.dilation * (self.kernel - 1) + 1

    @property
    def windows(self) -> int:
        """The number of windows along the axis."""
        return (self.size + 2 * self.padding - self.reach) // self.stride + 1

    @property
    def most(self) -> int:
        """The largest number of windows that cover a position."""
        return -(-self.reach // self.stride)

    @property
    def is_in_blocks(self) -> bool:
        """Whether a window is a few long blocks of `stride` taps."""
        is_long = self.most == 1 or self.stride >= LONG_BLOCK
        return self.dilation == 1 and self.most <= FEW_BLOCKS and is_long


def _sources(line: Line) -> tuple[torch.Tensor, torch.Tensor]:
    """For each position of an axis, the numbers tap * windows + window of the taps that
    cover it, (size, most), and a mask of the valid ones: the rest is padding.
    """
    place = torch.arange(line.size)[:, None] + line.padding
    window = place // line.stride - torch.arange(line.most).flip(0)
    offset = place - window * line.stride
    counts = (window >= 0) & (window < line.windows) & (offset < line.reach)
    counts &= offset % line.dilation == 0
    numbers = offset // line.dilation * line.windows + window
    # In the order of the taps, as PyTorch adds them; padding comes last.
    order = torch.where(counts, offset, line.reach).argsort(dim=1)
    order = order[:, : max(int(counts.sum(1).max()), 1)]
    counts = counts.gather(1, order)
    return torch.where(counts, numbers.gather(1, order), 0), counts


def _gathered(f: Formula, x: SSAValue, axis: int, line: Line) -> SSAValue:
    """Sums the axes of taps and windows to one axis of positions, by a gather."""
    numbers, counts = _sources(line)
    before, after = shape_of(x)[:axis], shape_of(x)[axis + 2 :]
    x = f.b.reshape(x, [*before, line.kernel * line.windows, *after])
    x = in_windows(f.b, x, axis, numbers)
    if not bool(counts.all()):
        name = f"fold_mask.{f.b.node_name}.{axis}"
        mask = f.b.constant(counts.reshape(*counts.shape, *[1] * len(after)), name)
        x = f.where(mask, x, 0)
    return f.b.emit(ReduceSumOp.over(x, [axis + 1], False))


def _added(f: Formula, x: SSAValue, axis: int, line: Line) -> SSAValue:
    """As `_gathered`, by sums: tap `j * stride + r` of window w lies at
    `(w + j) * stride + r`, so that block j of all windows is added with an offset of j.
    """
    b, blocks, stride, windows = f.b, line.most, line.stride, line.windows
    x = axis_pad(b, x, axis, 0, blocks * stride - line.kernel)
    before, after = shape_of(x)[:axis], shape_of(x)[axis + 2 :]
    parts = (
        axis_pad(b, part(b, x, axis, j * stride, stride), axis + 1, j, blocks - 1 - j)
        for j in range(blocks)
    )
    total = reduce(partial(f, AddOp), parts)
    order = list(range(len(shape_of(x))))
    order[axis], order[axis + 1] = axis + 1, axis
    places = (windows + blocks - 1) * stride
    x = b.reshape(b.transpose(total, order), [*before, places, *after])
    x = axis_pad(b, x, axis, 0, max(line.padding + line.size - places, 0))
    return part(b, x, axis, line.padding, line.size)


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
        return b.fill(0)
    # A sum of bools is a logical or; uint8 could overflow.
    f = Formula(b, DTYPES["int32"] if is_bool(element) else compute_type(element))
    given = (sizes_of(v, 2) for v in (size, kernel, dilation, padding, stride))
    lines = [Line(*numbers) for numbers in zip(*given, strict=True)]
    rows, columns = lines
    batch = result[0] if len(result) == 4 else 1
    windows = (rows.windows, columns.windows)
    shape = (batch, result[-3], rows.kernel, columns.kernel, *windows)
    x = b.transpose(b.reshape(f.value(x), shape), (0, 1, 2, 4, 3, 5))
    for axis, line in ((4, columns), (2, rows)):
        x = (_added if line.is_in_blocks else _gathered)(f, x, axis, line)
    return b.cast(b.reshape(x, result), element)


ROWS: dict[str, ImportRule] = {
    "aten.col2im.default": ImportRule(
        _col2im, (GatherOp, WhereOp, ReduceSumOp, PadOp, AddOp)
    ),
}
"""ATen overload -> import rule."""
