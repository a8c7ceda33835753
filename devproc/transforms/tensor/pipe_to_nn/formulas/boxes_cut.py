"""Bilinear sampling of boxes of an image, by row and column positions of each box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.pipe import warp
from devproc.dialects.pipe.base.layout import image_axes, layout_of
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.formulas.boxes_area import area_boxes
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)


@dataclass(frozen=True)
class _Line:
    """The positions of all boxes along one axis, each between two pixels."""

    inside: Expression
    first: Expression
    second: Expression
    way: Expression
    """The distance of the position from the first pixel."""


def _aligned(
    e: Expressions, low: Expression, high: Expression, count: int, samples: int
) -> Expression:
    """Positions of `roi_align`: centres of equal parts of each of `count` pixels."""
    low, high = low - 0.5, high - 0.5
    step = (high - low) / count
    pixel = e.line(count).cast("float32").reshape(count, 1)
    part = (e.line(samples).cast("float32") + 0.5).reshape(1, samples)
    pixel, part = (v.expand(count, samples).reshape(1, -1) for v in (pixel, part))
    return low + step * pixel + step * part / samples


def _scaled(
    e: Expressions, low: Expression, high: Expression, count: int, size: int
) -> Expression:
    """Positions of `tf.image.crop_and_resize`: a box's ends are pixel centres."""
    if count == 1:
        return (low + high) * 0.5 * (size - 1)
    step = (high - low) * ((size - 1) / (count - 1))
    return low * (size - 1) + step * e.line(count).cast("float32")


def _line(
    e: Expressions, place: Expression, size: int, margin: int, shape: Sequence[int]
) -> _Line:
    """The pixels around positions at most `margin` outside, in this shape."""
    place, last = place.reshape(*shape), size - 1
    inside = (place >= -margin) & (place <= last + margin)
    held = e.where(inside, e.minimum(e.maximum(place, 0), last), 0)
    first = held.floor()
    index = first.cast("int32")
    return _Line(inside, index, e.minimum(index + 1, last), held - first)


def _lines(op: warp.CropAndResizeOp, e: Expressions, image: Expression) -> list[_Line]:
    """Rows and columns, each aligned with its axis of the result."""
    boxes, samples = e.of(op.boxes), int_of(op.samples)
    axes = image_axes("crop_and_resize", tensor_of(op.result))
    aligned = op.like.data == "torchvision"
    # roi_align's boxes begin with x, crop_and_resize's with y.
    starts = (1, 0) if aligned else (0, 1)
    found: list[_Line] = []
    for axis, start, count in zip(axes, starts, ints(op.size), strict=True):
        low, high = boxes.part(1, start, 1), boxes.part(1, start + 2, 1)
        size = image.shape[axis]
        if aligned:
            place = _aligned(e, low, high, count, samples)
        else:
            place = _scaled(e, low, high, count, size)
        shape = [1] * len(image.shape)
        shape[0], shape[axis] = boxes.shape[0], count * samples
        found.append(_line(e, place, size, int(aligned), shape))
    return found


def _mean(x: Expression, axis: int, samples: int) -> Expression:
    """The mean of each `samples` elements of an axis."""
    if samples == 1:
        return x
    count = x.shape[axis] // samples
    parts = x.reshape(*x.shape[:axis], count, samples, *x.shape[axis + 1 :])
    return parts.sum(axis + 1) / samples


def crop_and_resize(op: warp.CropAndResizeOp, e: Expressions) -> Sequence[SSAValue]:
    """Four gathers, weighed and summed; the samples of a pixel are averaged at the end.
    Averages of areas are another formula.
    """
    layout, wanted = (layout_of(v.type) or "" for v in (op.operand, op.result))
    image = e.of(op.operand)
    if "N" not in layout:
        image = image.reshape(1, *image.shape)
    else:
        image = image.transpose(*(layout.index(letter) for letter in wanted))
    if op.like.data == "pytorch":
        return area_boxes(op, e, image)
    axes = image_axes("crop_and_resize", tensor_of(op.result))
    rows, columns = _lines(op, e, image)

    def read(row: Expression, column: Expression) -> Expression:
        found = e.emit(GatherOp.at(image.ssa, [row.ssa, column.ssa], axes))
        return found.cast("float32")

    def along(row: Expression) -> Expression:
        left, right = read(row, columns.first), read(row, columns.second)
        return left * (1 - columns.way) + right * columns.way

    value = along(rows.first) * (1 - rows.way) + along(rows.second) * rows.way
    value = e.where(rows.inside & columns.inside, value, 0)
    samples = int_of(op.samples)
    for axis in axes:
        value = _mean(value, axis, samples)
    return [value.ssa]
