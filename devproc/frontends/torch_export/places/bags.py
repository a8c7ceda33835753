"""Sums, means and maxima of bags of embeddings; rows of `gather`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import EqOp, LeOp, LtOp, WhereOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.gather import GatherOp, ScatterOp
from devproc.dialects.nn.pointwise import CastOp, DivOp, MaximumOp, MulOp, SubOp
from devproc.dialects.nn.reduction import ReduceMaxOp, ReduceSumOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.elementwise.value_checks import (
    check_index,
    check_range,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.finite import is_known_finite
from devproc.frontends.torch_export.places.pieces import expanded, filled, part
from devproc.ir.types import DTYPES, tensor_of

INT64 = DTYPES["int64"]

EVALUATED = "constant."
"""Prefix of the names of tensors that the graph computes from numbers alone."""

SUM, MEAN, MAX = 0, 1, 2
"""PyTorch's numbers for the modes."""


def _bag_of_each(b: GraphBuilder, offsets: SSAValue, count: int) -> SSAValue:
    """The bag of each index: the number of offsets up to its position, minus one."""
    f = Formula(b, INT64)
    starts = b.reshape(f.value(offsets), [1, size_of(offsets)])
    places = b.constant(torch.arange(count)[:, None], f"constant.{b.node_name}")
    begun = f.value(f(LeOp, starts, places))
    return f(SubOp, b.emit(ReduceSumOp.over(begun, [1], False)), 1)


def _size_of_each(
    b: GraphBuilder, offsets: SSAValue, bags: int, count: int
) -> int | None:
    """The common size of all bags, if constant offsets give one."""
    owner, size = offsets.owner, count // bags
    if isinstance(owner, ConstantOp):
        known = [int(cast(int, value)) for value in owner.value.get_values()]
    elif isinstance(owner, WeightOp) and (
        (name := owner.key.string_value()).startswith(EVALUATED)
    ):
        known = [int(offset) for offset in b.weights.array(name).ravel()]
    else:
        return None
    is_even = known[:bags] == [size * bag for bag in range(bags)]
    return size if is_even and size * bags == count else None


@dataclass(frozen=True)
class _Bags:
    """Bags of rows of a table, excluding the row at `padding` unless that is negative."""

    b: GraphBuilder
    f: Formula
    weight: SSAValue
    given: SSAValue
    """The row number at each position, in int64."""
    per_sample: SSAValue | None
    mode: int
    padding: int
    is_finite: bool
    """Whether the table is known to hold no NaN."""

    def _rows(self, shape: Sequence[int]) -> SSAValue:
        """The gathered rows in the shape (*shape, width)."""
        b, f = self.b, self.f
        table = [1] * (len(shape) - 1) + list(shape_of(self.weight))
        index = b.reshape(self.given, [*shape, 1])
        source, axis = b.reshape(self.weight, table), len(shape) - 1
        rows = f.value(b.emit(GatherOp.at(source, [index], [axis])))
        if self.per_sample is not None:
            rows = f(MulOp, rows, b.reshape(f.value(self.per_sample), [*shape, 1]))
        return rows

    def of_one_size(self, bags: int, size: int) -> SSAValue:
        """Reduces bags of equal size along an axis."""
        b, f = self.b, self.f
        rows, found = self._rows([bags, size]), f.value(size)
        if self.padding >= 0:
            given = b.reshape(self.given, [bags, size, 1])
            is_absent = Formula(b, INT64)(EqOp, given, self.padding)
            rows = f.where(is_absent, self._start, rows)
            ones = f.where(is_absent, 0, f.value(1))
            found = b.emit(ReduceSumOp.over(ones, [1], False))
        reduce = ReduceMaxOp if self.mode == MAX else ReduceSumOp
        return self._finished(b.emit(reduce.over(rows, [1], False)), found)

    def of_sizes(self, offsets: SSAValue, bags: int) -> SSAValue:
        """Scatters each row to its bag."""
        b, f, (count,) = self.b, self.f, shape_of(self.given)
        bag = _bag_of_each(b, offsets, count)
        if self.padding >= 0:
            places = Formula(b, INT64)
            bag = places.where(places(EqOp, self.given, self.padding), -1, bag)
        index = b.reshape(bag, [count, 1])

        def collected(rows: SSAValue, start: float, how: str) -> SSAValue:
            target = filled(b, f.value(start), [bags, shape_of(rows)[1]])
            return b.emit(ScatterOp.into(target, index, rows, 0, how))

        how = "max" if self.mode == MAX else "add"
        rows = self._rows([count])
        if self.mode == MAX and not self.is_finite:
            numbers = f.where(f.differ(rows, rows), self._start, rows)
            first = self._first_of_each(index, bags, rows)
            total = collected(numbers, self._start, how)
            total = f.where(f.differ(first, first), first, total)
        else:
            total = collected(rows, self._start, how)
        if self.mode == SUM:
            return total
        one = filled(b, f.value(1), [count, 1])
        return self._finished(total, collected(one, 0, "add"))

    def _first_of_each(self, index: SSAValue, bags: int, rows: SSAValue) -> SSAValue:
        """The first row of each bag. PyTorch's maximum is NaN only where that row is NaN:
        no element compares larger than NaN, and a later NaN never compares larger.
        """
        b, count = self.b, shape_of(rows)[0]
        places = b.constant(torch.arange(count).reshape(-1, 1), "places")
        last = expanded(b, b.scalar(count - 1, INT64), [bags, 1])
        first = b.emit(ScatterOp.into(last, index, places, 0, "min"))
        return b.emit(GatherOp.at(rows, [first], [0]))

    @property
    def _start(self) -> float:
        return float("-inf") if self.mode == MAX else 0

    def _finished(self, total: SSAValue, found: SSAValue) -> SSAValue:
        """The result from the sums or maxima and the number of rows in each bag."""
        f = self.f
        if self.mode == MAX:
            return f.where(f(LtOp, 0, found), total, 0)
        return f(DivOp, total, f(MaximumOp, found, 1)) if self.mode == MEAN else total


