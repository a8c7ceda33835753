"""Heads of YOLO detectors: grids of positions, as Ultralytics computes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import floats, int_of, ints
from devproc.dialects.pipe import yolo
from devproc.transforms.tensor.pipe_to_nn.boxes import corners, expected_bin
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


def _grid(
    e: Expressions, h: int, w: int, shift: float
) -> tuple[Expression, Expression]:
    """x and y of the cells of a map: (1, w) and (h, 1)."""
    x = e.line(w).cast("float32").reshape(1, w)
    y = e.line(h).cast("float32").reshape(h, 1)
    return x + shift, y + shift


def _v8(
    e: Expressions, map_: Expression, stride: int, bins: int
) -> tuple[Expression, Expression]:
    """Boxes (b, places, 4) and scores (b, places, classes) of one map."""
    batch, channels, h, w = map_.shape
    x = map_.reshape(batch, channels, h * w)
    px, py = (p.expand(h, w).reshape(1, h * w) for p in _grid(e, h, w, 0.5))
    # Part by part, so that each is read in place.
    left, top, right, bottom = (
        expected_bin(e, x.part(1, d * bins, bins), 1) for d in range(4)
    )
    sides = [px - left, py - top, right + px, bottom + py]
    boxes = [(side * float(stride)).reshape(batch, -1, 1) for side in sides]
    scores = x.part(1, 4 * bins, channels - 4 * bins).sigmoid()
    return e.concat(boxes, -1), scores.transpose(0, 2, 1)


def best_class(e: Expressions, op: yolo.DecodeYoloOp) -> tuple[Expression, Expression]:
    """Score and class (b, places, 1) of each cell's highest class, computed on the
    maps, where the scores of all cells are contiguous.
    """
    scores: list[Expression] = []
    classes: list[Expression] = []
    for map_ in op.maps:
        x = e.of(map_)
        batch, channels, h, w = x.shape
        x, first = x.reshape(batch, channels, h * w), 4 * int_of(op.bins)
        found = x.part(1, first, channels - first).sigmoid()
        index = found.argmax(1, keep=True)
        classes.append(index.reshape(batch, h * w, 1))
        score = x.gather(index + first, 1).sigmoid()
        scores.append(score.reshape(batch, h * w, 1))
    return e.concat(scores, 1), e.concat(classes, 1)


def _v5(
    e: Expressions, x: Expression, stride: int, anchors: Sequence[float]
) -> tuple[Expression, Expression]:
    """Boxes (b, places, 4) and scores (b, places, classes) of one map."""
    (batch, channels, h, w), count = x.shape, len(anchors) // 2
    x = x.reshape(batch, count, channels // count, h, w)
    x = x.transpose(0, 1, 3, 4, 2).sigmoid()
    px, py = (p.reshape(*p.shape, 1) for p in _grid(e, h, w, -0.5))
    centre = [
        (x.part(-1, d, 1) * 2.0 + place) * float(stride)
        for d, place in ((0, px), (1, py))
    ]
    sizes = x.part(-1, 2, 2) * 2.0
    sizes = sizes * sizes * e.constant(anchors, "float32", [count, 1, 1, 2])
    boxes = corners(e, e.concat([*centre, sizes], -1))
    scores = x.part(-1, 5, channels // count - 5) * x.part(-1, 4, 1)
    places = count * h * w
    return boxes.reshape(batch, places, 4), scores.reshape(batch, places, -1)


def _decode(op: yolo.DecodeYoloOp, e: Expressions) -> Sequence[SSAValue]:
    strides, anchors = ints(op.strides), floats(op.anchors)
    each = len(anchors) // len(strides)
    found: list[tuple[Expression, Expression]] = []
    for number, (map_, stride) in enumerate(zip(op.maps, strides, strict=True)):
        x = e.of(map_)
        if op.version.data == "v8":
            found.append(_v8(e, x, stride, int_of(op.bins)))
        else:
            own = anchors[number * each : (number + 1) * each]
            found.append(_v5(e, x, stride, own))
    return [e.concat(parts, 1).ssa for parts in zip(*found, strict=True)]


LOWERINGS: Mapping[type[Operation], Rule] = {
    yolo.DecodeYoloOp: _decode,
}
"""op class -> its lowering."""
