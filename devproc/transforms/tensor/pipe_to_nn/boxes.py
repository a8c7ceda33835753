"""Boxes: formulas in float32, with the operations of the named libraries in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import floats, int_of
from devproc.dialects.pipe import boxes
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


def filled(
    e: Expressions, x: Expression, count: SSAValue | None, padding: float = 0
) -> Expression:
    """`x` with a number in the rows from the count on; itself without a count."""
    if count is None:
        return x
    number = e.of(count)
    axis = len(number.shape)
    below = e.line(x.shape[axis]) < number.reshape(*number.shape, 1)
    shape = (*x.shape[: axis + 1], *[1] * (len(x.shape) - axis - 1))
    return e.where(below.reshape(*shape), x, padding)


def columns(x: Expression) -> list[Expression]:
    """The numbers of boxes or points, one by one: (..., 1) each."""
    return [x.part(-1, d, 1) for d in range(x.shape[-1])]


def corners(e: Expressions, centres: Expression) -> Expression:
    """Corners of boxes (centre, size): centre minus and plus half of the size."""
    cx, cy, w, h = columns(centres)
    half_w, half_h = w * 0.5, h * 0.5
    parts = [cx - half_w, cy - half_h, cx + half_w, cy + half_h]
    return e.concat(parts, -1)


def _convert(op: boxes.ConvertBoxesOp, e: Expressions) -> Sequence[SSAValue]:
    """Converts through corners, as torchvision does."""
    x = e.of(op.operand)
    source, target = op.source.data, op.target.data
    if source == target:
        return [x.ssa]
    if source == "cxcywh":
        x = corners(e, x)
    elif source == "xywh":
        x1, y1, w, h = columns(x)
        x = e.concat([x1, y1, x1 + w, y1 + h], -1)
    if target != "xyxy":
        x1, y1, x2, y2 = columns(x)
        first = [x1, y1]
        if target == "cxcywh":
            first = [(x1 + x2) / 2.0, (y1 + y2) / 2.0]
        x = e.concat([*first, x2 - x1, y2 - y1], -1)
    return [x.ssa]


def _scale(op: boxes.ScaleBoxesOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    size = x.shape[-1]
    scale, offset = (floats(a) * (size // 2) for a in (op.scale, op.offset))
    x = x * e.constant(scale, "float32", [size])
    if any(offset):
        x = filled(e, x + e.constant(offset, "float32", [size]), op.count)
    return [x.ssa]


def _clip(op: boxes.ClipBoxesOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    height, width = floats(op.size)
    limits = [width, height] * (x.shape[-1] // 2)
    high = e.constant(limits, "float32", [x.shape[-1]])
    return [e.minimum(e.maximum(x, 0.0), high).ssa]


def _decode(op: boxes.DecodeBoxesOp, e: Expressions) -> Sequence[SSAValue]:
    """`BoxCoder.decode_single` of torchvision, in its order of operations."""
    x1, y1, x2, y2 = columns(e.of(op.anchors))
    width, height = x2 - x1, y2 - y1
    middle = (x1 + width * 0.5, y1 + height * 0.5)
    weights, (clip,) = floats(op.weights), floats(op.clip)
    deltas = [
        part / weight
        for part, weight in zip(columns(e.of(op.deltas)), weights, strict=True)
    ]
    low: list[Expression] = []
    high: list[Expression] = []
    for d, size in enumerate((width, height)):
        centre = deltas[d] * size + middle[d]
        half = e.minimum(deltas[d + 2], clip).exp() * size * 0.5
        low.append(centre - half)
        high.append(centre + half)
    return [e.concat([*low, *high], -1).ssa]


def expected_bin(e: Expressions, x: Expression, axis: int) -> Expression:
    """The expected values of distributions along an axis, which is removed."""
    bins, after = x.shape[axis], len(x.shape) - axis - 1
    weights = (x - x.max(axis, keep=True)).exp()
    line = e.constant(range(bins), "float32", [bins, *[1] * after])
    return (weights * line).sum(axis) / weights.sum(axis)


def _dfl(op: boxes.DecodeDflOp, e: Expressions) -> Sequence[SSAValue]:
    x, bins = e.of(op.operand), int_of(op.bins)
    axis = int_of(op.axis) % len(x.shape)
    x = x.reshape(*x.shape[:axis], 4, bins, *x.shape[axis + 1 :])
    return [expected_bin(e, x, axis + 1).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    boxes.ClipBoxesOp: _clip,
    boxes.ConvertBoxesOp: _convert,
    boxes.DecodeBoxesOp: _decode,
    boxes.DecodeDflOp: _dfl,
    boxes.ScaleBoxesOp: _scale,
}
"""op class -> its lowering."""
