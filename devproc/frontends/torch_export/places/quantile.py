"""Quantiles: interpolation between two elements of the sorted order; rows of `sort`."""

from __future__ import annotations

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
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places.pieces import joined, part
from devproc.ir.types import DTYPES, tensor_of

ROUNDINGS = {"lower": FloorOp, "higher": CeilOp, "nearest": RoundOp}
"""Interpolation modes that select an element -> how its rank is rounded."""


def _ranks(b: GraphBuilder, rows: SSAValue, q: SSAValue, ignore_nan: bool) -> SSAValue:
    """The fractional rank of each quantile in the sorted order of each row."""
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
    """The elements of these ranks in the sorted order of each row."""
    return b.emit(KthValueOp.at(rows, b.cast(places, DTYPES["int64"])))


def _between(
    b: GraphBuilder, rows: SSAValue, ranks: SSAValue, interpolation: str
) -> SSAValue:
    """The elements of these ranks, or interpolated between the neighbouring ranks."""
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


_MAKES = (KthValueOp, MulOp, WhereOp)


def _quantile(ignore_nan: bool) -> ImportRule:
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
        quantiles = Formula(b, element).value(q)
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

    return ImportRule(build, _MAKES)


ROWS: dict[str, ImportRule] = {
    **rows_of(_quantile(True), "nanquantile nanquantile.scalar"),
    **rows_of(_quantile(False), "quantile quantile.scalar"),
}
"""ATen overload -> import rule."""
