"""Warps: gathers at computed positions, which are constants for a fixed matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import floats, ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.elementary import RoundOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.pipe import warp
from devproc.dialects.pipe.base.layout import image_axes, image_size
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.formulas.boxes_cut import crop_and_resize
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule
from devproc.transforms.tensor.pipe_to_nn.formulas.sampling import grid_sample

Places = tuple[Expression, Expression]
"""The position of each result pixel in the image: y and x, each (height, width)."""


@dataclass(frozen=True)
class _Warp:
    """An affine step: its image, and the alignment of position tables with its axes."""

    op: warp.AffineOp
    e: Expressions

    @property
    def matrix(self) -> tuple[float, ...]:
        """a, b, c, d, e, f."""
        return floats(self.op.matrix)

    @property
    def size(self) -> tuple[int, ...]:
        """Height and width of the result."""
        return ints(self.op.size)

    @property
    def image_size(self) -> tuple[int, int]:
        """Height and width of the image."""
        return image_size("affine", tensor_of(self.op.operand))

    def table(self, values: Expression) -> Expression:
        """Values (height, width) at the axes of the image."""
        axes, rank = image_axes("affine", tensor_of(self.op.operand)), 0
        rank = len(tensor_of(self.op.operand).get_shape())
        if axes[0] > axes[1]:
            values = values.transpose(1, 0)
        sizes = dict(zip(sorted(axes), values.shape, strict=True))
        return values.reshape(*(sizes.get(axis, 1) for axis in range(rank)))

    def pixels(self, y: Expression, x: Expression) -> Expression:
        """The image's elements at integer positions, clamped to the image."""
        held = [
            self.e.minimum(self.e.maximum(index, 0), size - 1).cast("int32")
            for index, size in zip((y, x), self.image_size, strict=True)
        ]
        axes = image_axes("affine", tensor_of(self.op.operand))
        indices = [self.table(index).ssa for index in held]
        return self.e.emit(GatherOp.at(self.op.operand, indices, axes))

    def inside(self, y: Expression, x: Expression) -> Expression:
        """Whether positions are within the image, aligned with its axes."""
        height, width = self.image_size
        rows, columns = (y >= 0) & (y < height), (x >= 0) & (x < width)
        return self.table(rows & columns)

    def bordered(self, inside: Expression, pixels: Expression) -> Expression:
        """The pixels, with the padding value outside of the image."""
        value = self.op.value.value.data
        return self.e.where(
            inside, pixels, int(value) if pixels.dtype == "uint8" else value
        )

    def affine(self, half: float) -> Places:
        """matrix * (x + half, y + half), in float64 and in the order of the terms."""
        a, b, c, d, e, f = self.matrix
        y, x = (self.line(n) + half for n in self.size)
        y = y.reshape(-1, 1)
        return x * d + y * e + f, x * a + y * b + c

    def line(self, count: int) -> Expression:
        """0, 1, ... in float64."""
        return self.e.line(count).cast("float64")


def _corners(w: _Warp, y: Expression, x: Expression) -> list[tuple[Places, Places]]:
    """The four neighbours of positions from the top left one on, and the distances."""
    top, left = y.floor(), x.floor()
    way = (w.table(y - top), w.table(x - left))
    rows, columns = top.cast("int64"), left.cast("int64")
    return [((rows + i, columns + j), way) for i in (0, 1) for j in (0, 1)]


def _between(found: Sequence[Expression], way: Places) -> Expression:
    """Bilinear interpolation between four pixels, along x first."""
    (top, right), (below, last) = found[:2], found[2:]
    down, across = way
    upper, lower = (a + (b - a) * across for a, b in ((top, right), (below, last)))
    return upper + (lower - upper) * down


def _pillow(w: _Warp) -> Expression:
    if w.op.mode.data == "nearest":
        y, x = _pillow_nearest(w)
        return w.bordered(w.inside(y, x), w.pixels(y, x))
    y, x = w.affine(0.5)
    inside = w.inside(y, x)
    corners = _corners(w, y - 0.5, x - 0.5)
    found = [w.pixels(*place).cast("float64") for place, _ in corners]
    value = _between(found, corners[0][1]).cast(w.e.of(w.op.operand).dtype)
    return w.bordered(inside, value)


def _pillow_nearest(w: _Warp) -> Places:
    """Integer positions: accumulated along an axis, else with 16 fractional bits."""
    a, b, c, d, e, f = w.matrix
    if b == 0 and d == 0:
        y = _summed(w.e, f + e * 0.5, e, w.size[0])
        x = _summed(w.e, c + a * 0.5, a, w.size[1])
        return y.reshape(-1, 1) + x * 0, x + y.reshape(-1, 1) * 0
    y, x = (w.e.line(n) for n in w.size)
    y = y.reshape(-1, 1)

    def fixed(number: float) -> int:
        return floor(number * 65536.0 + 0.5)

    start = fixed(f + d * 0.5 + e * 0.5), fixed(c + a * 0.5 + b * 0.5)
    rows = x * fixed(d) + y * fixed(e) + start[0]
    columns = x * fixed(a) + y * fixed(b) + start[1]
    return rows >> 16, columns >> 16


