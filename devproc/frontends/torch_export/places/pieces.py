"""ATen operators that cut tensors into pieces and put their parts in another order.

Their rows stand in the table of the family `shape`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from xdsl.ir import SSAValue

from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.shape import (
    ConcatOp,
    ExpandOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    shape_of,
    size_of,
)
from devproc.ir.dtypes import element_count

MOST_PARTS = 8
"""Parts of one `nn.concat`: each element looks at all of them."""


def part(
    b: GraphBuilder, x: SSAValue, axis: int, start: int, size: int, step: int = 1
) -> SSAValue:
    """`size` elements of an axis; the tensor itself where that is all of it."""
    if start == 0 and step == 1 and size == shape_of(x)[axis]:
        return x
    return b.emit(SliceOp.along(x, axis, start if size else 0, size, step))


def joined(b: GraphBuilder, parts: Sequence[SSAValue], axis: int) -> SSAValue:
    """Tensors of one dtype one behind the other; many of them in several levels."""
    left: list[SSAValue] = [p for p in parts if shape_of(p)[axis]] or [parts[0]]
    while len(left) > 1:
        level: list[SSAValue] = []
        for i in range(0, len(left), MOST_PARTS):
            group = left[i : i + MOST_PARTS]
            whole = ConcatOp.along(group, axis) if len(group) > 1 else None
            level.append(b.emit(whole) if whole else group[0])
        left = level
    return left[0]


def expanded(b: GraphBuilder, x: SSAValue, shape: Sequence[int]) -> SSAValue:
    """`x` broadcast to a shape."""
    if shape_of(x) == tuple(shape):
        return x
    if size_of(x) == element_count(shape):
        return b.reshape(x, shape)
    return b.emit(ExpandOp.to(x, shape))


def _expand(
    b: GraphBuilder, x: SSAValue, *_: object, implicit: bool = False
) -> SSAValue:
    return expanded(b, x, b.result.get_shape())


def _broadcast_tensors(
    b: GraphBuilder, tensors: Sequence[SSAValue]
) -> tuple[SSAValue, ...]:
    return tuple(expanded(b, x, b.result.get_shape()) for x in tensors)


def _slice(
    b: GraphBuilder,
    x: SSAValue,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> SSAValue:
    axis = axis_of(dim, len(shape_of(x)))
    first, _, _ = slice(start, end, step).indices(shape_of(x)[axis])
    return part(b, x, axis, first, b.result.get_shape()[axis], step)


def _select(b: GraphBuilder, x: SSAValue, dim: int, index: int) -> SSAValue:
    shape = shape_of(x)
    axis = axis_of(dim, len(shape))
    picked = part(b, x, axis, index % shape[axis], 1)
    return b.reshape(picked, b.result.get_shape())


def _narrow(
    b: GraphBuilder, x: SSAValue, dim: int, start: int, length: int
) -> SSAValue:
    axis = axis_of(dim, len(shape_of(x)))
    return part(b, x, axis, start % max(shape_of(x)[axis], 1), length)


def _pieces(b: GraphBuilder, x: SSAValue, axis: int) -> tuple[SSAValue, ...]:
    """Pieces of the sizes that the exporter knows, one behind the other."""
    sizes = [t.get_shape()[axis] for t in b.results]
    starts = [0, *accumulate(sizes)]
    return tuple(
        part(b, x, axis, start, size)
        for start, size in zip(starts, sizes, strict=False)
    )


def _split(
    b: GraphBuilder, x: SSAValue, sizes: object, dim: int = 0
) -> tuple[SSAValue, ...]:
    return _pieces(b, x, axis_of(dim, len(shape_of(x))))


def _tensor_split(
    b: GraphBuilder, x: SSAValue, sections: int | Sequence[int], dim: int = 0
) -> tuple[SSAValue, ...]:
    axis = axis_of(dim, len(shape_of(x)))
    if isinstance(sections, int):
        return _pieces(b, x, axis)
    # Unlike the pieces of a split, these may overlap or leave some out.
    size, found = shape_of(x)[axis], list[SSAValue]()
    for start, end in zip([0, *sections], [*sections, size], strict=True):
        first, last, _ = slice(start, end).indices(size)
        found.append(part(b, x, axis, first, max(last - first, 0)))
    return tuple(found)


def _split_at(axis: int) -> Callable[..., tuple[SSAValue, ...]]:
    def build(
        b: GraphBuilder, x: SSAValue, sections: int | Sequence[int]
    ) -> tuple[SSAValue, ...]:
        # `hsplit` cuts a vector along its one dimension.
        dim = min(axis, len(shape_of(x)) - 1)
        return _tensor_split(b, x, sections, dim)

    return build


def _unbind(b: GraphBuilder, x: SSAValue, dim: int = 0) -> tuple[SSAValue, ...]:
    axis = axis_of(dim, len(shape_of(x)))
    return tuple(
        b.reshape(part(b, x, axis, i, 1), type_.get_shape())
        for i, type_ in enumerate(b.results)
    )


def _flip(b: GraphBuilder, x: SSAValue, dims: Sequence[int]) -> SSAValue:
    shape = shape_of(x)
    for dim in dims:
        axis = axis_of(dim, len(shape))
        if shape and shape[axis] > 1:
            x = part(b, x, axis, shape[axis] - 1, shape[axis], -1)
    return x


def _roll(
    b: GraphBuilder, x: SSAValue, shifts: int | Sequence[int], dims: Sequence[int]
) -> SSAValue:
    shifts = [shifts] if isinstance(shifts, int) else shifts
    if not dims:
        flat = _rolled(b, b.reshape(x, [size_of(x)]), 0, shifts[0])
        return b.reshape(flat, shape_of(x))
    for dim, shift in zip(dims, shifts, strict=True):
        x = _rolled(b, x, axis_of(dim, len(shape_of(x))), shift)
    return x


def _rolled(b: GraphBuilder, x: SSAValue, axis: int, shift: int) -> SSAValue:
    size = shape_of(x)[axis] if shape_of(x) else 0
    cut = -shift % size if size else 0
    if cut == 0:
        return x
    return joined(
        b, [part(b, x, axis, cut, size - cut), part(b, x, axis, 0, cut)], axis
    )


def _rotate(
    b: GraphBuilder, x: SSAValue, times: int = 1, dims: Sequence[int] = (0, 1)
) -> SSAValue:
    first, second = (axis_of(d, len(shape_of(x))) for d in dims)
    order = list(range(len(shape_of(x))))
    order[first], order[second] = second, first
    if times % 4 == 1:
        return b.transpose(_flip(b, x, [second]), order)
    if times % 4 == 3:
        return b.transpose(_flip(b, x, [first]), order)
    return _flip(b, x, [first, second]) if times % 4 else x


def _pixel_shuffle(b: GraphBuilder, x: SSAValue, factor: int) -> SSAValue:
    *batch, channels, height, width = shape_of(x)
    depth, n = channels // factor**2, len(batch)
    x = b.reshape(x, [*batch, depth, factor, factor, height, width])
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return b.reshape(b.transpose(x, order), b.result.get_shape())


def _pixel_unshuffle(b: GraphBuilder, x: SSAValue, factor: int) -> SSAValue:
    *batch, channels, height, width = shape_of(x)
    n = len(batch)
    split = [channels, height // factor, factor, width // factor, factor]
    x = b.reshape(x, [*batch, *split])
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return b.reshape(b.transpose(x, order), b.result.get_shape())


def _channel_shuffle(b: GraphBuilder, x: SSAValue, groups: int) -> SSAValue:
    batch, channels, *rest = shape_of(x)
    if channels == 0:
        return x
    x = b.reshape(x, [batch, groups, channels // groups, *rest])
    order = [0, 2, 1, *range(3, 3 + len(rest))]
    return b.reshape(b.transpose(x, order), b.result.get_shape())


def _copy(
    b: GraphBuilder, x: SSAValue, source: SSAValue, non_blocking: bool = False
) -> SSAValue:
    """What `x.copy_(source)` leaves in x."""
    return expanded(b, b.cast(source, b.result.element_type), b.result.get_shape())


def _sequence(b: GraphBuilder, tensors: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    """Each in the shape that the exporter knows."""
    return tuple(
        b.reshape(x, type_.get_shape())
        for x, type_ in zip(tensors, b.results, strict=True)
    )


_EXPAND = ImportRule(_expand, (ExpandOp,))
_NARROW = ImportRule(_narrow, (SliceOp,))
_SELECT = ImportRule(_select, (SliceOp, ReshapeOp))
_SLICE = ImportRule(_slice, (SliceOp,))
_SPLIT = ImportRule(_split, (SliceOp,))
_TENSOR_SPLIT = ImportRule(_tensor_split, (SliceOp,))
_UNBIND = ImportRule(_unbind, (SliceOp, ReshapeOp))
_SHUFFLE = (ReshapeOp, TransposeOp)


def _flips(axis: int) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue) -> SSAValue:
        return _flip(b, x, [axis])

    return ImportRule(build, (SliceOp,))


def _identity(b: GraphBuilder, x: SSAValue) -> SSAValue:
    return x


def _splits(axis: int) -> ImportRule:
    return ImportRule(_split_at(axis), (SliceOp,))


ROWS: dict[str, ImportRule] = {
    "aten.alias_copy.default": ImportRule(_identity),
    "aten.atleast_1d.Sequence": ImportRule(_sequence, (ReshapeOp,)),
    "aten.atleast_2d.Sequence": ImportRule(_sequence, (ReshapeOp,)),
    "aten.atleast_3d.Sequence": ImportRule(_sequence, (ReshapeOp,)),
    "aten.broadcast_tensors.default": ImportRule(_broadcast_tensors, (ExpandOp,)),
    "aten.broadcast_to.default": _EXPAND,
    "aten.channel_shuffle.default": ImportRule(_channel_shuffle, _SHUFFLE),
    "aten.chunk.default": _SPLIT,
    "aten.copy.default": ImportRule(_copy, (CastOp, ExpandOp)),
    "aten.dsplit.array": _splits(2),
    "aten.dsplit.int": _splits(2),
    "aten.expand.default": _EXPAND,
    "aten.expand_as.default": _EXPAND,
    "aten.expand_copy.default": _EXPAND,
    "aten.flip.default": ImportRule(_flip, (SliceOp,)),
    "aten.fliplr.default": _flips(1),
    "aten.flipud.default": _flips(0),
    "aten.hsplit.array": _splits(1),
    "aten.hsplit.int": _splits(1),
    "aten.narrow.default": _NARROW,
    "aten.narrow_copy.default": _NARROW,
    "aten.native_channel_shuffle.default": ImportRule(_channel_shuffle, _SHUFFLE),
    "aten.pixel_shuffle.default": ImportRule(_pixel_shuffle, _SHUFFLE),
    "aten.pixel_unshuffle.default": ImportRule(_pixel_unshuffle, _SHUFFLE),
    "aten.roll.default": ImportRule(_roll, (SliceOp, ConcatOp)),
    "aten.rot90.default": ImportRule(_rotate, (SliceOp, TransposeOp)),
    "aten.select.int": _SELECT,
    "aten.select_copy.int": _SELECT,
    "aten.slice.Tensor": _SLICE,
    "aten.slice_copy.Tensor": _SLICE,
    "aten.split.Tensor": _SPLIT,
    "aten.split.default": _SPLIT,
    "aten.split.sizes": _SPLIT,
    "aten.split_copy.Tensor": _SPLIT,
    "aten.split_with_sizes.default": _SPLIT,
    "aten.split_with_sizes_copy.default": _SPLIT,
    "aten.tensor_split.indices": _TENSOR_SPLIT,
    "aten.tensor_split.sections": _TENSOR_SPLIT,
    "aten.unbind.int": _UNBIND,
    "aten.unbind_copy.int": _UNBIND,
    "aten.unsafe_chunk.default": _SPLIT,
    "aten.unsafe_split.Tensor": _SPLIT,
    "aten.unsafe_split_with_sizes.default": _SPLIT,
    "aten.vsplit.array": _splits(0),
    "aten.vsplit.int": _splits(0),
}
"""ATen overload -> how to build it."""
