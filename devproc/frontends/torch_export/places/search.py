"""Binary search in sorted sequences, and linear search; rows of `sort`."""

from __future__ import annotations

from math import nan, prod
from typing import Any

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import AndOp, EqOp, LeOp, LtOp, ShiftRightOp, WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.reduction import ReduceMaxOp
from devproc.frontends.torch_export.elementwise.formula import (
    Formula,
    common_type,
    compute_type,
)
from devproc.frontends.torch_export.elementwise.value_checks import check_index
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.composites import composed_of
from devproc.frontends.torch_export.places.pieces import filled
from devproc.ir.types import DTYPES

INT64 = DTYPES["int64"]


def _search(
    b: GraphBuilder,
    sequence: SSAValue,
    values: SSAValue | Number,
    right: bool,
    sorter: SSAValue | None = None,
) -> SSAValue:
    """The insertion position of each value in the last dimension of the sequence.

    The steps are PyTorch's bisection: while start < end, compare with the middle.
    """
    *_, size = shape_of(sequence)
    if not size or 0 in b.result.get_shape():
        return b.fill(0)
    if sorter is not None:
        check_index(b, sorter, size)
    compared = Formula(b, common_type([sequence, values]))
    sequence, wanted = compared.value(sequence), compared.value(values)
    if len(shape_of(sequence)) == 1:
        wanted = b.reshape(wanted, [size_of(wanted)])
    *outer, count = shape_of(wanted)
    shape = [prod(outer), count]
    lines = [
        b.reshape(v, [prod(outer), shape_of(v)[-1]])
        for v in (sequence, sorter)
        if v is not None
    ]
    wanted = b.reshape(wanted, shape)
    f = Formula(b, INT64)
    start = filled(b, f.value(0), shape)
    end = f(AddOp, start, size)
    for _ in range(size.bit_length()):
        middle = f(ShiftRightOp, f(AddOp, start, end), 1)
        place = middle
        if sorter is not None:
            place = b.emit(GatherOp.at(lines[1], [middle], [1]))
        element = b.emit(GatherOp.at(lines[0], [place], [1]))
        # Negated comparisons send NaN to the right.
        more = LtOp if right else LeOp
        further = compared.negation(compared(more, wanted, element))
        is_open = f(LtOp, start, end)
        go_right = f.logic(AndOp, is_open, further)
        go_left = f.logic(AndOp, is_open, f.negation(further))
        start = f.where(go_right, f(AddOp, middle, 1), start)
        end = f.where(go_left, middle, end)
    return b.cast(b.reshape(start, b.result.get_shape()), b.result.element_type)


def _search_sorted(
    b: GraphBuilder,
    sequence: SSAValue,
    values: SSAValue | Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: SSAValue | None = None,
) -> SSAValue:
    return _search(b, sequence, values, right or side == "right", sorter)


def _bucket(
    b: GraphBuilder, values: SSAValue | Number, boundaries: SSAValue, **kwargs: Any
) -> SSAValue:
    return _search_sorted(b, boundaries, values, **kwargs)


def _is_in(
    b: GraphBuilder,
    elements: SSAValue | Number,
    tests: SSAValue | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> SSAValue:
    """Whether each element equals any of the test elements."""
    f = Formula(b, compute_type(common_type([elements, tests])))
    elements, tests = f.value(elements), f.value(tests)
    if not size_of(tests) or not size_of(elements):
        return b.fill(invert)
    row = b.reshape(tests, [1, size_of(tests)])
    hits = f(EqOp, b.reshape(elements, [size_of(elements), 1]), row)
    found = b.emit(ReduceMaxOp.over(b.cast(hits, DTYPES["uint8"]), [1], False))
    found = b.reshape(b.cast(found, DTYPES["bool"]), b.result.get_shape())
    return f.negation(found) if invert else found


def _histogram(
    x: torch.Tensor, bins: int = 100, least: Number = 0, most: Number = 0
) -> torch.Tensor:
    """How many elements each of `bins` equal parts of [least, most] holds, in the dtype of
    x; the last part includes `most`. NaN and what lies outside are not counted.

    Equal bounds stand for the extremes of x; the counts are NaN if those are not finite,
    where PyTorch raises an error.
    """
    x = x.reshape(-1)
    if not x.numel():
        return x.new_zeros(bins)
    low, high = x.new_tensor(least), x.new_tensor(most)
    is_fixed = least != most
    if not is_fixed:
        low, high = x.amin(), x.amax()
        is_flat = low == high
        low, high = (
            torch.where(is_flat, low - 1, low),
            torch.where(is_flat, high + 1, high),
        )
    # The edges of `linspace`, which counts from both ends.
    number, step = torch.arange(bins + 1, device=x.device), (high - low) / bins
    number = number.to(x.dtype)
    edges = torch.where(
        number < (bins + 1) // 2, low + step * number, high - step * (bins - number)
    )
    place = torch.bucketize(x, edges, right=True) - 1
    place = torch.where(x == high, bins - 1, place)
    place = torch.where((place >= 0) & (place < bins) & (x <= high), place, bins)
    ones = torch.ones_like(place)
    counts = torch.zeros(bins + 1, dtype=torch.int64, device=x.device)
    counts = counts.scatter_add(0, place, ones)[:bins].to(x.dtype)
    return counts if is_fixed else torch.where((high - low).isfinite(), counts, nan)


_MAKES = (GatherOp, LtOp, LeOp, WhereOp)

ROWS: dict[str, ImportRule] = {
    "aten.histc.default": composed_of(_histogram),
    **rows_of(ImportRule(_bucket, _MAKES), "bucketize.Scalar bucketize.Tensor"),
    **rows_of(
        ImportRule(_is_in, (EqOp, ReduceMaxOp)),
        "isin.Scalar_Tensor isin.Tensor_Scalar isin.Tensor_Tensor",
    ),
    **rows_of(
        ImportRule(_search_sorted, _MAKES), "searchsorted.Scalar searchsorted.Tensor"
    ),
}
"""ATen overload -> import rule."""
