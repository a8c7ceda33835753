"""Rules of the ops that only move elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_array, int_attr, int_of, ints
from devproc.dialects.nn.shape import (
    OPS,
    ConcatOp,
    ExpandOp,
    PackOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.dialects.nn.window import NHWC_TO_NCHW
from devproc.ir.subset import Span, Subset, sizes_of, whole
from devproc.ir.types import tensor_of
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.batches import Splits, shapes_of
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.images import Images, sides
from devproc.op_rules.base.slices import Parts, aligned, shape_of
from devproc.op_rules.base.tolerances import Tolerance


def _expand(op: ExpandOp, subset: Subset) -> Parts:
    shape = int_array(sizes_of(subset))
    return Parts([aligned(op.operand, subset)], {"shape": shape})


def _transpose(op: TransposeOp, subset: Subset) -> Parts:
    moved = dict(zip(ints(op.permutation), subset, strict=True))
    return Parts([(op.operand, tuple(moved[d] for d in range(len(subset))))])


def _concat(op: ConcatOp, subset: Subset) -> Parts | None:
    axis = int_of(op.axis)
    wanted, parts, offset = subset[axis], list[tuple[SSAValue, Subset]](), 0
    for value in op.parts:
        size = shape_of(value)[axis]
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
    return Parts(parts)


def _reshape(op: ReshapeOp, subset: Subset) -> Parts | None:
    spans: list[Span] = []
    rest = list(subset)
    for old, new in _groups(shape_of(op.operand), ints(op.shape)):
        part, rest = rest[: len(new)], rest[len(new) :]
        found = _through_group(old, new, tuple(part))
        if found is None:
            return None
        spans += found
    return Parts([(op.operand, tuple(spans))], {"shape": int_array(sizes_of(subset))})


def _groups(
    old: Sequence[int], new: Sequence[int]
) -> Sequence[tuple[Sequence[int], Sequence[int]]]:
    """The dimensions of both shapes, grouped into the shortest runs of equal size."""
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
    """The subset of the old dimensions that is this subset of the new ones."""
    if subset == whole(new):
        return whole(old)
    run = _flattened(new, subset)
    return None if run is None else _unflattened(old, run)


def _flattened(shape: Sequence[int], subset: Subset) -> Span | None:
    """A subset as a range of linear indices: below the first dimension in which it has
    more than one index, it must be whole."""
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
    """A range of linear indices as a subset of this shape."""
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


def _split_reshape(op: Operation) -> Splits:
    return [True] if len(shapes_of(op)[0]) > 0 else None


def _split_transpose(op: Operation) -> Splits:
    assert isinstance(op, TransposeOp)
    return [True] if ints(op.permutation)[0] == 0 else None


def _split_pad(op: Operation) -> Splits:
    assert isinstance(op, PadOp)
    return batches.first(op) if ints(op.low)[0] == ints(op.high)[0] == 0 else None


def _split_slice(op: Operation) -> Splits:
    assert isinstance(op, SliceOp)
    is_whole = ints(op.size)[0] == shapes_of(op)[0][0] and ints(op.step)[0] == 1
    return [True] if is_whole else None


def _concat_images(images: Images, op: ConcatOp) -> SSAValue:
    parts = [images.image(v) for v in op.parts]
    return images.rebuild(op, parts, axis=int_attr(NHWC_TO_NCHW[int_of(op.axis)]))


def _to_tokens(images: Images, op: ReshapeOp) -> SSAValue | None:
    """reshape to (N, C, H * W): the transpose of the tokens, which often cancels."""
    n, c, h, w = tensor_of(op.operand).get_shape()
    if ints(op.shape) != (n, c, h * w):
        return None
    tokens = images.emit(ReshapeOp.to(images.image(op.operand), (n, h * w, c)))
    return images.emit(TransposeOp.by(tokens, (0, 2, 1)))


SLICING = {
    ConcatOp: _concat,
    ExpandOp: _expand,
    PackOp: reasons.PREPARED,
    PadOp: "a part may be padding only",
    ReshapeOp: _reshape,
    SliceOp: "the pass itself merges two slices",
    TransposeOp: _transpose,
}
BATCH = {
    ConcatOp: batches.other_axis,
    # A first dimension that is repeated, or new, is the same for every part.
    ExpandOp: batches.aligned,
    PackOp: reasons.PREPARED,
    PadOp: _split_pad,
    ReshapeOp: _split_reshape,
    SliceOp: _split_slice,
    TransposeOp: _split_transpose,
}
CHANNELS_LAST = {
    ConcatOp: _concat_images,
    ExpandOp: "what it repeats is smaller than an image",
    PackOp: reasons.PREPARED,
    PadOp: sides,
    ReshapeOp: _to_tokens,
    SliceOp: sides,
    TransposeOp: "it changes the layout of an image",
}
COST = {
    ConcatOp: Cost(is_anchor=True),
    ExpandOp: Cost(),
    PackOp: reasons.PREPARED,
    PadOp: Cost(),
    ReshapeOp: Cost(is_free=True),
    SliceOp: Cost(is_anchor=True),
    TransposeOp: Cost(),
}
TOLERANCE = dict.fromkeys(OPS, Tolerance.EXACT)
