"""Normalization by channel, with the statistics of the training or of the batch."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from devproc.dialects.nn.pointwise import (
    AddOp,
    BinaryOp,
    DivOp,
    MulOp,
    SqrtOp,
    SubOp,
)
from devproc.frontends.torch_export.elementwise.formula import REDUCED
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
)
from devproc.frontends.torch_export.graph.problems import training_mode
from devproc.frontends.torch_export.sums.statistics import (
    NORMALIZATION,
    by_channel,
    grouped,
)
from devproc.ir.types import DTYPES, tensor_of


def _by_statistics(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue,
    variance: SSAValue,
    epsilon: float,
) -> SSAValue:
    """x * scale + shift per channel, both computed from the statistics as PyTorch's CPU
    kernel does; where those are weights, the pass hoist-constants folds them.
    """
    element = tensor_of(x).element_type
    compute = tensor_of(mean).element_type if element in REDUCED else element
    compute = DTYPES["float32"] if compute in REDUCED else compute

    def op(kind: type[BinaryOp], left: SSAValue, right: SSAValue) -> SSAValue:
        return b.emit(kind.build_op([b.cast(left, compute), b.cast(right, compute)]))

    root = b.emit(SqrtOp.build_op([op(AddOp, variance, b.scalar(epsilon, compute))]))
    scale = op(DivOp, b.scalar(1, compute), root)
    if weight is not None:
        scale = op(MulOp, scale, weight)
    shift = op(MulOp, mean, scale)
    if bias is not None:
        shift = op(SubOp, bias, shift)
    else:
        shift = op(MulOp, shift, b.scalar(-1, compute))
    channels = [shape_of(scale)[0], *[1] * (len(shape_of(x)) - 2)]
    scale, shift = (b.reshape(v, channels) for v in (scale, shift))
    return b.cast(op(AddOp, op(MulOp, x, scale), shift), element)


def _by_batch(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue | None,
    bias: SSAValue | None,
    epsilon: float,
) -> tuple[Any, ...]:
    """Each channel over all images, by its own mean and variance; those two as well.

    Without running statistics that is a function like any other: weights standardized
    in each call, say, which the pass hoist-constants computes once.
    """
    shape = shape_of(x)
    axes = [axis for axis in range(len(shape)) if axis != 1]
    return by_channel(b, x, shape, axes, weight, bias, epsilon)


def _native_batch_norm(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue | None,
    variance: SSAValue | None,
    training: bool,
    momentum: float,
    epsilon: float,
    cudnn_enabled: bool = False,
) -> tuple[Any, ...]:
    if mean is None or variance is None:
        return _by_batch(b, x, weight, bias, epsilon)
    if training:
        raise training_mode("batch_norm")
    saved = Unavailable("the saved statistics are for training only", "do not use them")
    result = _by_statistics(b, x, weight, bias, mean, variance, epsilon)
    return (result, saved, saved)


def _batch_norm(b: GraphBuilder, *args: Any) -> SSAValue:
    return _native_batch_norm(b, *args)[0]


def _without_training(b: GraphBuilder, *args: Any) -> tuple[Any, ...]:
    x, weight, bias, mean, variance, momentum, epsilon = args
    return _native_batch_norm(
        b, x, weight, bias, mean, variance, False, momentum, epsilon
    )


def _without_statistics(b: GraphBuilder, *args: Any) -> tuple[Any, ...]:
    x, weight, bias, training, momentum, epsilon = args
    return _native_batch_norm(
        b, x, weight, bias, None, None, training, momentum, epsilon
    )


def _trains(b: GraphBuilder, *_: Any) -> SSAValue:
    raise training_mode("batch_norm")


def _instance_norm(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue | None,
    variance: SSAValue | None,
    use_input_stats: bool,
    momentum: float,
    epsilon: float,
    cudnn_enabled: bool,
) -> SSAValue:
    if not use_input_stats:
        return _batch_norm(b, x, weight, bias, mean, variance, False, 0.0, epsilon)
    if mean is not None:
        raise training_mode("instance_norm with running statistics")
    return grouped(b, x, shape_of(x)[1], weight, bias, epsilon)[0]


BATCH_NORM: dict[str, ImportRule] = {
    "aten.batch_norm.default": ImportRule(_batch_norm, NORMALIZATION),
    "aten.instance_norm.default": ImportRule(_instance_norm, NORMALIZATION),
    "aten.native_batch_norm.default": ImportRule(_native_batch_norm, NORMALIZATION),
    "aten._native_batch_norm_legit.default": ImportRule(
        _native_batch_norm, NORMALIZATION
    ),
    "aten._native_batch_norm_legit.no_stats": ImportRule(
        _without_statistics, NORMALIZATION
    ),
    "aten._native_batch_norm_legit_functional.default": ImportRule(_trains),
    "aten._native_batch_norm_legit_no_training.default": ImportRule(
        _without_training, NORMALIZATION
    ),
}
"""ATen overload -> how to build it."""
