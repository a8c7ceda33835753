"""Variance, vector norms and normalization over axes; rows of `reduction`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log2, prod
from typing import Any

import torch
from xdsl.ir import Attribute, SSAValue

from devproc.dialects.nn.base import NNOp
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
    Unavailable,
    axis_of,
    shape_of,
    size_of,
)
from devproc.ir.types import DTYPES, tensor_of
from devproc.reference.run.tensors import torch_dtype

Axes = int | Sequence[int] | None


def axes_of(x: SSAValue, dim: Axes) -> list[int]:
    """Axes to reduce: PyTorch takes none and an empty list for all of them."""
    rank = len(shape_of(x))
    given = [dim] if isinstance(dim, int) else list(dim or range(rank))
    return sorted({axis_of(axis, rank) for axis in given}) if rank else []


def total(f: Formula, x: SSAValue, axes: Sequence[int], keep: bool = True) -> SSAValue:
    """The sum over axes."""
    return f.b.emit(ReduceSumOp.over(x, axes, keep))


def count_of(x: SSAValue, axes: Sequence[int]) -> int:
    """How many elements become one."""
    return prod(shape_of(x)[axis] for axis in axes)


def mean_of(f: Formula, x: SSAValue, axes: Sequence[int]) -> SSAValue:
    """The mean over axes, which stay as 1, in the formula's dtype. The mean of equal
    numbers is exactly that number, in whatever order they are summed.

    The rounded mean can be a few units in the last place off, which 1 / sqrt(epsilon)
    magnifies. The mean of the deviations from it is a correction (as in Chan, Golub and
    LeVeque, "Algorithms for computing the sample variance", 1983). Where all numbers are
    x, each deviation x - mean is exact (Sterbenz) and their mean has a relative error of
    a few roundings, so mean + correction is closer to x than to any other float.
    """
    count = count_of(x, axes)
    source = tensor_of(x).element_type
    x = f.value(x)
    mean = f(DivOp, total(f, x, axes), float(count))
    # The sum of so few equal numbers of a narrower dtype is exact.
    if count <= 2 ** (_digits(f.element) - _digits(source)):
        return mean
    rest = total(f, f(SubOp, x, mean), axes)
    return f(AddOp, mean, f(DivOp, rest, float(count)))


def _digits(element: Attribute) -> int:
    """Binary digits of a float's significand."""
    return 1 - int(log2(torch.finfo(torch_dtype(element)).eps))


def variance_of(
    f: Formula, x: SSAValue, mean: SSAValue, axes: Sequence[int], count: float
) -> SSAValue:
    """The sum of squared deviations from the mean, divided by `count`."""
    # A normalization also computes x - mean. As one value, read by two loops over the
    # row, it would be stored; mean - x is computed in the loop that reads it.
    rest = f(SubOp, mean, x)
    return f(DivOp, total(f, f(MulOp, rest, rest), axes), count)


def _moments(
    b: GraphBuilder,
    x: SSAValue,
    dim: Axes,
    correction: Number | None,
    root: bool,
) -> tuple[SSAValue, SSAValue]:
    """Variance or standard deviation, and mean; in float64, as PyTorch sums them."""
    shape, element = b.result.get_shape(), b.result.element_type
    f = Formula(b, DTYPES["float64"])
    axes = axes_of(x, dim)
    mean = mean_of(f, x, axes)
    free = max(0.0, count_of(x, axes) - (1 if correction is None else correction))
    value = variance_of(f, x, mean, axes, float(free))
    if root:
        value = f(SqrtOp, value)
    return (
        b.cast(b.reshape(value, shape), element),
        b.cast(b.reshape(mean, shape), element),
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
    """The norm over axes, which stay as 1."""
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
    keepdim: bool = False,
    dtype: object = None,
) -> SSAValue:
    f = Formula(b, compute_type(b.result.element_type))
    x = f.value(x)
    value = vector_norm(f, x, 2 if order is None else order, axes_of(x, dim))
    return b.cast(b.reshape(value, b.result.get_shape()), b.result.element_type)


def affine(f: Formula, x: SSAValue, *parameters: SSAValue | None) -> SSAValue:
    """x * weight + bias, where given."""
    kinds: tuple[type[NNOp], ...] = (MulOp, AddOp)
    for op, parameter in zip(kinds, parameters, strict=False):
        if parameter is not None:
            x = f(op, x, parameter)
    return x


