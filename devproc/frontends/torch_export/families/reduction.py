"""ATen operators that reduce along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.compare import EqOp, WhereOp, XorOp
from devproc.dialects.nn.pointwise import CastOp, DivOp, MulOp, SubOp
from devproc.dialects.nn.reduction import (
    ArgmaxOp,
    ReduceMaxOp,
    ReduceProdOp,
    ReduceSumOp,
)
from devproc.frontends.torch_export.elementwise.formula import (
    BOOL,
    REDUCED,
    Formula,
    compute_type,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.frontends.torch_export.sums.distances import DISTANCES
from devproc.frontends.torch_export.sums.losses import LOSSES
from devproc.frontends.torch_export.sums.softmax import SOFTMAX
from devproc.frontends.torch_export.sums.statistics import (
    STATISTICS,
    Axes,
    axes_of,
    count_of,
)
from devproc.ir.types import DTYPES, is_bool, is_float, is_unsigned, tensor_of


def _sum(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    x = b.cast(x, b.result.element_type)
    return b.emit(ReduceSumOp.over(x, axes_of(x, dim), keepdim))


def _mean(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    # PyTorch rounds to half precision once, after the division.
    element = b.result.element_type
    compute = DTYPES["float32"] if element in REDUCED else element
    axes = axes_of(x, dim)
    total = b.emit(ReduceSumOp.over(b.cast(x, compute), axes, keepdim))
    count = b.scalar(count_of(x, axes), compute)
    return b.cast(b.emit(DivOp.build_op([total, count])), element)


def _prod(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    """float32 is multiplied in float64: the error of one chain grows with its length."""
    element = b.result.element_type
    is_single = element == DTYPES["float32"]
    wide = DTYPES["float64"] if is_single else compute_type(element)
    x = b.cast(b.cast(x, element), wide)
    return b.cast(b.emit(ReduceProdOp.over(x, axes_of(x, dim), keepdim)), element)


def _any(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    """Whether any element is nonzero: the maximum of bools."""
    truth = b.cast(b.cast(x, BOOL), DTYPES["uint8"])
    reduce = ReduceMaxOp if size_of(x) else ReduceSumOp
    found = b.emit(reduce.over(truth, axes_of(x, dim), keepdim))
    return b.cast(found, b.result.element_type)


def _all(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    """Whether all elements are nonzero."""
    f = Formula(b, BOOL)
    missing = f.value(_any(b, f.negation(f.value(x)), dim, keepdim))
    return b.cast(f.negation(missing), b.result.element_type)


def _count_nonzero(b: GraphBuilder, x: SSAValue, dim: Axes = None) -> SSAValue:
    truth = b.cast(b.cast(x, BOOL), b.result.element_type)
    return b.emit(ReduceSumOp.over(truth, axes_of(x, dim), False))


def _nansum(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    if is_float(tensor_of(x).element_type):
        f = Formula(b, tensor_of(x).element_type)
        x = f.where(f.differ(x, x), 0, x)
    return _sum(b, x, dim, keepdim)


def _amax(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    element = tensor_of(x).element_type
    if is_bool(element):
        x = b.cast(x, DTYPES["uint8"])
    return b.cast(b.emit(ReduceMaxOp.over(x, axes_of(x, dim), keepdim)), element)


def _amin(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    element = tensor_of(x).element_type
    return _reversed(b, _amax(b, _reversed(b, x), dim, keepdim), element)


def _reversed(b: GraphBuilder, x: SSAValue, element: object = None) -> SSAValue:
    """Reverses the order of values without overflow, by a map that is its own inverse:
    -x for floats, ~x for integers.
    """
    type_ = tensor_of(x).element_type
    if is_bool(type_):
        x, type_ = b.cast(x, DTYPES["uint8"]), DTYPES["uint8"]
    if is_float(type_):
        value = b.emit(MulOp.build_op([x, b.scalar(-1, type_)]))
    else:
        top = b.scalar(255 if is_unsigned(type_) else -1, type_)
        value = b.emit(SubOp.build_op([top, x]))
    return b.cast(value, element) if element is not None else value  # pyright: ignore


def _argmax(
    b: GraphBuilder, x: SSAValue, dim: int | None = None, keepdim: bool = False
) -> SSAValue:
    if is_bool(tensor_of(x).element_type):
        x = b.cast(x, DTYPES["uint8"])
    if dim is None or not shape_of(x):
        x, dim = b.reshape(x, (size_of(x),)), 0
    properties = {
        "axis": int_attr(axis_of(dim, len(shape_of(x)))),
        "keep": int_attr(int(keepdim and len(shape_of(x)) > 1)),
    }
    value = b.emit(ArgmaxOp.build_op([x], properties))
    return b.reshape(value, b.results[-1].get_shape())


def _argmin(b: GraphBuilder, x: SSAValue, *axis: Any) -> SSAValue:
    return _argmax(b, _reversed(b, x), *axis)


def _pair(
    first: Callable[..., SSAValue],
    second: Callable[..., SSAValue],
    *makes: type[Operation],
) -> ImportRule:
    """The rule of an operator whose results are those of two others."""

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> tuple[SSAValue, SSAValue]:
        return first(b, *args, **kwargs), second(b, *args, **kwargs)

    return ImportRule(build, makes)


_AMIN_MAKES = (ReduceMaxOp, MulOp, SubOp)

IMPORTS: dict[str, ImportRule] = {
    **DISTANCES,
    **LOSSES,
    **SOFTMAX,
    **STATISTICS,
    **traced(
        "gradient.array gradient.scalararray gradient.scalarint "
        "gradient.scalarrayarray gradient.scalarrayint gradient.tensorarray "
        "gradient.tensorarrayint cumulative_trapezoid.dx cumulative_trapezoid.x "
        "nanmean special_log_softmax special_logsumexp special_softmax sum_to_size "
        "trapezoid.dx trapezoid.x trapz.dx trapz.x"
    ),
    **rows_of(ImportRule(_all, (CastOp, XorOp, ReduceMaxOp)), "all all.dim all.dims"),
    **rows_of(ImportRule(_amax, (ReduceMaxOp,)), "amax max"),
    **rows_of(ImportRule(_amin, _AMIN_MAKES), "amin min"),
    "aten.aminmax.default": _pair(_amin, _amax, *_AMIN_MAKES),
    **rows_of(ImportRule(_any, (CastOp, ReduceMaxOp)), "any any.dim any.dims"),
    "aten.argmax.default": ImportRule(_argmax, (ArgmaxOp,)),
    "aten.argmin.default": ImportRule(_argmin, (ArgmaxOp, MulOp, SubOp)),
    **rows_of(
        ImportRule(_count_nonzero, (CastOp, ReduceSumOp)),
        "count_nonzero count_nonzero.dim_IntList",
    ),
    "aten.max.dim": _pair(_amax, _argmax, ReduceMaxOp, ArgmaxOp),
    **rows_of(ImportRule(_mean, (ReduceSumOp, DivOp)), "mean mean.dim"),
    "aten.min.dim": _pair(_amin, _argmin, ReduceMaxOp, ArgmaxOp, MulOp, SubOp),
    "aten.nansum.default": ImportRule(_nansum, (EqOp, XorOp, WhereOp, ReduceSumOp)),
    **rows_of(ImportRule(_prod, (ReduceProdOp, CastOp)), "prod prod.dim_int"),
    **rows_of(ImportRule(_sum, (ReduceSumOp, CastOp)), "sum sum.dim_IntList"),
}
"""ATen overload -> import rule."""
