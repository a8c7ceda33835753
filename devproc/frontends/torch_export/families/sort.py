"""ATen operators that sort elements, or select some by their rank.

PyTorch does not specify which of several equal elements `topk`, `kthvalue` and `median`
give; here it is that of a stable sort.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.compare import EqOp, LtOp, ShiftRightOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import SubOp
from devproc.dialects.nn.reduction import ArgmaxOp, ReduceSumOp
from devproc.dialects.nn.scan import CummaxOp
from devproc.dialects.nn.shape import SliceOp
from devproc.dialects.nn.sort import KthValueOp, SortOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places import quantile, search
from devproc.frontends.torch_export.places.padding import constant_pad
from devproc.frontends.torch_export.places.pieces import filled, part
from devproc.ir.types import DTYPES, is_float, tensor_of

INT64 = DTYPES["int64"]

Pair = tuple[SSAValue, SSAValue]


def constant_place(b: GraphBuilder, place: int, shape: Sequence[int]) -> SSAValue:
    """A tensor filled with one index."""
    return filled(b, b.scalar(place, INT64), shape)


def _moved_last(b: GraphBuilder, x: SSAValue, dim: int) -> tuple[SSAValue, list[int]]:
    """An axis exchanged with the last one, and the permutation: its own inverse."""
    x = b.reshape(x, shape_of(x) or [1])
    order = list(range(len(shape_of(x))))
    axis = axis_of(dim, len(order))
    order[axis], order[-1] = order[-1], order[axis]
    return b.transpose(x, order), order


def _sorted_last(
    b: GraphBuilder, x: SSAValue, dim: int, descending: bool = False
) -> tuple[SSAValue, SSAValue, list[int]]:
    """Elements and their indices, sorted along an axis that is moved to the end."""
    moved, order = _moved_last(b, x, dim)
    if shape_of(moved)[-1] < 2 or not size_of(moved):
        return moved, constant_place(b, 0, shape_of(moved)), order
    op = SortOp.last_axis(moved, descending)
    b.emit(op)
    return op.values, op.indices, order


def _sort(
    b: GraphBuilder,
    x: SSAValue,
    dim: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
) -> Pair:
    """Sorted elements and their indices; the sort is always stable."""
    values, places, order = _sorted_last(b, x, dim, descending)
    return _placed(b, values, order), _placed(b, places, order)


def _argsort(b: GraphBuilder, x: SSAValue, *axis: Any, **options: Any) -> SSAValue:
    return _sort(b, x, *axis, **options)[1]


def _sort_rows(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`msort`: along the first axis."""
    return _sort(b, x, 0)[0]


def _largest(
    b: GraphBuilder,
    x: SSAValue,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
) -> Pair:
    """The first `k` of the sorted order."""
    values, places, order = _sorted_last(b, x, dim, largest)
    first, second = (
        _placed(b, part(b, v, len(order) - 1, 0, k), order) for v in (values, places)
    )
    return first, second


def _at_rank(b: GraphBuilder, rows: SSAValue, order: list[int], rank: SSAValue) -> Pair:
    """The element of each row with a rank, and its index, in the result's shape."""
    if not size_of(rows):
        return _placed(b, rows, order), _placed(b, rank, order)
    op = KthValueOp.at(rows, rank)
    b.emit(op)
    return _placed(b, op.values, order), _placed(b, op.indices, order)


def _kth(
    b: GraphBuilder, x: SSAValue, k: int, dim: int = -1, keepdim: bool = False
) -> Pair:
    """The k-th element in ascending order, counted from one."""
    rows, order = _moved_last(b, x, dim)
    rank = constant_place(b, k - 1, [*shape_of(rows)[:-1], 1])
    return _at_rank(b, rows, order, rank)


def _placed(b: GraphBuilder, picked: SSAValue, order: list[int]) -> SSAValue:
    """Elements of each row with the axes in their original order and the result's shape."""
    return b.reshape(b.transpose(picked, order), b.result.get_shape())


