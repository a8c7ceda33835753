"""Steps that move whole pixels: slices, padding and permuted axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.image import NormalizeOp
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.dialects.pipe import crop
from devproc.dialects.pipe.base.layout import image_axes, image_size
from devproc.dialects.pipe.geometry import ResizeOp
from devproc.ir.types import DTYPES, is_float, tensor_of
from devproc.transforms.tensor.pipe_to_nn import geometry
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


def _axes(op: Operation) -> tuple[int, int]:
    return image_axes(op.name, tensor_of(op.operands[0]))


def _is_transposed(value: SSAValue) -> bool:
    """Whether elementwise ops lead to a transpose; the users are `nn` ops already."""
    for use in value.uses:
        user = use.operation
        if isinstance(user, TransposeOp):
            permutation = ints(user.permutation)
            return permutation != tuple(range(len(permutation)))
        if isinstance(user, PointwiseOp | NormalizeOp | ReshapeOp):
            return _is_transposed(user.results[0])
    return False


def _rows(op: Operation, x: Expression) -> tuple[Expression, tuple[int, int]]:
    """The image with the axes after its last spatial one merged into it, and the size
    of a pixel along H and W: whole rows are then moved by vectors.

    Not before a transpose, which reads channel by channel in any case.
    """
    if _is_transposed(op.results[0]):
        return x, (1, 1)
    height, width = _axes(op)
    last = max(height, width)
    unit = prod(x.shape[last + 1 :])
    merged = x.reshape(*x.shape[:last], x.shape[last] * unit)
    return merged, (unit if height == last else 1, unit if width == last else 1)


def _crop(op: crop.CropOp, e: Expressions) -> Sequence[SSAValue]:
    x, units = _rows(op, e.of(op.operand))
    for axis, unit, start, size in zip(
        _axes(op), units, ints(op.offset), ints(op.size), strict=True
    ):
        x = x.part(axis, start * unit, size * unit)
    return [x.reshape(*tensor_of(op.result).get_shape()).ssa]


def _center_crop(op: crop.CenterCropOp, e: Expressions) -> Sequence[SSAValue]:
    x, units = _rows(op, e.of(op.operand))
    for axis, unit, size, (low, high, first) in zip(
        _axes(op), units, ints(op.size), op.plan(), strict=True
    ):
        x = bordered(x, axis, low * unit, high * unit)
        x = x.part(axis, first * unit, size * unit)
    return [x.reshape(*tensor_of(op.result).get_shape()).ssa]


def bordered(
    x: Expression, axis: int, low: int, high: int, value: float = 0
) -> Expression:
    """`low` values before an axis and `high` after it."""
    lows, highs = [0] * len(x.shape), [0] * len(x.shape)
    lows[axis], highs[axis] = low, high
    return x.pad(lows, highs, value if is_float(DTYPES[x.dtype]) else int(value))


def _reflected(x: Expression, axis: int, low: int, high: int) -> list[Expression]:
    before = [x.part(axis, low, low, -1)] if low else []
    after = [x.part(axis, x.shape[axis] - 2, high, -1)] if high else []
    return [*before, x, *after]


def _repeated(x: Expression, axis: int, low: int, high: int) -> list[Expression]:
    def wide(first: int, count: int) -> list[Expression]:
        shape = list(x.shape)
        shape[axis] = count
        return [x.part(axis, first, 1).expand(*shape)] if count else []

    return [*wide(0, low), x, *wide(x.shape[axis] - 1, high)]


def _pad(op: crop.PadOp, e: Expressions) -> Sequence[SSAValue]:
    left, top, right, bottom = ints(op.padding)
    borders = ((top, bottom), (left, right))
    x, mode = e.of(op.operand), op.mode.data
    if mode == "constant":
        return [_framed(op, x, borders, op.value.value.data).ssa]
    parts = _reflected if mode == "reflect" else _repeated
    for axis, (low, high) in zip(_axes(op), borders, strict=True):
        x = e.concat(parts(x, axis, low, high), axis)
    return [x.ssa]


def _framed(
    op: Operation, x: Expression, borders: Sequence[tuple[int, int]], value: float
) -> Expression:
    """Constant padding before and after the axes H and W."""
    rows, units = _rows(op, x)
    for axis, unit, (low, high) in zip(_axes(op), units, borders, strict=True):
        rows = bordered(rows, axis, low * unit, high * unit, value)
    return rows.reshape(*tensor_of(op.results[0]).get_shape())


def _letterbox(op: crop.LetterboxOp, e: Expressions) -> Sequence[SSAValue]:
    type_ = tensor_of(op.operand)
    inner, borders = crop.letterbox_plan(type_, op.properties)
    x = e.of(op.operand)
    if inner != image_size("letterbox", type_):
        properties = crop.letterbox_resize(type_, op.properties)
        resize = ResizeOp.build_op([op.operand], properties)
        (small,) = geometry.LOWERINGS[ResizeOp](resize, e)
        resize.erase()
        x = e.of(small)
    return [_framed(op, x, borders, op.value.value.data).ssa]


def _reversed(x: Expression, axis: int) -> Expression:
    size = x.shape[axis]
    return x.part(axis, size - 1, size, -1) if size else x


def _flip(op: crop.FlipOp, e: Expressions) -> Sequence[SSAValue]:
    x, (height, width) = e.of(op.operand), _axes(op)
    if op.direction.data == "horizontal":
        return [_reversed(x, width).ssa]
    if height < width:
        x, _ = _rows(op, x)
    return [_reversed(x, height).reshape(*tensor_of(op.result).get_shape()).ssa]


def _rotate(op: crop.RotateOp, e: Expressions) -> Sequence[SSAValue]:
    x, turns = e.of(op.operand), int_of(op.turns) % 4
    height, width = _axes(op)
    if turns in (2, 3):
        x = _reversed(x, height)
    if turns in (1, 2):
        x = _reversed(x, width)
    if turns % 2:
        order = list(range(len(x.shape)))
        order[height], order[width] = width, height
        x = x.transpose(*order)
    return [x.ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    crop.CenterCropOp: _center_crop,
    crop.CropOp: _crop,
    crop.FlipOp: _flip,
    crop.LetterboxOp: _letterbox,
    crop.PadOp: _pad,
    crop.RotateOp: _rotate,
}
"""op class -> its lowering."""
