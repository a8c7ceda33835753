"""Rules of reductions along axes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_array, int_of, ints, normalize_axis
from devproc.dialects.nn.reduction import (
    ArgmaxOp,
    LogSoftmaxOp,
    ReduceMaxOp,
    ReduceOp,
    ReduceProdOp,
    ReduceSumOp,
    SoftmaxOp,
)
from devproc.dialects.nn.window import NHWC_TO_NCHW
from devproc.ir.subset import Span, Subset
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.batches import Splits
from devproc.op_rules.base.costs import Cost, size
from devproc.op_rules.base.images import Images
from devproc.op_rules.base.slices import Parts, shape_of
from devproc.op_rules.base.tolerances import Tolerance


def _reduction(
    value: SSAValue, subset: Subset, axes: Sequence[int], keep: bool
) -> Parts:
    shape, spans = shape_of(value), iter(subset)
    part: list[Span] = []
    for axis, count in enumerate(shape):
        span = next(spans) if keep or axis not in axes else None
        part.append(Span(0, count) if span is None or axis in axes else span)
    return Parts([(value, tuple(part))])


def _reduce(op: ReduceOp, subset: Subset) -> Parts:
    return _reduction(op.operand, subset, ints(op.axes), bool(int_of(op.keep)))


def _argmax(op: ArgmaxOp, subset: Subset) -> Parts:
    axis = normalize_axis(int_of(op.axis), len(shape_of(op.operand)))
    return _reduction(op.operand, subset, [axis], bool(int_of(op.keep)))


def _split(op: Operation) -> Splits:
    return None if 0 in ints(op.properties["axes"]) else [True]


def _channels_last(images: Images, op: ReduceOp) -> SSAValue | None:
    axes = ints(op.axes)
    if not int_of(op.keep) and not ({1} <= set(axes) or {2, 3} <= set(axes)):
        return None  # The dimensions that remain would change places.
    mapped = sorted(NHWC_TO_NCHW[a] for a in axes)
    return images.rebuild(op, [images.image(op.operand)], axes=int_array(mapped))


REDUCTIONS = (ReduceMaxOp, ReduceProdOp, ReduceSumOp)
SOFTMAXES = (LogSoftmaxOp, SoftmaxOp)

SLICING = {
    ArgmaxOp: _argmax,
    **dict.fromkeys(REDUCTIONS, _reduce),
    **dict.fromkeys(SOFTMAXES, reasons.OPENED),
}
BATCH = {
    ArgmaxOp: batches.other_axis,
    **dict.fromkeys(REDUCTIONS, _split),
    **dict.fromkeys(SOFTMAXES, batches.other_axis),
}
CHANNELS_LAST = {
    ArgmaxOp: reasons.ALONG_ONE,
    **dict.fromkeys(REDUCTIONS, _channels_last),
    **dict.fromkeys(SOFTMAXES, reasons.OPENED),
}
COST = {
    ArgmaxOp: Cost(flops=size, is_anchor=True),
    **dict.fromkeys(REDUCTIONS, Cost(flops=size, is_anchor=True)),
    **dict.fromkeys(SOFTMAXES, Cost(per_element=20, is_anchor=True)),
}
TOLERANCE = {
    ArgmaxOp: Tolerance.EXACT,
    ReduceMaxOp: Tolerance.EXACT,
    ReduceProdOp: Tolerance.ROUNDED,
    ReduceSumOp: Tolerance.SUMMED,
    **dict.fromkeys(SOFTMAXES, Tolerance.ROUNDED),
}