def normalized(
    f: Formula, x: SSAValue, axes: Sequence[int], epsilon: float
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """(x - mean) / sqrt(variance + epsilon), the mean, and the reciprocal root."""
    mean = mean_of(f, x, axes)
    variance = variance_of(f, x, mean, axes, float(count_of(x, axes)))
    scale = f(DivOp, 1.0, f(SqrtOp, f(AddOp, variance, epsilon)))
    return f(MulOp, f(SubOp, x, mean), scale), mean, scale


def _native_layer_norm(
    b: GraphBuilder,
    x: SSAValue,
    shape: Sequence[int],
    weight: SSAValue | None,
    bias: SSAValue | None,
    epsilon: float,
) -> tuple[Any, ...]:
    element = tensor_of(x).element_type
    f = Formula(b, compute_type(element))
    rank = len(shape_of(x))
    axes = range(rank - len(shape), rank)
    if not count_of(x, axes):
        return _of_nothing(x)
    value, mean, scale = normalized(f, x, axes, epsilon)
    made = (affine(f, value, weight, bias), mean, scale)
    return as_results(b, made)


def _of_nothing(x: SSAValue) -> tuple[Any, ...]:
    """The normalization of a tensor without elements, and its statistics."""
    none = Unavailable("statistics of nothing are not computed", "do not use them")
    return (x, none, none)


def as_results(b: GraphBuilder, values: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    """The values in the shapes and dtypes of the node's results."""
    return tuple(
        b.cast(b.reshape(value, type_.get_shape()), type_.element_type)
        for value, type_ in zip(values, b.results, strict=False)
    )


def _first(rule: Callable[..., tuple[Any, ...]]) -> Callable[..., SSAValue]:
    def build(b: GraphBuilder, *args: Any) -> SSAValue:
        return rule(b, *args)[0]

    return build


def _layer_norm(
    b: GraphBuilder,
    x: SSAValue,
    shape: Sequence[int],
    weight: SSAValue | None = None,
    bias: SSAValue | None = None,
    epsilon: float = 1e-5,
    cudnn_enabled: bool = False,
) -> SSAValue:
    return _native_layer_norm(b, x, shape, weight, bias, epsilon)[0]


def grouped(
    b: GraphBuilder,
    x: SSAValue,
    groups: int,
    weight: SSAValue | None,
    bias: SSAValue | None,
    epsilon: float,
) -> tuple[Any, ...]:
    """Each group of channels of each image, normalized; then scaled by channel."""
    images = shape_of(x)[0]
    count = size_of(x) and size_of(x) // (images * groups)
    return by_channel(b, x, (images, groups, count), [2], weight, bias, epsilon)


def by_channel(
    b: GraphBuilder,
    x: SSAValue,
    parts: Sequence[int],
    axes: Sequence[int],
    weight: SSAValue | None,
    bias: SSAValue | None,
    epsilon: float,
) -> tuple[Any, ...]:
    """Normalized over axes of its shape as `parts`, scaled by channel; the statistics."""
    shape = shape_of(x)
    if not size_of(x):
        return _of_nothing(x)
    f = Formula(b, compute_type(tensor_of(x).element_type))
    value, mean, scale = normalized(f, b.reshape(x, parts), axes, epsilon)
    channels = (shape[1], *[1] * (len(shape) - 2))
    scales = [None if p is None else b.reshape(p, channels) for p in (weight, bias)]
    return as_results(b, (affine(f, b.reshape(value, shape), *scales), mean, scale))


def _group_norm(
    b: GraphBuilder,
    x: SSAValue,
    groups: int,
    weight: SSAValue | None = None,
    bias: SSAValue | None = None,
    epsilon: float = 1e-5,
    cudnn_enabled: bool = False,
) -> SSAValue:
    return grouped(b, x, groups, weight, bias, epsilon)[0]


def _native_group_norm(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue | None,
    bias: SSAValue | None,
    images: int,
    channels: int,
    pixels: int,
    groups: int,
    epsilon: float,
) -> tuple[Any, ...]:
    return grouped(b, x, groups, weight, bias, epsilon)


def _fused_rms_norm(
    b: GraphBuilder,
    x: SSAValue,
    shape: Sequence[int],
    weight: SSAValue | None = None,
    epsilon: float | None = None,
) -> tuple[SSAValue, ...]:
    """x / sqrt(mean(x * x) + epsilon); epsilon is that of the compute type."""
    compute = compute_type(tensor_of(x).element_type)
    f, rank = Formula(b, compute), len(shape_of(x))
    axes = range(rank - len(shape), rank)
    if epsilon is None:
        epsilon = 2.0**-52 if compute == DTYPES["float64"] else 2.0**-23
    x = f.value(x)
    mean = f(DivOp, total(f, f(MulOp, x, x), axes), float(count_of(x, axes)))
    scale = f(DivOp, 1.0, f(SqrtOp, f(AddOp, mean, epsilon)))
    return as_results(b, (affine(f, f(MulOp, x, scale), weight), scale))


NORMALIZATION = (ReduceSumOp, DivOp, SubOp, MulOp, SqrtOp, AddOp)
_NORM = ImportRule(
    _vector_norm, (AbsOp, MulOp, PowOp, ReduceSumOp, ReduceMaxOp, SqrtOp)
)
_RMS = (ReduceSumOp, DivOp, MulOp, SqrtOp, AddOp)

STATISTICS: dict[str, ImportRule] = {
    **{
        f"aten.{name}.{overload}": _spread(name.startswith("std"), "mean" in name)
        for name in ("var", "std", "var_mean", "std_mean")
        for overload in ("default", "dim", "correction")
    },
    "aten._fused_rms_norm.default": ImportRule(_fused_rms_norm, _RMS),
    "aten.group_norm.default": ImportRule(_group_norm, NORMALIZATION),
    "aten.layer_norm.default": ImportRule(_layer_norm, NORMALIZATION),
    "aten.linalg_vector_norm.default": _NORM,
    "aten.native_group_norm.default": ImportRule(_native_group_norm, NORMALIZATION),
    "aten.native_layer_norm.default": ImportRule(_native_layer_norm, NORMALIZATION),
    "aten.norm.Scalar": _NORM,
    "aten.norm.ScalarOpt_dim": _NORM,
    "aten.norm.ScalarOpt_dim_dtype": _NORM,
    "aten.rms_norm.default": ImportRule(_first(_fused_rms_norm), _RMS),
}
"""ATen overload -> how to build it."""
