"""ATen operators that split, slice and reorder tensors; rows of `shape`."""

from __future__ import annotations

from collections.abc import Sequence
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
    rows_of,
    shape_of,
    size_of,
)
from devproc.ir.dtypes import element_count

MOST_PARTS = 8
"""Operands of one `nn.concat`: each element is selected among all of them."""


def part(
    b: GraphBuilder, x: SSAValue, axis: int, start: int, size: int, step: int = 1
) -> SSAValue:
    """`size` elements of an axis; the tensor itself if that is the whole axis."""
    if start == 0 and step == 1 and size == shape_of(x)[axis]:
        return x
    return b.emit(SliceOp.along(x, axis, start if size else 0, size, step))


def joined(b: GraphBuilder, parts: Sequence[SSAValue], axis: int) -> SSAValue:
    """Tensors of one dtype concatenated along an axis, as a tree of `nn.concat`."""
    left: list[SSAValue] = [p for p in parts if shape_of(p)[axis]] or [parts[0]]
    while len(left) > 1:
        groups = [left[i : i + MOST_PARTS] for i in range(0, len(left), MOST_PARTS)]
        left = [
            b.emit(ConcatOp.along(group, axis)) if len(group) > 1 else group[0]
            for group in groups
        ]
    return left[0]


def expanded(b: GraphBuilder, x: SSAValue, shape: Sequence[int]) -> SSAValue:
    """`x` broadcast to a shape."""
    if shape_of(x) == tuple(shape):
        return x
    if size_of(x) == element_count(shape):
        return b.reshape(x, shape)
    return b.emit(ExpandOp.to(x, shape))


def filled(b: GraphBuilder, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    """A value of one element broadcast to a shape."""
    return expanded(b, b.reshape(value, [1] * len(shape)), shape)


def _expand(b: GraphBuilder, x: SSAValue, *_: object, **kwargs: object) -> SSAValue:
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
    """Consecutive pieces, of the sizes that the exporter recorded."""
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
        flat = _roll(b, b.reshape(x, [size_of(x)]), shifts, [0])
        return b.reshape(flat, shape_of(x))
    for dim, shift in zip(dims, shifts, strict=True):
        axis = axis_of(dim, len(shape_of(x)))
        size = shape_of(x)[axis] if shape_of(x) else 0
        cut = -shift % size if size else 0
        if cut:
            pair = [part(b, x, axis, cut, size - cut), part(b, x, axis, 0, cut)]
            x = joined(b, pair, axis)
    return x


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
    """The value of x after `x.copy_(source)`."""
    return expanded(b, b.cast(source, b.result.element_type), b.result.get_shape())


def _sequence(b: GraphBuilder, tensors: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    """Each tensor in the shape that the exporter recorded."""
    return tuple(
        b.reshape(x, type_.get_shape())
        for x, type_ in zip(tensors, b.results, strict=True)
    )


_SHUFFLE = (ReshapeOp, TransposeOp)


def _flips(axis: int) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue) -> SSAValue:
        return _flip(b, x, [axis])

    return ImportRule(build, (SliceOp,))


def _splits(axis: int) -> ImportRule:
    def build(
        b: GraphBuilder, x: SSAValue, sections: int | Sequence[int]
    ) -> tuple[SSAValue, ...]:
        # `hsplit` splits a vector along its only dimension.
        return _tensor_split(b, x, sections, min(axis, len(shape_of(x)) - 1))

    return ImportRule(build, (SliceOp,))


ROWS: dict[str, ImportRule] = {
    **rows_of(
        ImportRule(_sequence, (ReshapeOp,)),
        "atleast_1d.Sequence atleast_2d.Sequence atleast_3d.Sequence",
    ),
    "aten.broadcast_tensors.default": ImportRule(_broadcast_tensors, (ExpandOp,)),
    **rows_of(
        ImportRule(_channel_shuffle, _SHUFFLE),
        "channel_shuffle native_channel_shuffle",
    ),
    "aten.copy.default": ImportRule(_copy, (CastOp, ExpandOp)),
    **rows_of(_splits(0), "vsplit.array vsplit.int"),
    **rows_of(_splits(1), "hsplit.array hsplit.int"),
    **rows_of(_splits(2), "dsplit.array dsplit.int"),
    **rows_of(
        ImportRule(_expand, (ExpandOp,)), "broadcast_to expand expand_as expand_copy"
    ),
    "aten.flip.default": ImportRule(_flip, (SliceOp,)),
    "aten.fliplr.default": _flips(1),
    "aten.flipud.default": _flips(0),
    **rows_of(ImportRule(_narrow, (SliceOp,)), "narrow narrow_copy"),
    "aten.pixel_shuffle.default": ImportRule(_pixel_shuffle, _SHUFFLE),
    "aten.pixel_unshuffle.default": ImportRule(_pixel_unshuffle, _SHUFFLE),
    "aten.roll.default": ImportRule(_roll, (SliceOp, ConcatOp)),
    "aten.rot90.default": ImportRule(_rotate, (SliceOp, TransposeOp)),
    **rows_of(ImportRule(_select, (SliceOp, ReshapeOp)), "select.int select_copy.int"),
    **rows_of(ImportRule(_slice, (SliceOp,)), "slice.Tensor slice_copy.Tensor"),
    **rows_of(
        ImportRule(_split, (SliceOp,)),
        "chunk split.Tensor split split.sizes split_copy.Tensor split_with_sizes "
        "split_with_sizes_copy unsafe_chunk unsafe_split.Tensor "
        "unsafe_split_with_sizes",
    ),
    **rows_of(
        ImportRule(_tensor_split, (SliceOp,)),
        "tensor_split.indices tensor_split.sections",
    ),
    **rows_of(ImportRule(_unbind, (SliceOp, ReshapeOp)), "unbind.int unbind_copy.int"),
}
"""ATen overload -> import rule."""
