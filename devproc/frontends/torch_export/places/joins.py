"""ATen operators that join tensors and repeat them.

Their rows stand in the table of the family `shape`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import XorOp
from devproc.dialects.nn.pointwise import SubOp
from devproc.dialects.nn.shape import ConcatOp, ExpandOp, ReshapeOp, SliceOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
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


def _stack_along(axis: int) -> Callable[..., SSAValue]:
    """hstack, vstack, dstack, column_stack: dimensions are added, then joined."""

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

    return build


def _repeat(b: GraphBuilder, x: SSAValue, repeats: Sequence[int]) -> SSAValue:
    """Each dimension repeated as a whole: (1, size) expanded to (times, size)."""
    rank = len(b.result.get_shape())
    times = [*[1] * (rank - len(repeats)), *repeats]
    sizes = [*[1] * (rank - len(shape_of(x))), *shape_of(x)]
    return _expanded_pairs(
        b, x, [(1, s) for s in sizes], list(zip(times, sizes, strict=True))
    )


def _expanded_pairs(
    b: GraphBuilder,
    x: SSAValue,
    have: Sequence[tuple[int, int]],
    want: Sequence[tuple[int, int]],
) -> SSAValue:
    """Expanded where a dimension is split in two; those that stay are not split."""
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
    """Each element repeated: (size, 1) expanded to (size, times)."""
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
    grids: list[SSAValue] = []
    for x, axis in zip(tensors, axes, strict=True):
        line = [size_of(x) if d == axis else 1 for d in range(len(tensors))]
        grids.append(expanded(b, b.reshape(x, line), b.result.get_shape()))
    return tuple(grids)


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
    """`x` with every `step`-th slice from `start` on replaced by those of `source`.

    With gaps, the source is joined with what lies between, and the pairs interleaved.
    """
    source = b.cast(source, tensor_of(x).element_type)
    size, count = shape_of(x)[axis], shape_of(source)[axis]
    if count == 0:
        return x
    if step > 1 and count > 1:
        places = list(range(start, start + count * step, step))
        parts = [part(b, x, axis, 0, start)]
        for i, place in enumerate(places):
            end = min(place + step, size) if i < count - 1 else size
            parts += [
                part(b, source, axis, i, 1),
                part(b, x, axis, place + 1, end - place - 1),
            ]
        return joined(b, parts, axis)
    behind = start + count
    return joined(
        b,
        [
            part(b, x, axis, 0, start),
            source,
            part(b, x, axis, behind, size - behind),
        ],
        axis,
    )


def _cartesian_product(b: GraphBuilder, tensors: Sequence[SSAValue]) -> SSAValue:
    if len(tensors) == 1:
        return tensors[0]
    sizes = [size_of(x) for x in tensors]
    columns: list[SSAValue] = []
    for axis, x in enumerate(tensors):
        line = [size_of(x) if d == axis else 1 for d in range(len(sizes))]
        grid = expanded(b, b.reshape(x, line), sizes)
        columns.append(b.reshape(grid, [element_count(sizes), 1]))
    return joined(b, columns, 1)


def _difference(
    b: GraphBuilder,
    x: SSAValue,
    order: int = 1,
    dim: int = -1,
    before: SSAValue | None = None,
    behind: SSAValue | None = None,
) -> SSAValue:
    """Each element without the one before it, `order` times."""
    if order == 0:
        return x
    element = b.result.element_type
    axis = axis_of(dim, len(shape_of(x)))
    parts = [b.cast(v, element) for v in (before, x, behind) if v is not None]
    x = joined(b, parts, axis)
    for _ in range(min(order, shape_of(x)[axis])):
        size = shape_of(x)[axis] - 1
        pair = [part(b, x, axis, start, size) for start in (1, 0)]
        x = b.emit((XorOp if is_bool(element) else SubOp).build_op(pair))
    return x


_CAT = ImportRule(_cat, (ConcatOp,))
_REPEAT = ImportRule(_repeat, (ReshapeOp, ExpandOp))
_STACK = (ReshapeOp, ConcatOp)


def _stacks(axis: int) -> ImportRule:
    return ImportRule(_stack_along(axis), _STACK)


ROWS: dict[str, ImportRule] = {
    "aten.cartesian_prod.default": ImportRule(
        _cartesian_product, (ReshapeOp, ExpandOp, ConcatOp)
    ),
    "aten.cat.default": _CAT,
    "aten.column_stack.default": _stacks(1),
    "aten.concat.default": _CAT,
    "aten.concatenate.default": _CAT,
    "aten.diff.default": ImportRule(_difference, (SliceOp, SubOp, XorOp)),
    "aten.dstack.default": _stacks(2),
    "aten.hstack.default": _stacks(1),
    "aten.meshgrid.default": ImportRule(_meshgrid, (ReshapeOp, ExpandOp)),
    "aten.meshgrid.indexing": ImportRule(_meshgrid, (ReshapeOp, ExpandOp)),
    "aten.repeat.default": _REPEAT,
    "aten.repeat_interleave.self_int": ImportRule(
        _repeat_interleave, (ReshapeOp, ExpandOp)
    ),
    "aten.row_stack.default": _stacks(0),
    "aten.select_scatter.default": ImportRule(_select_scatter, (SliceOp, ConcatOp)),
    "aten.slice_scatter.default": ImportRule(_slice_scatter, (SliceOp, ConcatOp)),
    "aten.stack.default": ImportRule(_stack, _STACK),
    "aten.tile.default": _REPEAT,
    "aten.vstack.default": _stacks(0),
}
"""ATen overload -> how to build it."""