def _summed(e: Expressions, start: float, step: float, count: int) -> Expression:
    """The whole parts of start, start + step, ... as Pillow adds them; -1 below 0."""
    found: list[int] = []
    place = start
    for _ in range(count):
        found.append(int(place) if place >= 0 else -1)
        place += step
    limit = ConstantOp.LIMIT
    parts = [found[i : i + limit] for i in range(0, count, limit)]
    return e.concat([e.constant(part, "int64", [len(part)]) for part in parts], 0)


def _inverse(matrix: Sequence[float]) -> tuple[float, ...]:
    """From the result to the image, as `cv2.warpAffine` inverts; zeros without one."""
    a, b, c, d, e, f = matrix
    determinant = a * e - b * d
    factor = 1 / determinant if determinant else 0.0
    first, second = (e * factor, -b * factor), (-d * factor, a * factor)
    return (
        *(*first, -first[0] * c - first[1] * f),
        *(*second, -second[0] * c - second[1] * f),
    )


def _opencv(w: _Warp) -> Expression:
    """Positions in float32: the row's term is rounded before the column's is added."""
    a, b, c, d, e, f = _inverse(w.matrix)
    columns, rows = w.line(w.size[1]), w.line(w.size[0]).reshape(-1, 1)

    def place(across: float, down: float, start: float) -> Expression:
        row = (rows * down + start).cast("float32").cast("float64")
        factor = w.e.constant(across, "float32").cast("float64")
        return (columns * factor + row).cast("float32")

    y, x = place(d, e, f), place(a, b, c)
    edge = w.op.border.data == "edge"

    def pixels(y: Expression, x: Expression) -> Expression:
        found = w.pixels(y, x)
        return found if edge else w.bordered(w.inside(y, x), found)

    if w.op.mode.data == "nearest":
        return pixels(*(w.e.apply(RoundOp, p).cast("int64") for p in (y, x)))
    corners = _corners(w, y, x)
    found = [pixels(*place).cast("float32") for place, _ in corners]
    value = _between(found, corners[0][1])
    dtype = w.e.of(w.op.operand).dtype
    return value if dtype == "float32" else w.e.apply(RoundOp, value).cast(dtype)


def _torchvision(w: _Warp) -> Expression:
    """A grid from the matrix, as its `affine_grid` computes it, and `grid_sample`."""
    e, (height, width) = w.e, w.size
    middles = [e.line(n).cast("float32") + (1.0 - n) * 0.5 for n in (width, height)]
    x = middles[0].reshape(1, width, 1).expand(height, width, 1)
    y = middles[1].reshape(height, 1, 1).expand(height, width, 1)
    one = e.constant(1.0, "float32", []).expand(height, width, 1)
    base = e.concat([x, y, one], 2).reshape(height * width, 3)
    theta = e.constant(w.matrix, "float32", [2, 3]).transpose(1, 0)
    halves = [0.5 * n for n in reversed(w.image_size)]
    grid = base.matmul(theta / e.constant(halves, "float32", [2]))
    image = e.of(w.op.operand)
    axes = image_axes("affine", tensor_of(w.op.operand))
    others = [axis for axis in range(len(image.shape)) if axis not in axes]
    order = [*others, *axes]
    kept = [image.shape[axis] for axis in others]
    flat = image.cast("float32").transpose(*order).reshape(1, -1, *w.image_size)
    mode = warp.GRID_MODES.index(w.op.mode.data)
    read = grid_sample(e, flat, grid.reshape(1, height, width, 2), mode, 0, False)
    back = [order.index(axis) for axis in range(len(order))]
    value = read.reshape(*kept, height, width).transpose(*back)
    if image.dtype == "float32":
        return value
    return e.apply(RoundOp, value).cast(image.dtype)


def _affine(op: warp.AffineOp, e: Expressions) -> Sequence[SSAValue]:
    likes = {"pillow": _pillow, "opencv": _opencv, "torchvision": _torchvision}
    return [likes[op.like.data](_Warp(op, e)).ssa]


def _grid_sample(op: warp.GridSampleOp, e: Expressions) -> Sequence[SSAValue]:
    mode = warp.GRID_MODES.index(op.mode.data)
    padding = warp.GRID_PADDINGS.index(op.padding.data)
    corners = bool(op.align_corners.value.data)
    grid = e.of(op.grid)
    return [grid_sample(e, e.of(op.operand), grid, mode, padding, corners).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    warp.AffineOp: _affine,
    warp.CropAndResizeOp: crop_and_resize,
    warp.GridSampleOp: _grid_sample,
}
"""op class -> its lowering."""
