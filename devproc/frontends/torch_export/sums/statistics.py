"""Variances, standard deviations and vector norms; rows of `reduction`."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any

from xdsl.ir import SSAValue

from devproc.dialects.nn.elementary import PowOp
from devproc.dialects.nn.pointwise import (
    AbsOp,
    AddOp,
    CastOp,
    DivOp,
    MulOp,
    SqrtOp,
    SubOp,
)
from devproc.dialects.nn.reduction import ReduceMaxOp, ReduceSumOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    axis_of,
    rows_of,
    shape_of,
)
from devproc.transforms.tensor.decompositions.normalization import mean_of, variance_of
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions

Axes = int | Sequence[int] | None


def axes_of(x: SSAValue, dim: Axes) -> list[int]:
    """Axes to reduce: None and an empty list mean all of them, as in PyTorch."""
    rank = len(shape_of(x))
    given = [dim] if isinstance(dim, int) else list(dim or range(rank))
    return sorted({axis_of(axis, rank) for axis in given}) if rank else []


def total(f: Formula, x: SSAValue, axes: Sequence[int], keep: bool = True) -> SSAValue:
    """The sum over axes."""
    return f.b.emit(ReduceSumOp.over(x, axes, keep))


def count_of(x: SSAValue, axes: Sequence[int]) -> int:
    """The number of elements that are reduced to one."""
    return prod(shape_of(x)[axis] for axis in axes)


def _moments(
    b: GraphBuilder,
    x: SSAValue,
    dim: Axes,
    correction: Number | None,
    root: bool,
) -> tuple[SSAValue, SSAValue]:
    """Variance or standard deviation, and mean; summed in float64, as in PyTorch."""
    shape, element = b.result.get_shape(), b.result.element_type
    given = Expressions(b).of(x)
    wide, axes = given.cast("float64"), axes_of(x, dim)
    mean = mean_of(wide, axes, given.dtype)
    free = max(0.0, count_of(x, axes) - (1 if correction is None else correction))
    value = variance_of(wide, mean, axes, float(free))
    if root:
        value = value.sqrt()
    return (
        b.cast(b.reshape(value.ssa, shape), element),
        b.cast(b.reshape(mean.ssa, shape), element),
    )


def _spread(root: bool, with_mean: bool) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("keepdim", None)
        if "correction" in kwargs:
            dim, correction = args[0], kwargs["correction"]
        else:
            dim, unbiased = (None, args[0]) if len(args) == 1 else args[:2]
            correction = int(unbiased)
        found = _moments(b, x, dim, correction, root)
        return found if with_mean else found[0]

    makes = (CastOp, ReduceSumOp, DivOp, SubOp, AddOp, MulOp)
    makes += (SqrtOp,) if root else ()
    return ImportRule(build, makes)


def vector_norm(
    f: Formula, x: SSAValue, order: Number, axes: Sequence[int]
) -> SSAValue:
    """The norm over axes, which are kept with size 1."""
    b = f.b
    size = f(AbsOp, x)
    if order == inf:
        return b.emit(ReduceMaxOp.over(size, axes, True))
    if order == -inf:
        least = b.emit(ReduceMaxOp.over(f(MulOp, size, -1.0), axes, True))
        return f(MulOp, least, -1.0)
    if order == 0:
        return total(f, f.value(f.differ(x, 0.0)), axes)
    if order == 1:
        return total(f, size, axes)
    if order == 2:
        return f(SqrtOp, total(f, f(MulOp, x, x), axes))
    return f(PowOp, total(f, f(PowOp, size, float(order)), axes), 1.0 / order)


def _vector_norm(
    b: GraphBuilder,
    x: SSAValue,
    order: Number | None = 2,
    dim: Axes = None,
    *_: object,
) -> SSAValue:
    f = Formula(b, compute_type(b.result.element_type))
    x = f.value(x)
    value = vector_norm(f, x, 2 if order is None else order, axes_of(x, dim))
    return b.cast(b.reshape(value, b.result.get_shape()), b.result.element_type)


STATISTICS: dict[str, ImportRule] = {
    **{
        f"aten.{name}.{overload}": _spread(name.startswith("std"), "mean" in name)
        for name in ("var", "std", "var_mean", "std_mean")
        for overload in ("default", "dim", "correction")
    },
    **rows_of(
        ImportRule(
            _vector_norm, (AbsOp, MulOp, PowOp, ReduceSumOp, ReduceMaxOp, SqrtOp)
        ),
        "linalg_vector_norm norm.Scalar norm.ScalarOpt_dim norm.ScalarOpt_dim_dtype",
    ),
}
"""ATen overload -> import rule."""
