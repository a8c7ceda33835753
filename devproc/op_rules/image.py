"""Rules of the ops on images."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_attr, int_of
from devproc.dialects.nn.image import (
    OPS,
    NormalizeOp,
    ResampleOp,
    ResampleTapsOp,
    ResizeOp,
)
from devproc.dialects.nn.window import NHWC_TO_NCHW
from devproc.ir.types import tensor_of
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.batches import Splits
from devproc.op_rules.base.costs import Cost, results
from devproc.op_rules.base.images import Images
from devproc.op_rules.base.tolerances import Tolerance


def _split_normalize(op: Operation) -> Splits:
    assert isinstance(op, NormalizeOp)
    return None if int_of(op.axis) == 0 else [True]


def _split_resample(op: Operation) -> Splits:
    return None if batches.other_axis(op) is None else batches.first(op)


def _channels_last(images: Images, op: ResampleOp) -> SSAValue | None:
    if op.operand not in images.nhwc:
        return None
    operands = [images.image(op.operand), *op.operands[1:]]
    axes = {
        name: int_attr(NHWC_TO_NCHW[int_of(op.properties[name])])
        for name in ("axis", "row_axis")
        if name in op.properties
    }
    return images.rebuild(op, operands, **axes)


def _taps(op: Operation) -> int:
    return 2 * results(op) * tensor_of(op.operands[2]).get_shape()[1]


SLICING = {
    NormalizeOp: reasons.OPENED,
    ResampleOp: reasons.OVERLAPPING,
    ResampleTapsOp: reasons.KNOWN,
    ResizeOp: reasons.OPENED,
}
BATCH = {
    NormalizeOp: _split_normalize,
    ResampleOp: _split_resample,
    ResampleTapsOp: reasons.KNOWN,
    ResizeOp: reasons.OPENED,
}
CHANNELS_LAST = {
    NormalizeOp: reasons.OPENED,
    ResampleOp: _channels_last,
    ResampleTapsOp: reasons.KNOWN,
    ResizeOp: reasons.OPENED,
}
COST = {
    NormalizeOp: Cost(per_element=3),
    ResampleOp: Cost(flops=_taps, is_anchor=True),
    ResampleTapsOp: reasons.KNOWN,
    ResizeOp: Cost(per_element=8, is_anchor=True),
}
TOLERANCE = dict.fromkeys(OPS, Tolerance.ROUNDED)
