"""Masks, maps of classes and heatmaps: comparisons, look-ups and neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import pointwise
from devproc.dialects.nn.base import floats
from devproc.dialects.pipe import masks
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule

QUARTER = 0.25
"""The distance that a position is moved towards its higher neighbour."""


def _threshold(op: masks.ThresholdOp, e: Expressions) -> Sequence[SSAValue]:
    (value,) = floats(op.value)
    return [(e.of(op.operand) > value).ssa]


def _palette(op: masks.PaletteOp, e: Expressions) -> Sequence[SSAValue]:
    x, colors = e.of(op.operand), e.of(op.colors)
    found = colors.gather(x.reshape(-1, 1), 0)
    return [found.reshape(*x.shape, 3).ssa]


def _keypoints(op: masks.DecodeKeypointsOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    batch, count, h, w = x.shape
    flat = x.reshape(batch, count, h * w)
    place = flat.argmax(-1, keep=True)
    scores = flat.max(-1, keep=True)
    row = e.apply(pointwise.QuotientOp, place, w)
    column = place - row * w
    inside = (column > 1) & (column < w - 1) & (row > 1) & (row < h - 1)

    def moved(at: Expression, step: int) -> Expression:
        after, before = (_at(e, flat, place, s) for s in (step, -step))
        slope = after - before
        shift = e.where(slope < 0.0, e.constant(-QUARTER, "float32"), 0.0)
        shift = e.where(slope > 0.0, e.constant(QUARTER, "float32"), shift)
        return at.cast("float32") + e.where(inside, shift, 0.0)

    found = e.concat([moved(column, 1), moved(row, w)], -1)
    found = e.where(scores > 0.0, found, 0.0)
    return [found.ssa, scores.reshape(batch, count).ssa]


def _at(e: Expressions, flat: Expression, place: Expression, step: int) -> Expression:
    """The elements at an offset of `step`, clamped to the map."""
    last = flat.shape[-1] - 1
    return flat.gather(e.minimum(e.maximum(place + step, 0), last), -1)


LOWERINGS: Mapping[type[Operation], Rule] = {
    masks.DecodeKeypointsOp: _keypoints,
    masks.PaletteOp: _palette,
    masks.ThresholdOp: _threshold,
}
"""op class -> its lowering."""
