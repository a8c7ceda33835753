"""Which ops work on the first dimension row by row, and what they need of their operands.

A value *splits* where it is the values of the batch's parts, one behind the other along
the first dimension. A rule says for each operand whether it has to split (True) or is
used whole (False) so that the results split; None where they never do. A value may do
both: zeros, or an expanded row, are the same for every part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import Operation

from devproc.dialects.nn import scan
from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.base import int_of, ints, normalize_axis
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.detection import NmsOp
from devproc.dialects.nn.gather import GatherOp, ScatterOp
from devproc.dialects.nn.image import NormalizeOp, ResampleOp
from devproc.dialects.nn.loop import LoopOp, YieldOp
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.dialects.nn.reduction import (
    ArgmaxOp,
    ReduceMaxOp,
    ReduceProdOp,
    ReduceSumOp,
    SoftmaxOp,
)
from devproc.dialects.nn.shape import (
    ConcatOp,
    ExpandOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.dialects.nn.sort import KthValueOp, SortOp
from devproc.dialects.nn.window import Conv2dOp, MaxPool2dOp, SumPool2dOp
from devproc.ir.types import tensor_of

Needs: TypeAlias = Sequence[bool] | None
"""For each operand whether it has to split; None where the results never do."""


def needs_of(op: Operation) -> Needs:
    """What an op needs so that its results split; None for ops without a rule."""
    if isinstance(op, PointwiseOp):
        return _aligned(op)
    rule = RULES.get(type(op))
    return None if rule is None else rule(op)


def _shapes(op: Operation) -> list[tuple[int, ...]]:
    return [tensor_of(value).get_shape() for value in op.operands]


def _aligned(op: Operation) -> Needs:
    """Operands that have the result's first dimension split; others are repeated."""
    result = tensor_of(op.results[0]).get_shape()
    return [
        len(shape) == len(result) and shape[0] == result[0] for shape in _shapes(op)
    ]


def _first(op: Operation) -> Needs:
    """The first operand splits: the others are weights, tables, or one number."""
    return [True, *(False for _ in op.operands[1:])]


def _linear(op: Operation) -> Needs:
    return _first(op) if len(_shapes(op)[0]) > 1 else None


def _products(op: Operation) -> Needs:
    """Leading dimensions are aligned; of two matrices the rows of the first split."""
    shapes = _shapes(op)
    if max(map(len, shapes)) > 2:
        return _aligned(op)
    return _first(op) if isinstance(op, MatmulOp) else None


def _reshape(op: Operation) -> Needs:
    return [True] if len(_shapes(op)[0]) > 0 else None


def _expand(op: Operation) -> Needs:
    """A first dimension that is repeated, or new, is the same for every part."""
    return _aligned(op)


def _transpose(op: Operation) -> Needs:
    assert isinstance(op, TransposeOp)
    return [True] if ints(op.permutation)[0] == 0 else None


def _pad(op: Operation) -> Needs:
    assert isinstance(op, PadOp)
    return _first(op) if ints(op.low)[0] == ints(op.high)[0] == 0 else None


def _slice(op: Operation) -> Needs:
    assert isinstance(op, SliceOp)
    whole = ints(op.size)[0] == _shapes(op)[0][0] and ints(op.step)[0] == 1
    return [True] if whole else None


def _other_axis(op: Operation) -> Needs:
    """Along any axis but the first, all operands that have it split."""
    axis = int_of(op.properties["axis"])
    first = normalize_axis(axis, len(_shapes(op)[0])) == 0
    return None if first else [True for _ in op.operands]


def _resample(op: Operation) -> Needs:
    return None if _other_axis(op) is None else _first(op)


def _normalize(op: Operation) -> Needs:
    assert isinstance(op, NormalizeOp)
    return None if int_of(op.axis) == 0 else [True]


def _other_axes(op: Operation) -> Needs:
    return None if 0 in ints(op.properties["axes"]) else [True]


def _sort(op: Operation) -> Needs:
    return [True for _ in op.operands] if len(_shapes(op)[0]) > 1 else None


def _gather(op: Operation) -> Needs:
    """Rows of a table at indices that split, or indices into rows that split."""
    assert isinstance(op, GatherOp)
    needs = list(_aligned(op) or ())
    if 0 in ints(op.axes):
        needs[0] = False
    return needs


RULES: Mapping[type[Operation], Callable[[Operation], Needs]] = {
    **dict.fromkeys(scan.OPS, _other_axis),
    ArgmaxOp: _other_axis,
    AttentionOp: _products,
    ConcatOp: _other_axis,
    Conv2dOp: _first,
    ExpandOp: _expand,
    GatherOp: _gather,
    KthValueOp: _sort,
    LinearOp: _linear,
    MatmulOp: _products,
    MaxPool2dOp: _first,
    NormalizeOp: _normalize,
    PadOp: _pad,
    ReduceMaxOp: _other_axes,
    ReduceProdOp: _other_axes,
    ReduceSumOp: _other_axes,
    ResampleOp: _resample,
    ReshapeOp: _reshape,
    SliceOp: _slice,
    SoftmaxOp: _other_axis,
    SortOp: _sort,
    SumPool2dOp: _first,
    TransposeOp: _transpose,
}
"""The op's rule; pointwise ops have one in common."""

NO_RULE: Mapping[type[Operation], str] = {
    LoopOp: "its first dimension is that of the steps",
    NmsOp: "the boxes of one image compete with each other",
    ScatterOp: "which rows an update falls into is known when it runs",
    YieldOp: "it ends the body of a loop",
}
"""op class -> why it has no rule."""

SIZES: Mapping[type[Operation], str] = {
    ExpandOp: "shape",
    ReshapeOp: "shape",
    SliceOp: "size",
}
"""The property that holds the result's shape."""

MOVES = (ExpandOp, ReshapeOp, SliceOp, TransposeOp)
"""Ops of one operand that only move elements, whatever these mean."""
