"""Sums, means and maxima of bags of embeddings; rows of `gather`."""

from __future__ import annotations

from typing import Any

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import EqOp, LeOp, LtOp, WhereOp
from devproc.dialects.nn.gather import GatherOp, ScatterOp
from devproc.dialects.nn.pointwise import CastOp, DivOp, MaximumOp, MulOp, SubOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.constant import fill
from devproc.frontends.torch_export.formula import Formula, compute_type
from devproc.frontends.torch_export.indices import line
from devproc.frontends.torch_export.pieces import expanded, part
from devproc.ir.types import DTYPES, tensor_of

INT64 = DTYPES["int64"]

SUM, MEAN, MAX = 0, 1, 2
"""PyTorch's numbers of the modes."""


def _bag_of_each(b: GraphBuilder, offsets: SSAValue, count: int) -> SSAValue:
    """The bag of each index: how many offsets are not behind it, less one."""
    f = Formula(b, INT64)
    starts = b.reshape(f.value(offsets), [1, size_of(offsets)])
    places = b.constant(torch.arange(count)[:, None], f"constant.{b.node_name}")
    begun = f.value(f(LeOp, starts, places))
    return f(SubOp, b.emit(ReduceSumOp.over(begun, [1], False)), 1)


def _bags(
    b: GraphBuilder,
    weight: SSAValue,
    indices: SSAValue,
    offsets: SSAValue,
    scale_grad_by_freq: bool = False,
    mode: int = SUM,
    sparse: bool = False,
    per_sample_weights: SSAValue | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[SSAValue | Unavailable, ...]:
    """Each row of the weight goes to its bag, but not the one at `padding_idx`; an empty
    bag is zero.
    """
    unused = Unavailable("only the bags themselves are computed", "do not use it")
    rest = (unused,) * (len(b.results) - 1)
    bags, width = b.result.get_shape()
    count = size_of(indices)
    if not count or not bags or not width:
        return fill(b, 0), *rest
    if include_last_offset:
        offsets = part(b, offsets, 0, 0, bags)
    element = tensor_of(weight).element_type
    f, places = Formula(b, compute_type(element)), Formula(b, INT64)
    bag = _bag_of_each(b, offsets, count)
    given = b.reshape(places.value(indices), [count])
    if padding_idx >= 0:
        bag = places.where(places(EqOp, given, padding_idx), -1, bag)
    rows = f.value(b.emit(GatherOp.at(weight, [line(b, given, 0, 2)], [0])))
    if per_sample_weights is not None:
        rows = f(MulOp, rows, b.reshape(f.value(per_sample_weights), [count, 1]))
    start = float("-inf") if mode == MAX else 0
    target = expanded(b, b.reshape(f.value(start), [1, 1]), [bags, width])
    index = b.reshape(bag, [count, 1])
    how = "max" if mode == MAX else "add"
    total = b.emit(ScatterOp.into(target, index, rows, 0, how))
    if mode != SUM:
        none = expanded(b, b.reshape(f.value(0), [1, 1]), [bags, 1])
        one = expanded(b, b.reshape(f.value(1), [1, 1]), [count, 1])
        found = b.emit(ScatterOp.into(none, index, one, 0, "add"))
        if mode == MAX:
            total = f.where(f(LtOp, 0, found), total, 0)
        else:
            total = f(DivOp, total, f(MaximumOp, found, 1))
    return b.cast(total, element), *rest


def _bags_without(
    b: GraphBuilder, weight: SSAValue, *rest: Any
) -> tuple[SSAValue | Unavailable, ...]:
    """Here a negative padding index counts from the end."""
    absent: int | None = rest[-1]
    absent = -1 if absent is None else absent % shape_of(weight)[0]
    return _bags(b, weight, *rest[:-1], padding_idx=absent)


_MAKES = (GatherOp, ScatterOp, LeOp, ReduceSumOp, CastOp, WhereOp, DivOp)
_BAGS = ImportRule(_bags, _MAKES)

ROWS: dict[str, ImportRule] = {
    "aten._embedding_bag.default": _BAGS,
    "aten._embedding_bag_forward_only.default": _BAGS,
    "aten.embedding_bag.default": _BAGS,
    "aten.embedding_bag.padding_idx": ImportRule(_bags_without, _MAKES),
}
"""ATen overload -> how to build it."""
