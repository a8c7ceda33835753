"""Maximum pooling with indices, and unpooling; rows of `window`.

PyTorch's index is linear over all pooled dimensions. Of equal elements the first in memory
wins, of several NaN the last. Axes are searched one after another, the last one first, so
that windows are never materialized whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.compare import WhereOp
from devproc.dialects.nn.gather import GatherOp, ScatterOp
from devproc.dialects.nn.pointwise import AddOp, MulOp, SubOp
from devproc.dialects.nn.reduction import ArgmaxOp, ReduceMaxOp
from devproc.dialects.nn.window import MaxPool2dOp
from devproc.frontends.torch_export.elementwise.formula import Formula
from devproc.frontends.torch_export.elementwise.value_checks import check_index
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places.indices import INT64
from devproc.frontends.torch_export.places.pieces import filled
from devproc.frontends.torch_export.windows.pooling import Window, as_batch, max_pool
from devproc.ir.types import DTYPES, is_float, tensor_of


def along(line: torch.Tensor, axis: int, rank: int) -> torch.Tensor:
    """The elements of a tensor as a vector along an axis, for broadcasting."""
    return line.reshape([-1 if d == axis else 1 for d in range(rank)])


def in_windows(
    b: GraphBuilder,
    x: SSAValue,
    axis: int,
    places: torch.Tensor,
    name: str = "window_places",
) -> SSAValue:
    """The windows of one axis, given by the positions (out, taps) of their elements: an
    axis of windows followed by an axis of their elements.
    """
    shape = shape_of(x)
    if not torch.equal(places.flatten(), torch.arange(shape[axis])):
        values = along(places, axis, len(shape))
        line = b.constant(values, f"{name}.{b.node_name}.{axis}")
        x = b.emit(GatherOp.at(x, [line], [axis]))
    return b.reshape(x, (*shape[:axis], *places.shape, *shape[axis + 1 :]))


def _first_largest(b: GraphBuilder, windows: SSAValue, axis: int) -> SSAValue:
    properties = {"axis": int_attr(axis), "keep": int_attr(0)}
    return b.emit(ArgmaxOp.build_op([windows], properties))


def _winners(
    b: GraphBuilder, x: SSAValue, axis: int, places: torch.Tensor
) -> tuple[SSAValue, SSAValue]:
    """The maximum of each window of one axis, and its position in the axis."""
    out, taps = places.shape
    rank = len(shape_of(x))
    windows = in_windows(b, x, axis, places)
    most = b.emit(ReduceMaxOp.over(windows, [axis + 1], False))
    tap = _first_largest(b, windows, axis + 1)
    whole = Formula(b, INT64)
    element = tensor_of(x).element_type
    if is_float(element):
        f = Formula(b, element)
        back = in_windows(b, x, axis, places.flip(1), "window_places_back")
        missing = b.cast(f.differ(back, back), DTYPES["uint8"])
        last = whole(SubOp, taps - 1, _first_largest(b, missing, axis + 1))
        tap = whole.where(f.differ(most, most), last, tap)
    name = f"window_places.{b.node_name}.{axis}"
    rows = b.constant(along(torch.arange(out) * taps, axis, rank), f"{name}.rows")
    table = b.constant(along(places, axis, rank), f"{name}.table")
    row_and_tap = whole(AddOp, rows, tap)
    return most, b.emit(GatherOp.at(table, [row_and_tap], [axis]))


def flat_index(
    b: GraphBuilder, x: SSAValue, tables: Sequence[torch.Tensor]
) -> SSAValue:
    """The linear index, over the last axes, of the maximum of each window; `tables` holds
    the positions (out, taps) of the windows of each of these axes.
    """
    whole = Formula(b, INT64)
    rank = len(shape_of(x))
    first, sizes = rank - len(tables), shape_of(x)
    value, index = x, None
    for axis in reversed(range(first, rank)):
        value, place = _winners(b, value, axis, tables[axis - first])
        if index is None:
            index = place
            continue
        inner = b.emit(GatherOp.at(index, [place], [axis]))
        index = whole(AddOp, whole(MulOp, place, prod(sizes[axis + 1 :])), inner)
    assert index is not None
    return index


def _places(window: Window, dim: int, size: int, out: int) -> torch.Tensor | None:
    """The positions (out, taps) of a dimension's windows. A window that reaches into the
    padding repeats an element; None if some window lies in the padding alone.
    """
    kernel, dilation = window.kernel[dim], window.dilation[dim]
    start = torch.arange(out)[:, None] * window.stride[dim] - window.padding[dim]
    low = (-start + dilation - 1).div(dilation, rounding_mode="floor").clamp(min=0)
    high = (size - 1 - start).div(dilation, rounding_mode="floor").clamp(max=kernel - 1)
    if bool((high < low).any()):
        return None
    taps = torch.arange(kernel).expand(out, kernel)
    return start + torch.minimum(torch.maximum(taps, low), high) * dilation


def _max_rule(rank: int) -> ImportRule:
    def build(
        b: GraphBuilder, x: SSAValue, *arguments: Any
    ) -> tuple[SSAValue, SSAValue | Unavailable]:
        window = Window.of(rank, *arguments)
        value = max_pool(b, x, rank, window)
        sizes, result = shape_of(x)[-rank:], shape_of(value)
        tables: list[torch.Tensor] = []
        for dim, (size, out) in enumerate(zip(sizes, result[-rank:], strict=True)):
            places = _places(window, dim, size, out)
            if places is None:
                return value, Unavailable(
                    "a window of this pool lies in the padding alone: its index is none",
                    "use less dilation, or only the pooled values",
                )
            tables.append(places)
        index = flat_index(b, as_batch(b, x, rank), tables)
        return value, b.reshape(index, result)

    return ImportRule(build, (MaxPool2dOp, GatherOp, ArgmaxOp, WhereOp))


def _unpool_rule(rank: int) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue, index: SSAValue, *_: object) -> SSAValue:
        """Writes each element at its index in a plane of zeros; of two, the last wins."""
        shape = b.result.get_shape()
        if not size_of(x):
            return b.fill(0)
        planes, plane = prod(shape[:-rank]), prod(shape[-rank:])
        check_index(b, index, plane)
        source, places = (
            b.reshape(v, (planes, size_of(v) // planes)) for v in (x, index)
        )
        empty = filled(b, b.scalar(0, tensor_of(x).element_type), (planes, plane))
        return b.reshape(b.emit(ScatterOp.into(empty, places, source, 1)), shape)

    return ImportRule(build, (ScatterOp,))


ROWS: dict[str, ImportRule] = {
    **{
        f"aten.max_pool{rank}d_with_indices.default": _max_rule(rank)
        for rank in (1, 2, 3)
    },
    "aten.max_unpool2d.default": _unpool_rule(2),
    "aten.max_unpool3d.default": _unpool_rule(3),
}
"""ATen overload -> import rule."""
