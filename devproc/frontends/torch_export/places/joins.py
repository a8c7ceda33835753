"""ATen operators that join and repeat tensors; rows of `shape`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import XorOp
from devproc.dialects.nn.pointwise import SubOp
from devproc.dialects.nn.shape import ConcatOp, ExpandOp, ReshapeOp, SliceOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places.pieces import expanded, joined, part
from devproc.ir.dtypes import element_count
from devproc.ir.types import is_bool, tensor_of


def _cat(b: GraphBuilder, tensors: Sequence[SSAValue], dim: int = 0) -> SSAValue:
    shape = b.result.get_shape()
    # PyTorch skips empty vectors, whatever the rank of the others.
    parts = [x for x in tensors if shape_of(x) != (0,) or len(shape) == 1]
    cast = [b.cast(x, b.result.element_type) for x in parts]
    return joined(b, cast, axis_of(dim, len(shape)))


def _stack(b: GraphBuilder, tensors: Sequence[SSAValue], dim: int = 0) -> SSAValue:
    shape = list(b.result.get_shape())
    axis = axis_of(dim, len(shape))
    shape[axis] = 1
    parts = [b.reshape(b.cast(x, b.result.element_type), shape) for x in tensors]
    return joined(b, parts, axis)


def _stacks(axis: int) -> ImportRule:
    """hstack, vstack, dstack, column_stack: dimensions are added, then concatenated."""

    def build(b: GraphBuilder, tensors: Sequence[SSAValue]) -> SSAValue:
        result = b.result.get_shape()
        along = min(axis, len(result) - 1)
        parts: list[SSAValue] = []
        for x in tensors:
            shape = list(result)
            shape[along] = 1
            shape[along] = size_of(x) // max(element_count(shape), 1)
            parts.append(b.reshape(b.cast(x, b.result.element_type), shape))
        return joined(b, parts, along)

    return ImportRule(build, _STACK)


def _repeat(b: GraphBuilder, x: SSAValue, repeats: Sequence[int]) -> SSAValue:
    """Repeats each dimension as a whole: (1, size) is expanded to (times, size)."""
    rank = len(b.result.get_shape())
    times = [*[1] * (rank - len(repeats)), *repeats]
    sizes = [*[1] * (rank - len(shape_of(x))), *shape_of(x)]
    want = list(zip(times, sizes, strict=True))
    return _expanded_pairs(b, x, [(1, size) for size in sizes], want)


def _expanded_pairs(
    b: GraphBuilder,
    x: SSAValue,
    have: Sequence[tuple[int, int]],
    want: Sequence[tuple[int, int]],
) -> SSAValue:
    """Expands dimensions split in two; dimensions that do not grow are not split."""
    old: list[int] = []
    new: list[int] = []
    for h, w in zip(have, want, strict=True):
        old += [h[0] * h[1]] if h == w else h
        new += [w[0] * w[1]] if h == w else w
    x = expanded(b, b.reshape(x, old), new)
    return b.reshape(x, b.result.get_shape())


def _repeat_interleave(
    b: GraphBuilder,
    x: SSAValue,
    repeats: int,
    dim: int | None = None,
    output_size: int | None = None,
) -> SSAValue:
    """Repeats each element: (size, 1) is expanded to (size, times)."""
    if dim is None:
        x, dim = b.reshape(x, [size_of(x)]), 0
    shape = shape_of(x)
    axis = axis_of(dim, len(shape))
    have = [(size, 1) for size in shape]
    want = [(size, repeats if d == axis else 1) for d, size in enumerate(shape)]
    return _expanded_pairs(b, x, have, want)


def _meshgrid(
    b: GraphBuilder, tensors: Sequence[SSAValue], indexing: str = "ij"
) -> tuple[SSAValue, ...]:
    axes = list(range(len(tensors)))
    if indexing == "xy" and len(axes) > 1:
        axes[0], axes[1] = 1, 0
    return tuple(
        _grid(b, x, axis, b.result.get_shape())
        for x, axis in zip(tensors, axes, strict=True)
    )


def _grid(b: GraphBuilder, x: SSAValue, axis: int, shape: Sequence[int]) -> SSAValue:
    """A vector along an axis, broadcast to a shape."""
    line = [size_of(x) if d == axis else 1 for d in range(len(shape))]
    return expanded(b, b.reshape(x, line), shape)


def _select_scatter(
    b: GraphBuilder, x: SSAValue, source: SSAValue, dim: int, index: int
) -> SSAValue:
    shape = list(shape_of(x))
    axis = axis_of(dim, len(shape))
    index %= shape[axis]
    shape[axis] = 1
    return _replaced(b, x, b.reshape(source, shape), axis, index)


def _slice_scatter(
    b: GraphBuilder,
    x: SSAValue,
    source: SSAValue,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> SSAValue:
    axis = axis_of(dim, len(shape_of(x)))
    first, _, _ = slice(start, end, step).indices(shape_of(x)[axis])
    return _replaced(b, x, source, axis, first, step)


def _replaced(
    b: GraphBuilder, x: SSAValue, source: SSAValue, axis: int, start: int, step: int = 1
) -> SSAValue:
    """`x` with every `step`-th slice from `start` on replaced by those of `source`,
    concatenated with the slices in between.
    """
    source = b.cast(source, tensor_of(x).element_type)
    size, count = shape_of(x)[axis], shape_of(source)[axis]
    if count == 0:
        return x
    parts = [part(b, x, axis, 0, start)]
    width = count if step == 1 else 1
    for i in range(0, count, width):
        end = start + i * step + width
        stop = end + step - 1 if i + width < count else size
        parts += [part(b, source, axis, i, width), part(b, x, axis, end, stop - end)]
    return joined(b, parts, axis)


def _cartesian_product(b: GraphBuilder, tensors: Sequence[SSAValue]) -> SSAValue:
    if len(tensors) == 1:
        return tensors[0]
    sizes = [size_of(x) for x in tensors]
    columns = [
        b.reshape(_grid(b, x, axis, sizes), [element_count(sizes), 1])
        for axis, x in enumerate(tensors)
    ]
    return joined(b, columns, 1)


def _difference(
    b: GraphBuilder,
    x: SSAValue,
    order: int = 1,
    dim: int = -1,
    before: SSAValue | None = None,
    after: SSAValue | None = None,
) -> SSAValue:
    """Differences of neighbouring elements, `order` times."""
    if order == 0:
        return x
    element = b.result.element_type
    axis = axis_of(dim, len(shape_of(x)))
    parts = [b.cast(v, element) for v in (before, x, after) if v is not None]
    x = joined(b, parts, axis)
    for _ in range(min(order, shape_of(x)[axis])):
        size = shape_of(x)[axis] - 1
        pair = [part(b, x, axis, start, size) for start in (1, 0)]
        x = b.emit((XorOp if is_bool(element) else SubOp).build_op(pair))
    return x


_GRID = (ReshapeOp, ExpandOp)
_STACK = (ReshapeOp, ConcatOp)
_REPLACE = (SliceOp, ConcatOp)

ROWS: dict[str, ImportRule] = {
    "aten.cartesian_prod.default": ImportRule(_cartesian_product, (*_GRID, ConcatOp)),
    **rows_of(ImportRule(_cat, (ConcatOp,)), "cat concat concatenate"),
    "aten.diff.default": ImportRule(_difference, (SliceOp, SubOp, XorOp)),
    **rows_of(_stacks(0), "row_stack vstack"),
    **rows_of(_stacks(1), "column_stack hstack"),
    **rows_of(_stacks(2), "dstack"),
    **rows_of(ImportRule(_meshgrid, _GRID), "meshgrid meshgrid.indexing"),
    **rows_of(ImportRule(_repeat, _GRID), "repeat tile"),
    "aten.repeat_interleave.self_int": ImportRule(_repeat_interleave, _GRID),
    "aten.select_scatter.default": ImportRule(_select_scatter, _REPLACE),
    "aten.slice_scatter.default": ImportRule(_slice_scatter, _REPLACE),
    "aten.stack.default": ImportRule(_stack, _STACK),
}
"""ATen overload -> import rule."""
