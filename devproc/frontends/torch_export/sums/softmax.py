"""Softmax and its relatives; rows of `reduction`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from devproc.dialects.nn.compare import EqOp, WhereOp
from devproc.dialects.nn.elementary import LogOp
from devproc.dialects.nn.pointwise import AbsOp, AddOp, ExpOp, SubOp
from devproc.dialects.nn.reduction import (
    LogSoftmaxOp,
    ReduceMaxOp,
    ReduceSumOp,
    SoftmaxBase,
    SoftmaxOp,
)
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    rows_of,
    shape_of,
    size_of,
)
from devproc.ir.types import tensor_of


def safe_softmax(b: GraphBuilder, x: SSAValue, axis: int) -> SSAValue:
    """The softmax, or 0 where all elements are minus infinity."""
    f = Formula(b, tensor_of(x).element_type)
    most = b.emit(ReduceMaxOp.over(x, [axis], True))
    masked = f(EqOp, most, float("-inf"))
    return f.where(masked, 0.0, b.emit(SoftmaxOp.along(x, axis)))


def _wide(b: GraphBuilder, x: SSAValue, element: Attribute) -> SSAValue:
    """`x` rounded to a dtype, then in its compute type; of rank 1 and above."""
    x = b.cast(b.cast(x, element), compute_type(element))
    return x if shape_of(x) else b.reshape(x, (1,))


def _softmax(op: type[SoftmaxBase]) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue, dim: int, dtype: object = None) -> SSAValue:
        # Half precision is widened when the op is decomposed.
        x = b.cast(x, b.result.element_type)
        x = x if shape_of(x) else b.reshape(x, (1,))
        value = b.emit(op.along(x, axis_of(dim, len(shape_of(x)))))
        return b.reshape(value, b.result.get_shape())

    return ImportRule(build, (op,))


def _safe_softmax(
    b: GraphBuilder, x: SSAValue, dim: int, dtype: object = None
) -> SSAValue:
    x = _wide(b, x, b.result.element_type)
    if size_of(x):
        x = safe_softmax(b, x, axis_of(dim, len(shape_of(x))))
    return b.cast(b.reshape(x, b.result.get_shape()), b.result.element_type)


def _logsumexp(
    b: GraphBuilder, x: SSAValue, dim: int | Sequence[int], keepdim: bool = False
) -> SSAValue:
    """max + log(sum(exp(x - max))); an infinite maximum counts as 0."""
    element = b.result.element_type
    x = _wide(b, x, element)
    rank = len(shape_of(x))
    given = [dim] if isinstance(dim, int) else list(dim) or range(rank)
    axes = sorted({axis_of(axis, rank) for axis in given})
    f = Formula(b, compute_type(element))
    if size_of(x):
        most = b.emit(ReduceMaxOp.over(x, axes, True))
        infinite = f(EqOp, f(AbsOp, most), float("inf"))
        most = f.where(infinite, 0.0, most)
        total = b.emit(ReduceSumOp.over(f(ExpOp, f(SubOp, x, most)), axes, True))
        value = f(AddOp, f(LogOp, total), most)
    else:
        value = f(LogOp, b.emit(ReduceSumOp.over(x, axes, True)))
    return b.cast(b.reshape(value, b.result.get_shape()), element)


SOFTMAX: dict[str, ImportRule] = {
    **rows_of(_softmax(LogSoftmaxOp), "_log_softmax log_softmax.int"),
    "aten._safe_softmax.default": ImportRule(
        _safe_softmax, (SoftmaxOp, ReduceMaxOp, EqOp, WhereOp)
    ),
    "aten.logsumexp.default": ImportRule(
        _logsumexp,
        (ReduceMaxOp, AbsOp, EqOp, WhereOp, SubOp, ExpOp, ReduceSumOp, LogOp, AddOp),
    ),
    **rows_of(_softmax(SoftmaxOp), "_softmax softmax.int"),
}
"""ATen overload -> import rule."""
