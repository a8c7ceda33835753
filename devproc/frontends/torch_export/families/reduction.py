"""ATen operators that combine all elements along some axes."""

from __future__ import annotations

from math import prod

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
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.frontends.torch_export.sums.distances import DISTANCES
from devproc.frontends.torch_export.sums.losses import LOSSES
from devproc.frontends.torch_export.sums.softmax import SOFTMAX
from devproc.frontends.torch_export.sums.statistics import STATISTICS, Axes, axes_of
from devproc.ir.types import DTYPES, is_bool, is_float, is_unsigned, tensor_of


def _sum(
    b: GraphBuilder,
    x: SSAValue,
    dim: Axes = None,
    keepdim: bool = False,
    dtype: object = None,
) -> SSAValue:
    x = b.cast(x, b.result.element_type)
    return b.emit(ReduceSumOp.over(x, axes_of(x, dim), keepdim))


def _mean(
    b: GraphBuilder,
    x: SSAValue,
    dim: Axes = None,
    keepdim: bool = False,
    dtype: object = None,
) -> SSAValue:
    # PyTorch rounds to half precision once, after the division.
    element = b.result.element_type
    compute = DTYPES["float32"] if element in REDUCED else element
    axes = axes_of(x, dim)
    total = b.emit(ReduceSumOp.over(b.cast(x, compute), axes, keepdim))
    count = b.scalar(prod(shape_of(x)[axis] for axis in axes), compute)
    return b.cast(b.emit(DivOp.build_op([total, count])), element)


def _prod(
    b: GraphBuilder,
    x: SSAValue,
    dim: Axes = None,
    keepdim: bool = False,
    dtype: object = None,
) -> SSAValue:
    """float32 as in float64: in one chain its error would grow with the length."""
    element = b.result.element_type
    f = Formula(
        b, DTYPES["float64"] if element == DTYPES["float32"] else compute_type(element)
    )
    x = f.value(b.cast(x, element))
    return b.cast(b.emit(ReduceProdOp.over(x, axes_of(x, dim), keepdim)), element)


def _any(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    """Whether one element is not 0: the maximum of bools."""
    truth = b.cast(b.cast(x, BOOL), DTYPES["uint8"])
    reduce = ReduceMaxOp if size_of(x) else ReduceSumOp
    found = b.emit(reduce.over(truth, axes_of(x, dim), keepdim))
    return b.cast(found, b.result.element_type)


def _all(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    """Whether no element is 0."""
    f = Formula(b, BOOL)
    missing = f.value(_any(b, f.negation(f.value(x)), dim, keepdim))
    return b.cast(f.negation(missing), b.result.element_type)


def _count_nonzero(b: GraphBuilder, x: SSAValue, dim: Axes = None) -> SSAValue:
    truth = b.cast(b.cast(x, BOOL), b.result.element_type)
    return b.emit(ReduceSumOp.over(truth, axes_of(x, dim), False))


def _nansum(
    b: GraphBuilder,
    x: SSAValue,
    dim: Axes = None,
    keepdim: bool = False,
    dtype: object = None,
) -> SSAValue:
    if is_float(tensor_of(x).element_type):
        f = Formula(b, tensor_of(x).element_type)
        x = f.where(f.differ(x, x), 0, x)
    return _sum(b, x, dim, keepdim)


def _aminmax(
    b: GraphBuilder, x: SSAValue, dim: int | None = None, keepdim: bool = False
) -> tuple[SSAValue, SSAValue]:
    return _amin(b, x, dim, keepdim), _amax(b, x, dim, keepdim)


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
    """The values in reverse order, without overflow, by a map that is its own inverse:
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


def _argmin(
    b: GraphBuilder, x: SSAValue, dim: int | None = None, keepdim: bool = False
) -> SSAValue:
    return _argmax(b, _reversed(b, x), dim, keepdim)


def _max_along(
    b: GraphBuilder, x: SSAValue, dim: int, keepdim: bool = False
) -> tuple[SSAValue, SSAValue]:
    return _amax(b, x, dim, keepdim), _argmax(b, x, dim, keepdim)


def _min_along(
    b: GraphBuilder, x: SSAValue, dim: int, keepdim: bool = False
) -> tuple[SSAValue, SSAValue]:
    return _amin(b, x, dim, keepdim), _argmin(b, x, dim, keepdim)


_SUM = ImportRule(_sum, (ReduceSumOp, CastOp))
_MEAN = ImportRule(_mean, (ReduceSumOp, DivOp))
_AMAX = ImportRule(_amax, (ReduceMaxOp,))
_AMIN = ImportRule(_amin, (ReduceMaxOp, MulOp, SubOp))

_PROD = ImportRule(_prod, (ReduceProdOp, CastOp))
_ANY = ImportRule(_any, (CastOp, ReduceMaxOp))
_ALL = ImportRule(_all, (CastOp, XorOp, ReduceMaxOp))
_COUNT = ImportRule(_count_nonzero, (CastOp, ReduceSumOp))

IMPORTS: dict[str, ImportRule] = {
    **DISTANCES,
    **LOSSES,
    **SOFTMAX,
    **STATISTICS,
    **traced(
        *(
            f"aten.gradient.{overload}"
            for overload in (
                *("array", "scalararray", "scalarint", "scalarrayarray"),
                *("scalarrayint", "tensorarray", "tensorarrayint"),
            )
        ),
        "aten.cumulative_trapezoid.dx",
        "aten.cumulative_trapezoid.x",
        "aten.nanmean.default",
        "aten.special_log_softmax.default",
        "aten.special_logsumexp.default",
        "aten.special_softmax.default",
        "aten.sum_to_size.default",
        "aten.trapezoid.dx",
        "aten.trapezoid.x",
        "aten.trapz.dx",
        "aten.trapz.x",
    ),
    "aten.all.default": _ALL,
    "aten.all.dim": _ALL,
    "aten.all.dims": _ALL,
    "aten.amax.default": _AMAX,
    "aten.amin.default": _AMIN,
    "aten.aminmax.default": ImportRule(_aminmax, (ReduceMaxOp, MulOp, SubOp)),
    "aten.any.default": _ANY,
    "aten.any.dim": _ANY,
    "aten.any.dims": _ANY,
    "aten.argmax.default": ImportRule(_argmax, (ArgmaxOp,)),
    "aten.argmin.default": ImportRule(_argmin, (ArgmaxOp, MulOp, SubOp)),
    "aten.count_nonzero.default": _COUNT,
    "aten.count_nonzero.dim_IntList": _COUNT,
    "aten.max.default": _AMAX,
    "aten.max.dim": ImportRule(_max_along, (ReduceMaxOp, ArgmaxOp)),
    "aten.mean.default": _MEAN,
    "aten.mean.dim": _MEAN,
    "aten.min.default": _AMIN,
    "aten.min.dim": ImportRule(_min_along, (ReduceMaxOp, ArgmaxOp, MulOp, SubOp)),
    "aten.nansum.default": ImportRule(_nansum, (EqOp, XorOp, WhereOp, ReduceSumOp)),
    "aten.prod.default": _PROD,
    "aten.prod.dim_int": _PROD,
    "aten.sum.default": _SUM,
    "aten.sum.dim_IntList": _SUM,
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {}
"""op class -> why no ATen operator becomes it."""
