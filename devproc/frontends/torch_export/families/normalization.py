"""Layer, group, instance, RMS and batch normalization."""

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
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.problems import training_mode
from devproc.ir.types import DTYPES, tensor_of

Parameter = SSAValue | None


def _results(b: GraphBuilder, op: NormalizationOp) -> Any:
    """Inserts an op; gives its results in the shapes and dtypes of the node's."""
    b.insert(op)
    found = [
        b.cast(b.reshape(value, type_.get_shape()), type_.element_type)
        for value, type_ in zip(op.results, b.results, strict=False)
    ]
    return tuple(found) if len(found) > 1 else found[0]


def _has_statistics(b: GraphBuilder) -> bool:
    """Whether the node gives statistics besides the normalized tensor."""
    return len(b.results) > 1


def _without_statistics(b: GraphBuilder, result: SSAValue, why: str) -> Any:
    """A result whose statistics, if the node has any, are not computed."""
    others = [Unavailable(why, "do not use them")] * (len(b.results) - 1)
    return (result, *others) if others else result


_OF_NOTHING = "statistics of nothing are not computed"


def _layer_norm(
    b: GraphBuilder,
    x: SSAValue,
    shape: Sequence[int],
    weight: Parameter = None,
    bias: Parameter = None,
    epsilon: float = 1e-5,
    *_: object,
) -> Any:
    statistics, dims = _has_statistics(b), int_attr(len(shape))
    if statistics and not prod(shape):
        return _without_statistics(b, x, _OF_NOTHING)
    operands = [x, weight, bias]
    return _results(b, LayerNormOp.of(operands, epsilon, statistics, dims=dims))


def _group_norm(
    b: GraphBuilder,
    x: SSAValue,
    groups: int,
    weight: Parameter = None,
    bias: Parameter = None,
    epsilon: float = 1e-5,
    *_: object,
) -> Any:
    if not size_of(x):
        return _without_statistics(b, x, _OF_NOTHING)
    operands, statistics = [x, weight, bias], _has_statistics(b)
    op = GroupNormOp.of(operands, epsilon, statistics, groups=int_attr(groups))
    return _results(b, op)


def _native_group_norm(b: GraphBuilder, *args: Any) -> Any:
    x, weight, bias, _images, _channels, _pixels, groups, epsilon = args
    return _group_norm(b, x, groups, weight, bias, epsilon)


def _instance_norm(b: GraphBuilder, *args: Any) -> Any:
    x, weight, bias, mean, variance, use_input_stats, _momentum, epsilon, _ = args
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
) -> Any:
    if epsilon is None:
        # That of the dtype which PyTorch computes in.
        wide = compute_type(tensor_of(x).element_type) == DTYPES["float64"]
        epsilon = 2.0**-52 if wide else 2.0**-23
    statistics, dims = _has_statistics(b), int_attr(len(shape))
    return _results(b, RmsNormOp.of([x, weight], epsilon, statistics, dims=dims))


def _batch_norm(
    b: GraphBuilder,
    x: SSAValue,
    weight: Parameter,
    bias: Parameter,
    mean: Parameter,
    variance: Parameter,
    training: bool,
    momentum: float,
    epsilon: float,
    *_: object,
) -> Any:
    """Without running statistics, batch norm is a function like any other: of weights that
    are standardized in each call, say, which `hoist-constants` evaluates once.
    """
    if mean is None or variance is None:
        if not size_of(x):
            return _without_statistics(b, x, _OF_NOTHING)
        operands = [x, weight, bias, None, None]
        return _results(b, BatchNormOp.of(operands, epsilon, True))
    if training:
        raise training_mode("batch_norm")
    result = b.emit(BatchNormOp.of([x, weight, bias, mean, variance], epsilon))
    why = "the saved statistics are for training only"
    return _without_statistics(b, result, why)


def _inference_batch_norm(b: GraphBuilder, *args: Any) -> Any:
    return _batch_norm(b, *args[:5], False, *args[5:])


def _no_stats_batch_norm(b: GraphBuilder, *args: Any) -> Any:
    return _batch_norm(b, *args[:3], None, None, *args[3:])


def _trains(b: GraphBuilder, *_: Any) -> SSAValue:
    raise training_mode("batch_norm")


_BATCH = (BatchNormOp,)

IMPORTS: dict[str, ImportRule] = {
    "aten._native_batch_norm_legit.no_stats": ImportRule(_no_stats_batch_norm, _BATCH),
    "aten._native_batch_norm_legit_functional.default": ImportRule(_trains),
    "aten._native_batch_norm_legit_no_training.default": ImportRule(
        _inference_batch_norm, _BATCH
    ),
    **rows_of(
        ImportRule(_batch_norm, _BATCH),
        "_native_batch_norm_legit batch_norm native_batch_norm",
    ),
    "aten.group_norm.default": ImportRule(_group_norm, (GroupNormOp,)),
    "aten.instance_norm.default": ImportRule(
        _instance_norm, (GroupNormOp, BatchNormOp)
    ),
    **rows_of(ImportRule(_layer_norm, (LayerNormOp,)), "layer_norm native_layer_norm"),
    "aten.native_group_norm.default": ImportRule(_native_group_norm, (GroupNormOp,)),
    **rows_of(ImportRule(_rms_norm, (RmsNormOp,)), "_fused_rms_norm rms_norm"),
}
"""ATen overload -> import rule."""
