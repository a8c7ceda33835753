"""Adaptive pooling: the windows follow from the size of the result; rows of `window`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import DivOp
from devproc.dialects.nn.reduction import ArgmaxOp, ReduceMaxOp, ReduceSumOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    rows_of,
    shape_of,
)
from devproc.frontends.torch_export.windows.pool_indices import (
    along,
    flat_index,
    in_windows,
)


def bins(size: int, out: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The positions (out, longest) of the windows that a dimension is divided into, in
    which a shorter window repeats its last position; and the length of each window.
    """
    i = torch.arange(out)
    start, end = i * size // out, -(-(i + 1) * size // out)
    longest = int((end - start).max()) if out else 1
    places = torch.minimum(start[:, None] + torch.arange(longest), end[:, None] - 1)
    return places, end - start


def _axes(x: SSAValue, size: Sequence[int]) -> list[tuple[int, int]]:
    """The pooled axes, each with its new size."""
    rank = len(shape_of(x))
    return list(zip(range(rank - len(size), rank), size, strict=True))


def _average(b: GraphBuilder, x: SSAValue, size: Sequence[int]) -> SSAValue:
    """The mean of each window, one axis after another."""
    element = b.result.element_type
    f = Formula(b, compute_type(element))
    x = f.value(x)
    axes = _axes(x, size)
    if all(n == 1 for n in size):
        count = prod(shape_of(x)[axis] for axis, _ in axes)
        total = b.emit(ReduceSumOp.over(x, [axis for axis, _ in axes], True))
        return b.cast(f(DivOp, total, float(count)), element)
    for axis, out in axes:
        places, counts = bins(shape_of(x)[axis], out)
        rank, longest = len(shape_of(x)), places.shape[1]
        x = in_windows(b, x, axis, places)
        inside = torch.arange(longest) < counts[:, None]
        if not bool(inside.all()):
            inside = inside.reshape(out, longest, *[1] * (rank - axis - 1))
            mask = b.constant(inside, f"bin_mask.{b.node_name}.{axis}")
            x = f.where(mask, x, 0.0)
        total = b.emit(ReduceSumOp.over(x, [axis + 1], False))
        sizes = along(counts.double(), axis, rank)
        x = f(DivOp, total, b.constant(sizes, f"bin_sizes.{b.node_name}.{axis}"))
    return b.cast(b.reshape(x, b.result.get_shape()), element)


def _maximum(
    b: GraphBuilder, x: SSAValue, size: Sequence[int]
) -> tuple[SSAValue, SSAValue]:
    """The maximum of each window, and its index."""
    value, tables = x, list[torch.Tensor]()
    for axis, out in _axes(x, size):
        places, _ = bins(shape_of(x)[axis], out)
        tables.append(places)
        windows = in_windows(b, value, axis, places)
        value = b.emit(ReduceMaxOp.over(windows, [axis + 1], False))
    return value, flat_index(b, x, tables)


ROWS: dict[str, ImportRule] = {
    **rows_of(
        ImportRule(_average, (GatherOp, WhereOp, ReduceSumOp, DivOp)),
        "_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool1d "
        "adaptive_avg_pool2d adaptive_avg_pool3d",
    ),
    **rows_of(
        ImportRule(_maximum, (GatherOp, ReduceMaxOp, ArgmaxOp)),
        "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
    ),
}
"""ATen overload -> import rule."""