def _bags(
    b: GraphBuilder,
    weight: SSAValue,
    indices: SSAValue,
    offsets: SSAValue,
    _scale_grad_by_freq: bool = False,
    mode: int = SUM,
    _sparse: bool = False,
    per_sample_weights: SSAValue | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[SSAValue | Unavailable, ...]:
    """Reduces the rows of the weight in each bag, except the row at `padding_idx`; an
    empty bag is zero.
    """
    unused = Unavailable("only the bags themselves are computed", "do not use it")
    rest = (unused,) * (len(b.results) - 1)
    bags, width = b.result.get_shape()
    count = size_of(indices)
    if not count or not bags or not width:
        return b.fill(0), *rest
    size = _size_of_each(b, offsets, bags, count)
    element = tensor_of(weight).element_type
    f, places = Formula(b, compute_type(element)), Formula(b, INT64)
    check_index(b, indices, shape_of(weight)[0])
    if size is None:
        check_range(b, offsets, 0, count, "offset")
        check_range(b, part(b, offsets, 0, 0, 1), 0, 0, "first offset")
    given = b.reshape(places.value(indices), [count])
    is_finite = mode != MAX or is_known_finite(b, weight)
    made = _Bags(b, f, weight, given, per_sample_weights, mode, padding_idx, is_finite)
    if size is not None and is_finite:
        return b.cast(made.of_one_size(bags, size), element), *rest
    if include_last_offset:
        offsets = part(b, offsets, 0, 0, bags)
    return b.cast(made.of_sizes(offsets, bags), element), *rest


def _bags_without(
    b: GraphBuilder, weight: SSAValue, *rest: Any
) -> tuple[SSAValue | Unavailable, ...]:
    """The overload in which a negative padding index counts from the end."""
    absent: int | None = rest[-1]
    absent = -1 if absent is None else absent % shape_of(weight)[0]
    return _bags(b, weight, *rest[:-1], padding_idx=absent)


_MAKES = (
    *(GatherOp, ScatterOp, LeOp, ReduceSumOp, ReduceMaxOp),
    *(CastOp, WhereOp, DivOp),
)

ROWS: dict[str, ImportRule] = {
    **rows_of(
        ImportRule(_bags, _MAKES),
        "_embedding_bag _embedding_bag_forward_only embedding_bag",
    ),
    "aten.embedding_bag.padding_idx": ImportRule(_bags_without, _MAKES),
}
"""ATen overload -> import rule."""
