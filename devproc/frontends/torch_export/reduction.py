"""ATen operators that combine all elements along some axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.pointwise import CastOp, DivOp, MulOp, SubOp
from devproc.dialects.nn.reduction import (
    ArgmaxOp,
    ReduceMaxOp,
    ReduceSumOp,
    SoftmaxOp,
)
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.pointwise import REDUCED
from devproc.frontends.torch_export.problems import Refusal
from devproc.ir.types import DTYPES, is_bool, is_float, is_unsigned, tensor_of

Axes = int | Sequence[int] | None


def _axes(x: SSAValue, dim: Axes) -> list[int]:
    """Axes to reduce: PyTorch takes none and an empty list for all of them."""
    rank = len(shape_of(x))
    given = [dim] if isinstance(dim, int) else list(dim or range(rank))
    return sorted({axis_of(axis, rank) for axis in given}) if rank else []


def _sum(
    b: GraphBuilder,
    x: SSAValue,
    dim: Axes = None,
    keepdim: bool = False,
    dtype: object = None,
) -> SSAValue:
    x = b.cast(x, b.result.element_type)
    return b.emit(ReduceSumOp.over(x, _axes(x, dim), keepdim))


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
    axes = _axes(x, dim)
    total = b.emit(ReduceSumOp.over(b.cast(x, compute), axes, keepdim))
    count = b.scalar(prod(shape_of(x)[axis] for axis in axes), compute)
    return b.cast(b.emit(DivOp.build_op([total, count])), element)


def _adaptive_avg_pool(b: GraphBuilder, x: SSAValue, size: Sequence[int]) -> SSAValue:
    if any(s != 1 for s in size):
        raise Refusal(
            f"adaptive_avg_pool to the size {tuple(size)} is not supported",
            "only size 1, the mean over the image, is",
        )
    rank = len(shape_of(x))
    return _mean(b, x, range(rank - len(size), rank), keepdim=True)


def _amax(
    b: GraphBuilder, x: SSAValue, dim: Axes = None, keepdim: bool = False
) -> SSAValue:
    element = tensor_of(x).element_type
    if is_bool(element):
        x = b.cast(x, DTYPES["uint8"])
    return b.cast(b.emit(ReduceMaxOp.over(x, _axes(x, dim), keepdim)), element)


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


def _softmax(b: GraphBuilder, x: SSAValue, dim: int, dtype: object = None) -> SSAValue:
    x = b.cast(x, b.result.element_type)
    if not shape_of(x):
        x = b.reshape(x, (1,))
    axis = axis_of(dim, len(shape_of(x)))
    value = b.emit(SoftmaxOp.build_op([x], {"axis": int_attr(axis)}))
    return b.reshape(value, b.result.get_shape())


_SUM = ImportRule(_sum, (ReduceSumOp, CastOp))
_MEAN = ImportRule(_mean, (ReduceSumOp, DivOp))
_AMAX = ImportRule(_amax, (ReduceMaxOp,))
_AMIN = ImportRule(_amin, (ReduceMaxOp, MulOp, SubOp))

IMPORTS: dict[str, ImportRule] = {
    "aten._softmax.default": ImportRule(_softmax, (SoftmaxOp,)),
    "aten.adaptive_avg_pool1d.default": ImportRule(_adaptive_avg_pool, _MEAN.makes),
    "aten.adaptive_avg_pool2d.default": ImportRule(_adaptive_avg_pool, _MEAN.makes),
    "aten._adaptive_avg_pool2d.default": ImportRule(_adaptive_avg_pool, _MEAN.makes),
    "aten.amax.default": _AMAX,
    "aten.amin.default": _AMIN,
    "aten.argmax.default": ImportRule(_argmax, (ArgmaxOp,)),
    "aten.argmin.default": ImportRule(_argmin, (ArgmaxOp, MulOp, SubOp)),
    "aten.max.default": _AMAX,
    "aten.max.dim": ImportRule(_max_along, (ReduceMaxOp, ArgmaxOp)),
    "aten.mean.default": _MEAN,
    "aten.mean.dim": _MEAN,
    "aten.min.default": _AMIN,
    "aten.min.dim": ImportRule(_min_along, (ReduceMaxOp, ArgmaxOp, MulOp, SubOp)),
    "aten.softmax.int": ImportRule(_softmax, (SoftmaxOp,)),
    "aten.sum.default": _SUM,
    "aten.sum.dim_IntList": _SUM,
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {}
"""op class -> why no ATen operator becomes it."""
