"""Running sums, products, maxima; rows of `reduction`.

All are scans in log2(n) steps (Hillis and Steele): step k combines each element with the
result 2 to the power of k places before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.compare import EqOp, LeOp, OrOp, WhereOp
from devproc.dialects.nn.elementary import Log1pOp
from devproc.dialects.nn.pointwise import (
    AddOp,
    ExpOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    SubOp,
)
from devproc.dialects.nn.shape import PadOp, SliceOp
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    axis_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.formula import Formula
from devproc.frontends.torch_export.indices import constant_line
from devproc.frontends.torch_export.pieces import expanded
from devproc.ir.types import DTYPES, is_bool, is_float, tensor_of
from devproc.reference.tensors import torch_dtype

INT64 = DTYPES["int64"]

Tuple = Sequence[SSAValue]


def _scanned(
    b: GraphBuilder,
    values: Tuple,
    axis: int,
    starts: Sequence[SSAValue],
    combine: Callable[[Tuple, Tuple], Tuple],
) -> Tuple:
    """Each element combined with all before it; `combine` takes the earlier one first,
    and `starts` change nothing.
    """
    shape = shape_of(values[0])
    reach = 1
    while shape and size_of(values[0]) and reach < shape[axis]:
        low = [reach if d == axis else 0 for d in range(len(shape))]
        earlier: list[SSAValue] = []
        for value, start in zip(values, starts, strict=True):
            kept = b.emit(SliceOp.along(value, axis, 0, shape[axis] - reach))
            earlier.append(b.emit(PadOp.around(kept, low, [0] * len(shape), start)))
        values, reach = combine(earlier, values), 2 * reach
    return values


def _sum_or_product(op: type[NNOp], start: Number) -> ImportRule:
    """PyTorch accumulates floats in double precision."""

    def build(b: GraphBuilder, x: SSAValue, dim: int, dtype: object = None) -> SSAValue:
        element = b.result.element_type
        f = Formula(b, DTYPES["float64"] if is_float(element) else element)
        axis = axis_of(dim, len(shape_of(x)))
        (total,) = _scanned(
            b,
            [f.value(b.cast(x, element))],
            axis,
            [f.value(start)],
            lambda before, after: [f(op, after[0], before[0])],
        )
        return b.cast(total, element)

    return ImportRule(build, (SliceOp, PadOp, op))


def running_maximum(b: GraphBuilder, x: SSAValue, axis: int) -> SSAValue:
    """The largest of each element of an int64 tensor and those before it."""
    f = Formula(b, INT64)
    least = f.value(torch.iinfo(torch.int64).min)
    (best,) = _scanned(
        b, [x], axis, [least], lambda before, after: [f(MaximumOp, *before, *after)]
    )
    return best


def running_sum(b: GraphBuilder, x: SSAValue, axis: int) -> SSAValue:
    """The sum of each element of an integer tensor and those before it."""
    f = Formula(b, tensor_of(x).element_type)
    (total,) = _scanned(
        b, [x], axis, [f.value(0)], lambda before, after: [f(AddOp, *before, *after)]
    )
    return total


def _extreme(largest: bool) -> ImportRule:
    """The largest (or smallest) so far, NaN before all, and where it last stood."""

    def build(b: GraphBuilder, x: SSAValue, dim: int) -> tuple[SSAValue, SSAValue]:
        element, shape = tensor_of(x).element_type, shape_of(x)
        axis = axis_of(dim, len(shape))
        f = Formula(b, DTYPES["uint8"] if is_bool(element) else element)
        x = b.reshape(f.value(x), shape or [1])
        line = constant_line(b, torch.arange(shape_of(x)[axis]), axis, len(shape_of(x)))
        places = expanded(b, line, shape_of(x))

        def later(before: Tuple, after: Tuple) -> Tuple:
            pair = (before[0], after[0]) if largest else (after[0], before[0])
            wins = f(LeOp, *pair)
            if is_float(f.element):
                wins = f.logic(OrOp, wins, f.differ(after[0], after[0]))
            return [
                b.emit(WhereOp.build_op([wins, mine, theirs]))
                for mine, theirs in zip(after, before, strict=True)
            ]

        start = f.value(_limit(torch_dtype(f.element), not largest))
        starts = [start, b.scalar(0, INT64)]
        best, where = _scanned(b, [x, places], axis, starts, later)
        return b.cast(b.reshape(best, shape), element), b.reshape(where, shape)

    return ImportRule(build, (SliceOp, PadOp, LeOp, WhereOp))


def _limit(dtype: torch.dtype, largest: bool) -> Number:
    """The largest or smallest value of a dtype."""
    if dtype.is_floating_point:
        return float("inf") if largest else float("-inf")
    limits = torch.iinfo(dtype)
    return limits.max if largest else limits.min


def _log_sum(b: GraphBuilder, x: SSAValue, dim: int) -> SSAValue:
    """log(exp(a) + exp(b)) as max + log1p(exp(min - max)), in double precision."""
    f = Formula(b, DTYPES["float64"])

    def add(before: Tuple, after: Tuple) -> Tuple:
        pair = (before[0], after[0])
        most, least = f(MaximumOp, *pair), f(MinimumOp, *pair)
        # Also of two infinities, whose difference is not a number.
        way = f.where(f(EqOp, *pair), 0, f(SubOp, least, most))
        return [f(AddOp, most, f(Log1pOp, f(ExpOp, way)))]

    axis = axis_of(dim, len(shape_of(x)))
    starts = [f.value(float("-inf"))]
    (total,) = _scanned(b, [f.value(x)], axis, starts, add)
    return b.cast(total, b.result.element_type)


SCANS: dict[str, ImportRule] = {
    "aten.cummax.default": _extreme(True),
    "aten.cummin.default": _extreme(False),
    "aten.cumprod.default": _sum_or_product(MulOp, 1),
    "aten.cumsum.default": _sum_or_product(AddOp, 0),
    "aten.logcumsumexp.default": ImportRule(_log_sum, (MaximumOp, ExpOp, Log1pOp)),
}
"""ATen overload -> how to build it."""
