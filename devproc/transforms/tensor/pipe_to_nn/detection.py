"""Selection of boxes: `nn.nms` or a stable sort, then gathers of the selected rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import pointwise, reduction
from devproc.dialects.nn.base import floats, int_attr, int_of
from devproc.dialects.nn.detection import NmsOp
from devproc.dialects.pipe import detection
from devproc.dialects.pipe.yolo import DecodeYoloOp
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.boxes import corners, filled
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule
from devproc.transforms.tensor.pipe_to_nn.yolo import best_class


def _rows(x: Expression, rows: Expression) -> Expression:
    """The rows (b, m) of a value (b, n, ...)."""
    return x.gather(rows.reshape(*rows.shape, *[1] * (len(x.shape) - 2)), 1)


def _best(
    e: Expressions, value: SSAValue, scores: Expression
) -> tuple[Expression, Expression]:
    """The highest score of each box, and its class; NaN is the highest."""
    head = value.owner
    if isinstance(head, DecodeYoloOp) and head.version.data == "v8":
        return best_class(e, head)
    classes = scores.argmax(-1, keep=True)
    return scores.gather(classes, -1), classes


def _nms(op: detection.NmsOp, e: Expressions) -> Sequence[SSAValue]:
    images, n, k, c = detection.nms_sizes(tensor_of(op.boxes), tensor_of(op.scores))
    batch = prod(images)
    boxes = e.of(op.boxes).reshape(batch, n, k, 4)
    scores = e.of(op.scores).reshape(batch, n, c)
    classes = e.of(op.classes).reshape(batch, n, 1) if op.classes else None
    if c > 1 and not int_of(op.multi_label):
        (scores, classes), c = _best(e, op.scores, scores), 1
        # One box for each class, of which one is selected.
        boxes = boxes if k == 1 else boxes.gather(classes.reshape(batch, n, 1, 1), 2)
        k = 1
    operands = [boxes.ssa, scores.ssa]
    if classes is not None and not int_of(op.agnostic):
        operands.append(classes.ssa)
    nms = NmsOp.build_op(operands, detection.nms_properties(op.properties))
    places, count = e.insert(nms)
    held = e.maximum(places, 0)
    rows = held if c == 1 else e.apply(pointwise.QuotientOp, held, c)
    found = [
        _rows(boxes.reshape(batch, n * k, 4), rows if k == 1 else held),
        _rows(scores.reshape(batch, n * c), held),
        held - rows * c if classes is None else _rows(classes.reshape(batch, n), held),
        rows,
    ]
    most = places.shape[1]
    results = [
        filled(e, x, count.ssa, padding).reshape(*images, most, *x.shape[2:])
        for x, padding in zip(found, (0.0, 0.0, -1, -1), strict=True)
    ]
    return [x.ssa for x in (*results, count.reshape(*images))]


def _detr(op: detection.DecodeDetrOp, e: Expressions) -> Sequence[SSAValue]:
    """Moves queries above the threshold to the front, by a stable sort."""
    height, width = floats(op.size)
    (threshold,) = floats(op.threshold)
    logits = e.of(op.logits)
    softmax = reduction.SoftmaxOp.build_op([logits.ssa], {"axis": int_attr(-1)})
    chances = e.emit(softmax).part(-1, 0, logits.shape[-1] - 1)
    scores = chances.max(-1)
    classes = chances.argmax(-1)
    size = e.constant([width, height] * 2, "float32", [4])
    boxes = corners(e, e.of(op.boxes)) * size
    stays = (scores > threshold).cast("int32")
    _, order = stays.sort(descending=True)
    count = stays.cast("int64").sum(-1)
    return [
        *(
            filled(e, _rows(x, order), count.ssa, padding).ssa
            for x, padding in ((boxes, 0.0), (scores, 0.0), (classes, -1))
        ),
        count.ssa,
    ]


def _take(op: detection.TakeRowsOp, e: Expressions) -> Sequence[SSAValue]:
    x, rows = e.of(op.operand), e.of(op.rows)
    axis = len(rows.shape) - 1
    index = e.maximum(rows, 0).reshape(*rows.shape, *[1] * (len(x.shape) - axis - 1))
    return [filled(e, x.gather(index, axis), op.count).ssa]


def _fill(op: detection.FillPaddingOp, e: Expressions) -> Sequence[SSAValue]:
    x, (value,) = e.of(op.operand), floats(op.value)
    value = value if x.dtype.startswith(("float", "bfloat")) else int(value)
    return [filled(e, x, op.count, value).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    detection.DecodeDetrOp: _detr,
    detection.FillPaddingOp: _fill,
    detection.NmsOp: _nms,
    detection.TakeRowsOp: _take,
}
"""op class -> its lowering."""
