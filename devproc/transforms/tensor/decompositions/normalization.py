"""Normalizations as sums over axes and elementwise arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import float_of, int_of
from devproc.dialects.nn.normalization import (
    BatchNormOp,
    GroupNormOp,
    LayerNormOp,
    NormalizationOp,
    RmsNormOp,
    last_axes,
)
from devproc.dialects.nn.pointwise import DivOp
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.decompositions.rule import Decomposition
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)

DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
"""dtype -> binary digits of the significand."""


def mean_of(x: Expression, axes: Sequence[int], source: str) -> Expression:
    """The mean over axes, kept with size 1. The mean of equal numbers is exactly that
    number, in any order of summation; `source`: a dtype that represents them exactly.

    The rounded mean can be a few units in the last place off, which 1 / sqrt(epsilon)
    magnifies. The mean of the deviations from it is a correction (as in Chan, Golub and
    LeVeque, "Algorithms for computing the sample variance", 1983). Where all numbers are
    x, each deviation x - mean is exact (Sterbenz) and their mean has a relative error of
    a few roundings, so mean + correction is closer to x than to any other float.
    """
    count = prod(x.shape[axis] for axis in axes)
    mean = x.sums(axes) / float(count)
    # The sum of so few equal numbers of a narrower dtype is exact.
    if count <= 2 ** (DIGITS[x.dtype] - DIGITS[source]):
        return mean
    return mean + (x - mean).sums(axes) / float(count)


def variance_of(
    x: Expression, mean: Expression, axes: Sequence[int], count: float
) -> Expression:
    """The sum of squared deviations from the mean, divided by `count`."""
    # A normalization also computes x - mean. As a common subexpression of two loops
    # over the row it would be stored; mean - x is computed in the loop that reads it.
    rest = mean - x
    return (rest * rest).sums(axes) / count


def _reciprocal_root(variance: Expression, epsilon: float) -> Expression:
    return variance.maker.apply(DivOp, 1.0, (variance + epsilon).sqrt())


def _normalized(
    op: NormalizationOp, operand: Expression, axes: Sequence[int]
) -> tuple[Expression, Expression, Expression]:
    """(x - mean) / sqrt(variance + epsilon), the mean, and the reciprocal root."""
    x = operand.widened()
    mean = mean_of(x, axes, operand.dtype)
    count = float(prod(x.shape[axis] for axis in axes))
    scale = _reciprocal_root(variance_of(x, mean, axes, count), float_of(op.epsilon))
    return (x - mean) * scale, mean, scale


def _affine(x: Expression, weight: Expression | None, bias: Expression | None):
    """x * weight + bias, where given."""
    if weight is not None:
        x = x * weight.cast(x.dtype)
    return x if bias is None else x + bias.cast(x.dtype)


def _results(
    op: NormalizationOp, value: Expression, *moments: Expression
) -> Sequence[SSAValue]:
    """The values of the results, the first in the dtype of the operand."""
    dtype = value.maker.of(op.operands[0]).dtype
    shown = moments if op.statistics is not None else ()
    return [value.cast(dtype).ssa, *(moment.ssa for moment in shown)]


def _layer_norm(op: LayerNormOp, builder: Builder) -> Sequence[SSAValue]:
    e = Expressions(builder)
    x = e.of(op.operand)
    value, *moments = _normalized(op, x, last_axes(x.shape, op.properties))
    value = _affine(value, e.optional(op.weight), e.optional(op.bias))
    return _results(op, value, *moments)


def _group_norm(op: GroupNormOp, builder: Builder) -> Sequence[SSAValue]:
    """Where a group is one channel, or all of them, the shape stays as it is; in another
    shape the kernel of what follows would read the result from memory."""
    x = Expressions(builder).of(op.operand)
    batch, channels, *rest = x.shape
    groups, every = int_of(op.groups), range(len(x.shape))
    if groups in (1, channels):
        return _by_channel(op, x, [*every][1 if groups == 1 else 2 :])
    parts = x.reshape(batch, groups, channels // groups, *rest)
    return _by_channel(op, parts, [axis + 1 for axis in every[1:]])


def _by_channel(
    op: GroupNormOp | BatchNormOp, x: Expression, axes: Sequence[int]
) -> Sequence[SSAValue]:
    """Normalization over `axes`, scaled by channel; `x` has the shape of the operand, or
    its channels in groups."""
    value, *moments = _normalized(op, x, axes)
    whole = tensor_of(op.operand).get_shape()
    channels = x.shape[1 : len(x.shape) - len(whole) + 2]
    scales = [x.maker.optional(p) for p in (op.weight, op.bias)]
    ones = [1] * (len(whole) - 2)
    scales = [p if p is None else p.reshape(*channels, *ones) for p in scales]
    found = _results(op, _affine(value, *scales), *moments)
    shapes = [tensor_of(result).get_shape() for result in op.results]
    return [x.maker.of(v).reshape(*s).ssa for v, s in zip(found, shapes, strict=True)]


def _batch_norm(op: BatchNormOp, builder: Builder) -> Sequence[SSAValue]:
    """x * scale + shift per channel, both computed from the statistics as PyTorch's CPU
    kernel does; where those are weights, the pass hoist-constants folds them.
    """
    e = Expressions(builder)
    x = e.of(op.operand)
    if op.mean is None or op.variance is None:
        return _by_channel(op, x, [0, *range(2, len(x.shape))])
    scale, shift = scale_and_shift(op, e)
    channels = (x.shape[1], *[1] * (len(x.shape) - 2))
    scale, shift = scale.reshape(*channels), shift.reshape(*channels)
    return _results(op, x.widened() * scale + shift)


def scale_and_shift(op: BatchNormOp, e: Expressions) -> tuple[Expression, Expression]:
    """The scale and shift per channel of a batch norm with given statistics."""
    assert op.mean is not None
    assert op.variance is not None
    dtype = e.of(op.operand).computed_in
    epsilon = e.constant(float_of(op.epsilon), dtype)
    scale = e.apply(DivOp, 1.0, (e.of(op.variance).cast(dtype) + epsilon).sqrt())
    if op.weight is not None:
        scale *= e.of(op.weight).cast(dtype)
    shift = e.of(op.mean).cast(dtype) * scale
    if op.bias is None:
        return scale, shift * -1.0
    return scale, e.of(op.bias).cast(dtype) - shift


def _rms_norm(op: RmsNormOp, builder: Builder) -> Sequence[SSAValue]:
    e = Expressions(builder)
    x = e.of(op.operand).widened()
    axes = last_axes(x.shape, op.properties)
    count = float(prod(x.shape[axis] for axis in axes))
    scale = _reciprocal_root((x * x).sums(axes) / count, float_of(op.epsilon))
    return _results(op, _affine(x * scale, e.optional(op.weight), None), scale)


DECOMPOSITIONS: Mapping[type[Operation], Decomposition] = {
    BatchNormOp: _batch_norm,
    GroupNormOp: _group_norm,
    LayerNormOp: _layer_norm,
    RmsNormOp: _rms_norm,
}
"""op class -> its decomposition."""
