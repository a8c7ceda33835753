"""Normalization by rows, groups of channels and channels, as ops of their own."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xdsl.ir import SSAValue

from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.normalization import (
    BatchNormOp,
    GroupNormOp,
    LayerNormOp,
    NormalizationOp,
    RmsNormOp,
)
from devproc.frontends.torch_export.elementwise.formula import compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Unavailable,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.problems import training_mode
from devproc.ir.types import DTYPES, tensor_of

Parameter = SSAValue | None


def _results(b: GraphBuilder, op: NormalizationOp) -> tuple[SSAValue, ...]:
    """An op's results in the shapes and dtypes of the node's."""
    b.insert(op)
    return tuple(
        b.cast(b.reshape(value, type_.get_shape()), type_.element_type)
        for value, type_ in zip(op.results, b.results, strict=False)
    )


def _of_nothing(x: SSAValue) -> tuple[Any, ...]:
    """The normalization of a tensor without elements, and its statistics."""
    none = Unavailable("statistics of nothing are not computed", "do not use them")
    return (x, none, none)


def _layer_norm(
    b: GraphBuilder,
    x: SSAValue,
    shape: Sequence[int],
    weight: Parameter = None,
    bias: Parameter = None,
    epsilon: float = 1e-5,
    cudnn_enabled: bool = False,
) -> SSAValue:
    dims = int_attr(len(shape))
    return b.emit(LayerNormOp.of([x, weight, bias], epsilon, dims=dims))


def _native_layer_norm(
    b: GraphBuilder,
    x: SSAValue,
    shape: Sequence[int],
    weight: Parameter,
    bias: Parameter,
    epsilon: float,
) -> tuple[Any, ...]:
    if not prod(shape):
        return _of_nothing(x)
    dims = int_attr(len(shape))
    return _results(b, LayerNormOp.of([x, weight, bias], epsilon, True, dims=dims))


def _group_norm(
    b: GraphBuilder,
    x: SSAValue,
    groups: int,
    weight: Parameter = None,
    bias: Parameter = None,
    epsilon: float = 1e-5,
    cudnn_enabled: bool = False,
) -> SSAValue:
    if not size_of(x):
        return x
    return b.emit(GroupNormOp.of([x, weight, bias], epsilon, groups=int_attr(groups)))


def _native_group_norm(
    b: GraphBuilder,
    x: SSAValue,
    weight: Parameter,
    bias: Parameter,
    images: int,
    channels: int,
    pixels: int,
    groups: int,
    epsilon: float,
) -> tuple[Any, ...]:
    if not size_of(x):
        return _of_nothing(x)
    parts = int_attr(groups)
    return _results(b, GroupNormOp.of([x, weight, bias], epsilon, True, groups=parts))


def _instance_norm(
    b: GraphBuilder,
    x: SSAValue,
    weight: Parameter,
    bias: Parameter,
    mean: Parameter,
    variance: Parameter,
    use_input_stats: bool,
    momentum: float,
    epsilon: float,
    cudnn_enabled: bool,
) -> SSAValue:
    if not use_input_stats:
        return _batch_norm(b, x, weight, bias, mean, variance, False, 0.0, epsilon)
    if mean is not None:
        raise training_mode("instance_norm with running statistics")
    return _group_norm(b, x, shape_of(x)[1], weight, bias, epsilon)


def _rms_norm(
    b: GraphBuilder,
    x: SSAValue,
    shape: Sequence[int],
    weight: Parameter = None,
    epsilon: float | None = None,
) -> SSAValue:
    dims = int_attr(len(shape))
    return b.emit(RmsNormOp.of([x, weight], _epsilon(x, epsilon), dims=dims))


def _fused_rms_norm(
    b: GraphBuilder,
    x: SSAValue,
    shape: Sequence[int],
    weight: Parameter,
    epsilon: float | None,
) -> tuple[SSAValue, ...]:
    dims = int_attr(len(shape))
    op = RmsNormOp.of([x, weight], _epsilon(x, epsilon), True, dims=dims)
    return _results(b, op)


def _epsilon(x: SSAValue, epsilon: float | None) -> float:
    """By default that of the dtype which PyTorch computes in."""
    if epsilon is not None:
        return epsilon
    wide = compute_type(tensor_of(x).element_type) == DTYPES["float64"]
    return 2.0**-52 if wide else 2.0**-23


def _native_batch_norm(
    b: GraphBuilder,
    x: SSAValue,
    weight: Parameter,
    bias: Parameter,
    mean: Parameter,
    variance: Parameter,
    training: bool,
    momentum: float,
    epsilon: float,
    cudnn_enabled: bool = False,
) -> tuple[Any, ...]:
    """Without running statistics that is a function like any other: weights standardized
    in each call, say, which the pass hoist-constants computes once.
    """
    if mean is None or variance is None:
        if not size_of(x):
            return _of_nothing(x)
        operands = [x, weight, bias, None, None]
        return _results(b, BatchNormOp.of(operands, epsilon, True))
    if training:
        raise training_mode("batch_norm")
    saved = Unavailable("the saved statistics are for training only", "do not use them")
    result = b.emit(BatchNormOp.of([x, weight, bias, mean, variance], epsilon))
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


IMPORTS: dict[str, ImportRule] = {
    "aten._fused_rms_norm.default": ImportRule(_fused_rms_norm, (RmsNormOp,)),
    "aten._native_batch_norm_legit.default": ImportRule(
        _native_batch_norm, (BatchNormOp,)
    ),
    "aten._native_batch_norm_legit.no_stats": ImportRule(
        _without_statistics, (BatchNormOp,)
    ),
    "aten._native_batch_norm_legit_functional.default": ImportRule(_trains),
    "aten._native_batch_norm_legit_no_training.default": ImportRule(
        _without_training, (BatchNormOp,)
    ),
    "aten.batch_norm.default": ImportRule(_batch_norm, (BatchNormOp,)),
    "aten.group_norm.default": ImportRule(_group_norm, (GroupNormOp,)),
    "aten.instance_norm.default": ImportRule(
        _instance_norm, (GroupNormOp, BatchNormOp)
    ),
    "aten.layer_norm.default": ImportRule(_layer_norm, (LayerNormOp,)),
    "aten.native_batch_norm.default": ImportRule(_native_batch_norm, (BatchNormOp,)),
    "aten.native_group_norm.default": ImportRule(_native_group_norm, (GroupNormOp,)),
    "aten.native_layer_norm.default": ImportRule(_native_layer_norm, (LayerNormOp,)),
    "aten.rms_norm.default": ImportRule(_rms_norm, (RmsNormOp,)),
}
"""ATen overload -> how to build it."""