def _middle(b: GraphBuilder, rows: SSAValue, ignore_nan: bool) -> SSAValue:
    """The rank of each row's median, the lower one of two: over all elements (the first
    NaN, if there is one), or over those that are not NaN.
    """
    *outer, size = shape_of(rows)
    f = Formula(b, INT64)
    if not is_float(tensor_of(rows).element_type):
        return constant_place(b, (size - 1) // 2, [*outer, 1])
    numbers = b.cast(b.emit(EqOp.build_op([rows, rows])), INT64)
    count = b.emit(ReduceSumOp.over(numbers, [len(outer)], True))
    if not ignore_nan:
        full = b.emit(EqOp.build_op([count, f.value(size)]))
        return f.where(full, (size - 1) // 2, count)
    # In rows of NaN alone there is no number: take the first element.
    middle = f(SubOp, count, f.where(f(LtOp, 0, count), 1, 0))
    return f(ShiftRightOp, middle, 1)


def _median_along(ignore_nan: bool) -> Callable[..., Pair]:
    def build(
        b: GraphBuilder, x: SSAValue, dim: int = -1, keepdim: bool = False
    ) -> Pair:
        rows, order = _moved_last(b, x, dim)
        return _at_rank(b, rows, order, _middle(b, rows, ignore_nan))

    return build


def _median(ignore_nan: bool) -> Callable[..., SSAValue]:
    def build(b: GraphBuilder, x: SSAValue) -> SSAValue:
        if not size_of(x):
            floats = is_float(tensor_of(x).element_type)
            return b.fill(float("nan") if floats else torch.iinfo(torch.int64).min)
        along = _median_along(ignore_nan)
        return along(b, b.reshape(x, [size_of(x)]), 0)[0]

    return build


def _mode(b: GraphBuilder, x: SSAValue, dim: int = -1, keepdim: bool = False) -> Pair:
    """The smallest of the most frequent elements, and the last of its indices.

    A run of equal elements starts where one differs from its predecessor. The first
    longest run ends where the distance to the start of the run first has its maximum.
    """
    values, places, order = _sorted_last(b, x, dim)
    *rows, size = shape_of(values)
    last = len(rows)
    f = Formula(b, INT64)
    line = b.constant(torch.arange(size), f"constant.{b.node_name}")
    line = b.reshape(line, [*[1] * last, size])
    if size > 1:
        keys = Formula(b, compute_type(tensor_of(values).element_type)).value(values)
        neighbours = [part(b, keys, last, s, size - 1) for s in (0, 1)]
        same = b.emit(EqOp.build_op(neighbours))
        starts = f.where(constant_pad(b, same, [1, 0]), 0, line)
        length = f(SubOp, line, b.emit(CummaxOp.along(starts, last)))
        end = b.emit(
            ArgmaxOp.build_op([length], {"axis": int_attr(last), "keep": int_attr(1)})
        )
    else:
        end = constant_place(b, 0, [*rows, 1])
    first, second = (
        _placed(b, b.emit(GatherOp.at(v, [end], [last])), order)
        for v in (values, places)
    )
    return first, second


_SORT = (SortOp,)
_MEDIAN = (KthValueOp, EqOp, ReduceSumOp)

IMPORTS: dict[str, ImportRule] = {
    **quantile.ROWS,
    **search.ROWS,
    **rows_of(ImportRule(_argsort, _SORT), "argsort argsort.stable"),
    "aten.kthvalue.default": ImportRule(_kth, (KthValueOp,)),
    "aten.median.default": ImportRule(_median(False), _MEDIAN),
    "aten.median.dim": ImportRule(_median_along(False), _MEDIAN),
    "aten.mode.default": ImportRule(_mode, (SortOp, CummaxOp, ArgmaxOp, GatherOp)),
    "aten.msort.default": ImportRule(_sort_rows, _SORT),
    "aten.nanmedian.default": ImportRule(_median(True), _MEDIAN),
    "aten.nanmedian.dim": ImportRule(_median_along(True), _MEDIAN),
    **rows_of(ImportRule(_sort, _SORT), "sort sort.stable"),
    "aten.topk.default": ImportRule(_largest, (SortOp, SliceOp)),
}
"""ATen overload -> import rule."""
