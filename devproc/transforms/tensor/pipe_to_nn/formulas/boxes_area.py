"""Averages over boxes of an image, by sums over rectangles from a summed-area table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import QuotientOp
from devproc.dialects.nn.scan import CumsumOp
from devproc.dialects.pipe import warp
from devproc.dialects.pipe.base.layout import image_axes
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)

_BRIGHTEST = 255


@dataclass(frozen=True)
class _Line:
    """Along one axis, the first pixel of each result pixel and the end of its range."""

    first: Expression
    end: Expression


def _line(
    e: Expressions, box: tuple[Expression, Expression], count: int, size: int
) -> tuple[Expression, Expression]:
    """`adaptive_avg_pool2d`'s parts of `image[int(low):int(high)]`, (boxes, count)."""
    known = box[0].equal(box[0]) & box[1].equal(box[1])
    low, high = (
        e.minimum(e.maximum(e.where(known, x, 0.0), 0.0), float(size)).cast("int32")
        for x in box
    )
    whole = e.maximum(high - low, 0)
    part = e.line(count).cast("int32").reshape(1, count)
    first = e.apply(QuotientOp, whole * part, count)
    end = e.apply(QuotientOp, whole * (part + 1) + (count - 1), count)
    return low + first, low + end


def _sums(e: Expressions, image: Expression, axes: Sequence[int]) -> Expression:
    """The summed-area table, with a leading row and column of zeros."""
    most = _BRIGHTEST * image.shape[axes[0]] * image.shape[axes[1]]
    x = image.cast("int32" if most < 1 << 31 else "int64")
    low = [0] * len(x.shape)
    for axis in axes:
        op: Operation = CumsumOp.along(x.ssa, axis)
        x, low[axis] = e.emit(op), 1
    return x.pad(low, [0] * len(low))


def area_boxes(
    op: warp.CropAndResizeOp, e: Expressions, image: Expression
) -> Sequence[SSAValue]:
    """The sum between four corners, divided by the number of pixels; integers are exact."""
    axes = image_axes("crop_and_resize", tensor_of(op.result))
    sums, boxes = _sums(e, image, axes), e.of(op.boxes)
    lines: list[_Line] = []
    for axis, start, count in zip(axes, (1, 0), ints(op.size), strict=True):
        box = boxes.part(1, start, 1), boxes.part(1, start + 2, 1)
        shape = [1] * len(image.shape)
        shape[0], shape[axis] = boxes.shape[0], count
        ends = _line(e, box, count, image.shape[axis])
        lines.append(_Line(*(x.reshape(*shape) for x in ends)))
    rows, columns = lines

    def corner(row: Expression, column: Expression) -> Expression:
        return e.emit(GatherOp.at(sums.ssa, [row.ssa, column.ssa], axes))

    below = corner(rows.end, columns.end) - corner(rows.end, columns.first)
    above = corner(rows.first, columns.end) - corner(rows.first, columns.first)
    pixels = (rows.end - rows.first) * (columns.end - columns.first)
    count = e.maximum(pixels, 1).cast("float32")
    return [((below - above).cast("float32") / count).ssa]
