"""Which parts of its operands an op needs for a part of its result.

A rule answers with the operands of the smaller op and its properties; None where a part
costs as much as the whole, or where the op has no such form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn import scan
from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.base import int_array, int_of, ints, normalize_axis
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.detection import NmsOp
from devproc.dialects.nn.gather import GatherOp, ScatterOp
from devproc.dialects.nn.loop import LoopOp, YieldOp
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.dialects.nn.reduction import ArgmaxOp, ReduceOp
from devproc.dialects.nn.resampling.resample import ResampleOp
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
from devproc.ir.subset import Span, Subset, sizes_of, whole
from devproc.ir.types import tensor_of


@dataclass(frozen=True)
class Needs:
    """The operands of the smaller op, each a part of a value, and what changes in its
    properties."""

    parts: Sequence[tuple[SSAValue, Subset]]
    changed: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])


Rule: TypeAlias = Callable[..., Needs | None]


def needs_of(op: Operation, subset: Subset) -> Needs | None:
    """What an op needs for this part of its result; None for ops without a rule."""
    for class_, rule in RULES.items():
        if isinstance(op, class_):
            return rule(op, subset)
    return None


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tensor_of(value).get_shape()


def _aligned(value: SSAValue, subset: Subset) -> tuple[SSAValue, Subset]:
    """The part of a value that broadcasts to this subset."""
    shape = _shape(value)
    spans = subset[len(subset) - len(shape) :]
    return value, tuple(
        Span(0, 1) if size == 1 else span
        for size, span in zip(shape, spans, strict=True)
    )


def _pointwise(op: PointwiseOp, subset: Subset) -> Needs:
    return Needs([_aligned(value, subset) for value in op.operands])


def _expand(op: ExpandOp, subset: Subset) -> Needs:
    shape = int_array(sizes_of(subset))
    return Needs([_aligned(op.operand, subset)], {"shape": shape})


def _linear(op: LinearOp, subset: Subset) -> Needs:
    *rows, columns = subset
    features = Span(0, _shape(op.input)[-1])
    parts = [(op.input, (*rows, features)), (op.weight, (columns, features))]
    return Needs(parts + ([] if op.bias is None else [(op.bias, (columns,))]))


def _matrix(
    value: SSAValue, batch: Subset, rows: Span | None, columns: Span | None
) -> tuple[SSAValue, Subset]:
    """A part of the matrices in a batch; None: all their rows or columns."""
    *_, row_count, column_count = _shape(value)
    rows, columns = rows or Span(0, row_count), columns or Span(0, column_count)
    return _aligned(value, (*batch, rows, columns))


def _matmul(op: MatmulOp, subset: Subset) -> Needs:
    *batch, rows, columns = subset
    lhs = _matrix(op.lhs, tuple(batch), rows, None)
    return Needs([lhs, _matrix(op.rhs, tuple(batch), None, columns)])


def _attention(op: AttentionOp, subset: Subset) -> Needs:
    *batch, rows, columns = subset
    parts = [
        _matrix(op.query, tuple(batch), rows, None),
        _matrix(op.key, tuple(batch), None, None),
        _matrix(op.value, tuple(batch), None, columns),
    ]
    if op.mask is not None:
        keys = Span(0, _shape(op.key)[-2])
        parts.append(_aligned(op.mask, (*batch, rows, keys)))
    return Needs(parts)


def _reduction(
    value: SSAValue, subset: Subset, axes: Sequence[int], keep: bool
) -> Needs:
    shape, spans = _shape(value), iter(subset)
    part: list[Span] = []
    for axis, size in enumerate(shape):
        span = next(spans) if keep or axis not in axes else None
        part.append(Span(0, size) if span is None or axis in axes else span)
    return Needs([(value, tuple(part))])


def _reduce(op: ReduceOp, subset: Subset) -> Needs:
    return _reduction(op.operand, subset, ints(op.axes), bool(int_of(op.keep)))


def _argmax(op: ArgmaxOp, subset: Subset) -> Needs:
    axis = normalize_axis(int_of(op.axis), len(_shape(op.operand)))
    return _reduction(op.operand, subset, [axis], bool(int_of(op.keep)))


def _transpose(op: TransposeOp, subset: Subset) -> Needs:
    moved = dict(zip(ints(op.permutation), subset, strict=True))
    return Needs([(op.operand, tuple(moved[d] for d in range(len(subset))))])


def _concat(op: ConcatOp, subset: Subset) -> Needs | None:
    axis = int_of(op.axis)
    wanted, parts, offset = subset[axis], list[tuple[SSAValue, Subset]](), 0
    for value in op.parts:
        size = _shape(value)[axis]
        first, last = max(wanted.first, offset), min(wanted.last, offset + size - 1)
        if first <= last:
            whole_span = (first, last) == (wanted.first, wanted.last)
            if not whole_span and not wanted.is_run:
                return None
            span = Span(first - offset, last + 1 - first)
            if whole_span:
                span = Span(wanted.start - offset, wanted.size, wanted.step)
            parts.append((value, (*subset[:axis], span, *subset[axis + 1 :])))
        offset += size
    return Needs(parts)


def _reshape(op: ReshapeOp, subset: Subset) -> Needs | None:
    spans: list[Span] = []
    rest = list(subset)
    for old, new in _groups(_shape(op.operand), ints(op.shape)):
        part, rest = rest[: len(new)], rest[len(new) :]
        found = _through_group(old, new, tuple(part))
        if found is None:
            return None
        spans += found
    return Needs([(op.operand, tuple(spans))], {"shape": int_array(sizes_of(subset))})


def _groups(
    old: Sequence[int], new: Sequence[int]
) -> Sequence[tuple[Sequence[int], Sequence[int]]]:
    """The dimensions of both shapes in the shortest runs of as many elements."""
    groups: list[tuple[Sequence[int], Sequence[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        a, b = i, j
        i, j = min(i + 1, len(old)), min(j + 1, len(new))
        while (left := prod(old[a:i])) != (right := prod(new[b:j])):
            i, j = (i + 1, j) if left < right else (i, j + 1)
        groups.append((old[a:i], new[b:j]))
    return groups


def _through_group(
    old: Sequence[int], new: Sequence[int], subset: Subset
) -> Subset | None:
    """The places of the old dimensions that are this subset of the new ones."""
    if subset == whole(new):
        return whole(old)
    run = _flattened(new, subset)
    return None if run is None else _unflattened(old, run)


def _flattened(shape: Sequence[int], subset: Subset) -> Span | None:
    """A subset as places of all its elements in a row: below the first dimension of
    which it has more than one place, it must be whole."""
    if not shape:
        return Span(0, 1)
    inner = prod(shape[1:])
    span = subset[0]
    if span.size == 1:
        below = _flattened(shape[1:], subset[1:])
        return below and Span(span.start * inner + below.start, below.size, below.step)
    if inner == 1:
        return span
    if subset[1:] != whole(shape[1:]) or not span.is_run:
        return None
    return Span(span.start * inner, span.size * inner)


def _unflattened(shape: Sequence[int], run: Span) -> Subset | None:
    """Places of all elements in a row, as a subset of this shape."""
    if not shape:
        return ()
    inner = prod(shape[1:])
    if inner == 1:
        return (run, *whole(shape[1:]))
    row = run.first // inner
    if row == run.last // inner:
        below = _unflattened(
            shape[1:], Span(run.start - row * inner, run.size, run.step)
        )
        return None if below is None else (Span(row, 1), *below)
    if not run.is_run or run.start % inner or run.size % inner:
        return None
    return (Span(row, run.size // inner), *whole(shape[1:]))


RULES: Mapping[type[Operation], Rule] = {
    ArgmaxOp: _argmax,
    AttentionOp: _attention,
    ConcatOp: _concat,
    ExpandOp: _expand,
    LinearOp: _linear,
    MatmulOp: _matmul,
    PointwiseOp: _pointwise,
    ReduceOp: _reduce,
    ReshapeOp: _reshape,
    TransposeOp: _transpose,
}
"""op class, with its subclasses -> its rule."""

_LOOKS_BACK = "a result depends on all elements before it along the axis"
_BY_PLACE = "which elements it reads is known when it runs"

NO_RULE: Mapping[type[Operation], str] = {
    **dict.fromkeys(scan.OPS, _LOOKS_BACK),
    **dict.fromkeys((GatherOp, ScatterOp, NmsOp), _BY_PLACE),
    **dict.fromkeys((KthValueOp, SortOp), "every element of a row takes part"),
    **dict.fromkeys(
        (Conv2dOp, MaxPool2dOp, SumPool2dOp, ResampleOp),
        "its windows overlap, and a part needs a padding of its own",
    ),
    **dict.fromkeys((LoopOp, YieldOp), "its steps depend on each other"),
    PadOp: "a part may lie in the padding alone",
    SliceOp: "the pass itself makes one slice of two",
}
"""op class -> why it has no rule."""
