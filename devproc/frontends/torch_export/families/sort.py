"""ATen operators that put elements in order, and those that find some by their order.

Which of several equal elements `topk`, `kthvalue` and `median` name is not specified by
PyTorch; here it is that of a stable sort.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from xdsl.ir import Operation, SSAValue

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
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places import quantile, search
from devproc.frontends.torch_export.places.padding import constant_pad
from devproc.frontends.torch_export.places.pieces import expanded, part
from devproc.ir.types import DTYPES, is_float, tensor_of

INT64 = DTYPES["int64"]

Pair = tuple[SSAValue, SSAValue]


def constant_place(b: GraphBuilder, place: int, shape: Sequence[int]) -> SSAValue:
    """The same place everywhere."""
    one = b.reshape(b.scalar(place, INT64), [1] * len(shape))
    return expanded(b, one, shape)


def _order(rank: int, axis: int) -> list[int]:
    """The permutation that moves an axis to the end; its own inverse."""
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return order


def _moved_last(b: GraphBuilder, x: SSAValue, dim: int) -> tuple[SSAValue, list[int]]:
    """An axis moved to the end, by a permutation that is its own inverse."""
    x = b.reshape(x, shape_of(x) or [1])
    rank = len(shape_of(x))
    order = _order(rank, axis_of(dim, rank))
    return b.transpose(x, order), order


def _sorted_last(
    b: GraphBuilder, x: SSAValue, dim: int, descending: bool = False
) -> tuple[SSAValue, SSAValue, list[int]]:
    """Elements and their places, sorted along an axis that is moved to the end."""
    moved, order = _moved_last(b, x, dim)
    if shape_of(moved)[-1] < 2 or not size_of(moved):
        return moved, constant_place(b, 0, shape_of(moved)), order
    op = SortOp.last_axis(moved, descending)
    b.emit(op)
    return op.values, op.indices, order


def _sorted(b: GraphBuilder, x: SSAValue, dim: int, descending: bool) -> Pair:
    """Elements and their places in order along an axis."""
    values, places, order = _sorted_last(b, x, dim, descending)
    first, second = (
        b.reshape(b.transpose(v, order), shape_of(x)) for v in (values, places)
    )
    return first, second


def _sort(
    b: GraphBuilder, x: SSAValue, dim: int = -1, descending: bool = False
) -> Pair:
    return _sorted(b, x, dim, descending)


def _sort_stable(
    b: GraphBuilder,
    x: SSAValue,
    *,
    stable: bool | None = None,
    dim: int = -1,
    descending: bool = False,
) -> Pair:
    return _sorted(b, x, dim, descending)


def _argsort(
    b: GraphBuilder, x: SSAValue, dim: int = -1, descending: bool = False
) -> SSAValue:
    return _sorted(b, x, dim, descending)[1]


def _argsort_stable(
    b: GraphBuilder,
    x: SSAValue,
    *,
    stable: bool = False,
    dim: int = -1,
    descending: bool = False,
) -> SSAValue:
    return _sorted(b, x, dim, descending)[1]


def _sort_rows(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`msort`: along the first axis."""
    return _sorted(b, x, 0, False)[0]


def _largest(
    b: GraphBuilder,
    x: SSAValue,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
) -> Pair:
    """The first `k` of the order."""
    values, places, order = _sorted_last(b, x, dim, largest)
    last = len(order) - 1
    shape = b.result.get_shape()
    first, second = (
        b.reshape(b.transpose(part(b, v, last, 0, k), order), shape)
        for v in (values, places)
    )
    return first, second


def _at_rank(b: GraphBuilder, rows: SSAValue, order: list[int], rank: SSAValue) -> Pair:
    """The element of each row at a place of its order, where the result has it."""
    if not size_of(rows):
        return _placed(b, rows, order), _placed(b, rank, order)
    op = KthValueOp.at(rows, rank)
    b.emit(op)
    return _placed(b, op.values, order), _placed(b, op.indices, order)


def _kth(
    b: GraphBuilder, x: SSAValue, k: int, dim: int = -1, keepdim: bool = False
) -> Pair:
    """The k-th in ascending order, counted from one."""
    rows, order = _moved_last(b, x, dim)
    rank = constant_place(b, k - 1, [*shape_of(rows)[:-1], 1])
    return _at_rank(b, rows, order, rank)


def _placed(b: GraphBuilder, picked: SSAValue, order: list[int]) -> SSAValue:
    """One element of each row, back in the order of the axes and the result's shape."""
    return b.reshape(b.transpose(picked, order), b.result.get_shape())


def _middle(b: GraphBuilder, rows: SSAValue, ignore_nan: bool) -> SSAValue:
    """The place of the median in the order of rows, the lower one of two: of all elements
    (the first NaN where there is one), or of those that are numbers.
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
    # Rows of NaN alone have no number before the middle: their first element.
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
    """The smallest of the most frequent elements, at the last of its places.

    A run of equal elements starts where one differs from the one before it; the first
    longest run ends where the distance to its start is first the largest.
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
    "aten.argsort.default": ImportRule(_argsort, _SORT),
    "aten.argsort.stable": ImportRule(_argsort_stable, _SORT),
    "aten.kthvalue.default": ImportRule(_kth, (KthValueOp,)),
    "aten.median.default": ImportRule(_median(False), _MEDIAN),
    "aten.median.dim": ImportRule(_median_along(False), _MEDIAN),
    "aten.mode.default": ImportRule(_mode, (SortOp, CummaxOp, ArgmaxOp, GatherOp)),
    "aten.msort.default": ImportRule(_sort_rows, _SORT),
    "aten.nanmedian.default": ImportRule(_median(True), _MEDIAN),
    "aten.nanmedian.dim": ImportRule(_median_along(True), _MEDIAN),
    "aten.sort.default": ImportRule(_sort, _SORT),
    "aten.sort.stable": ImportRule(_sort_stable, _SORT),
    "aten.topk.default": ImportRule(_largest, (SortOp, SliceOp)),
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {}
"""op class -> why no ATen operator becomes it."""
