"""Quantiles: elements between two places of an order; rows of `sort`."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import EqOp, LtOp, WhereOp
from devproc.dialects.nn.elementary import CeilOp, FloorOp, RoundOp
from devproc.dialects.nn.pointwise import AbsOp, AddOp, MulOp, SubOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.dialects.nn.sort import KthValueOp
from devproc.frontends.torch_export.elementwise.formula import Formula
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places.pieces import joined, part
from devproc.ir.types import DTYPES, tensor_of

ROUNDINGS = {"lower": FloorOp, "higher": CeilOp, "nearest": RoundOp}
"""Interpolations that are one of the elements."""


def _ranks(b: GraphBuilder, rows: SSAValue, q: SSAValue, ignore_nan: bool) -> SSAValue:
    """The place, with a fraction, of each quantile in the order of each row."""
    f = Formula(b, tensor_of(rows).element_type)
    size = shape_of(rows)[1]
    is_number = b.cast(b.emit(EqOp.build_op([rows, rows])), DTYPES["int64"])
    count = b.emit(ReduceSumOp.over(is_number, [1], True))
    if not ignore_nan:
        full = b.emit(EqOp.build_op([count, b.scalar(size, DTYPES["int64"])]))
        return f.where(full, f(MulOp, q, size - 1), size - 1)
    rank = f(MulOp, q, f(SubOp, count, 1))
    return f.where(f(LtOp, rank, 0), 0, rank)


def _at(b: GraphBuilder, rows: SSAValue, places: SSAValue) -> SSAValue:
    """The elements at these places of the order of each row."""
    op = KthValueOp.at(rows, b.cast(places, DTYPES["int64"]))
    b.emit(op)
    return op.values


def _between(
    b: GraphBuilder, rows: SSAValue, ranks: SSAValue, interpolation: str
) -> SSAValue:
    """The elements at these places, or what lies between their neighbours."""
    f = Formula(b, tensor_of(rows).element_type)
    if interpolation in ROUNDINGS:
        return _at(b, rows, f(ROUNDINGS[interpolation], ranks))
    below, above = f(FloorOp, ranks), f(CeilOp, ranks)
    weight = f(SubOp, ranks, below)
    if interpolation == "midpoint":
        weight = f(AddOp, f(MulOp, weight, 0), 0.5)
    both = _at(b, rows, joined(b, [below, above], 1))
    count = shape_of(ranks)[1]
    first, last = (part(b, both, 1, start, count) for start in (0, count))
    way = f(SubOp, last, first)
    # From the nearer end, as PyTorch's `lerp` does it.
    from_last = f(SubOp, last, f(MulOp, way, f(SubOp, 1, weight)))
    near_first = f(LtOp, f(AbsOp, weight), 0.5)
    return f.where(near_first, f(AddOp, first, f(MulOp, way, weight)), from_last)


def _quantile(ignore_nan: bool) -> Callable[..., SSAValue]:
    def build(
        b: GraphBuilder,
        x: SSAValue,
        q: SSAValue | float,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> SSAValue:
        element = tensor_of(x).element_type
        quantiles = (
            b.cast(q, element) if isinstance(q, SSAValue) else b.scalar(q, element)
        )
        if dim is None or not shape_of(x):
            x, dim = b.reshape(x, [size_of(x)]), 0
        axis, rank = axis_of(dim, len(shape_of(x))), len(shape_of(x))
        moved = b.transpose(x, [*(d for d in range(rank) if d != axis), axis])
        count = size_of(x) // shape_of(x)[axis]
        rows = b.reshape(moved, [count, shape_of(x)[axis]])
        line = b.reshape(quantiles, [1, size_of(quantiles)])
        ranks = _ranks(b, rows, line, ignore_nan)
        found = _between(b, rows, ranks, interpolation)
        # The quantiles are the first dimension of the result.
        return b.reshape(b.transpose(found, [1, 0]), b.result.get_shape())

    return build


_MAKES = (KthValueOp, MulOp, WhereOp)
_QUANTILE = ImportRule(_quantile(False), _MAKES)
_NAN_QUANTILE = ImportRule(_quantile(True), _MAKES)

ROWS: dict[str, ImportRule] = {
    "aten.nanquantile.default": _NAN_QUANTILE,
    "aten.nanquantile.scalar": _NAN_QUANTILE,
    "aten.quantile.default": _QUANTILE,
    "aten.quantile.scalar": _QUANTILE,
}
"""ATen overload -> how to build it."""
