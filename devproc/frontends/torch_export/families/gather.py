"""ATen operators that read and write at computed indices.

An operator whose number of elements depends on the data (a bool mask as an index) has no
static shape and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import EqOp, WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.shape import ReshapeOp
from devproc.frontends.torch_export.elementwise.value_checks import (
    check_index,
    check_range,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    axis_of,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.places import (
    bags,
    diagonals,
    masks,
    scatter,
    strides,
)
from devproc.frontends.torch_export.places.indices import (
    Places,
    as_index,
    check_places,
    constant_line,
    line,
)
from devproc.frontends.torch_export.places.padding import constant_pad
from devproc.frontends.torch_export.places.pieces import part
from devproc.ir.types import tensor_of


def _take_slices(b: GraphBuilder, x: SSAValue, index: SSAValue, dim: int) -> SSAValue:
    """Gathers whole slices of one axis, one for each element of the index."""
    if not shape_of(x):
        x = b.reshape(x, [1])
    rank = len(shape_of(x))
    axis = axis_of(dim, rank)
    taken = b.emit(GatherOp.at(x, [line(b, index, axis, rank)], [axis]))
    return b.reshape(taken, b.result.get_shape())


def _embedding(
    b: GraphBuilder, weight: SSAValue, index: SSAValue, *_: object
) -> SSAValue:
    check_index(b, index, shape_of(weight)[0])
    return _take_slices(b, weight, index, 0)


def _index_select(b: GraphBuilder, x: SSAValue, dim: int, index: SSAValue) -> SSAValue:
    shape = shape_of(x) or (1,)
    check_index(b, index, shape[axis_of(dim, len(shape))])
    return _take_slices(b, x, index, dim)


def _take(b: GraphBuilder, x: SSAValue, index: SSAValue) -> SSAValue:
    check_index(b, index, size_of(x), wraps=True)
    return _take_slices(b, b.reshape(x, [size_of(x)]), index, 0)


def _gather(
    b: GraphBuilder, x: SSAValue, dim: int, index: SSAValue, sparse_grad: bool = False
) -> SSAValue:
    if not size_of(index):
        return b.fill(0)
    x, index = (b.reshape(v, shape_of(v) or [1]) for v in (x, index))
    axis = axis_of(dim, len(shape_of(x)))
    check_index(b, index, shape_of(x)[axis])
    for d, size in enumerate(shape_of(index)):
        if d != axis:
            x = part(b, x, d, 0, size)
    return _gathered(b, x, index, axis)


def _gathered(b: GraphBuilder, x: SSAValue, index: SSAValue, axis: int) -> SSAValue:
    gathered = b.emit(GatherOp.at(x, [as_index(b, index)], [axis]))
    return b.reshape(gathered, b.result.get_shape())


def _take_along(
    b: GraphBuilder, x: SSAValue, index: SSAValue, dim: int | None = None
) -> SSAValue:
    """A gather in which the other axes are broadcast."""
    if dim is None:
        check_index(b, index, size_of(x))
        return _take_slices(b, b.reshape(x, [size_of(x)]), index, 0)
    axis = axis_of(dim, len(shape_of(x)))
    check_index(b, index, shape_of(x)[axis])
    return _gathered(b, x, index, axis)


def _index(
    b: GraphBuilder, x: SSAValue, indices: Sequence[SSAValue | None]
) -> SSAValue:
    result = b.result.get_shape()
    if all(index is None for index in indices):
        return x
    places = Places(b, x, indices)
    if 0 in result:
        return b.fill(0)
    moved, rank = places.moved(), len(shape_of(x))
    lines = [line(b, i, places.first, rank) for i in places.lines]
    axes = [places.first + i for i in range(len(lines))]
    return b.reshape(b.emit(GatherOp.at(moved, lines, axes)), result)


def _checked_index(
    b: GraphBuilder, x: SSAValue, indices: Sequence[SSAValue | None]
) -> SSAValue:
    check_places(b, x, indices)
    return _index(b, x, indices)


def _masked_index(
    b: GraphBuilder,
    x: SSAValue,
    mask: SSAValue,
    indices: Sequence[SSAValue | None],
    number: Number,
) -> SSAValue:
    value = b.scalar(number, tensor_of(x).element_type)
    return b.emit(WhereOp.build_op([mask, _index(b, x, indices), value]))


def _one_hot(b: GraphBuilder, x: SSAValue, num_classes: int = -1) -> SSAValue:
    if num_classes < 0:
        raise Refusal(
            "one_hot without num_classes has a shape that depends on the data",
            "give num_classes",
        )
    check_range(b, x, 0, num_classes - 1, "class")
    element = tensor_of(x).element_type
    classes = b.constant(torch.arange(num_classes), f"constant.{b.node_name}")
    column = b.reshape(x, [*shape_of(x), 1])
    hit = b.emit(EqOp.build_op([column, b.cast(classes, element)]))
    return b.cast(hit, b.result.element_type)


def _windows(b: GraphBuilder, x: SSAValue, dim: int, size: int, step: int) -> SSAValue:
    """`Tensor.unfold`: windows of an axis, with their elements as the last dimension."""
    shape = list(shape_of(x))
    if not shape:
        return b.reshape(part(b, b.reshape(x, [1]), 0, 0, size), b.result.get_shape())
    if 0 in b.result.get_shape():
        return b.fill(0)
    axis = axis_of(dim, len(shape))
    windows = (shape[axis] - size) // step + 1
    places = torch.arange(windows)[:, None] * step + torch.arange(size)
    line = constant_line(b, places, axis, len(shape))
    picked = b.emit(GatherOp.at(x, [line], [axis]))
    split = b.reshape(picked, [*shape[:axis], windows, size, *shape[axis + 1 :]])
    order = [d for d in range(len(shape) + 1) if d != axis + 1]
    return b.transpose(split, [*order, axis + 1])


def _columns(
    b: GraphBuilder,
    x: SSAValue,
    kernel: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> SSAValue:
    """`im2col`: the windows of an image as columns, gathered by row and column indices."""
    kernel, dilation, padding, stride = (
        [v[0], v[-1]] for v in (kernel, dilation, padding, stride)
    )
    x = constant_pad(b, x, [padding[1], padding[1], padding[0], padding[0]])
    *batch, channels, height, width = shape_of(x)
    rank, n = len(shape_of(x)), len(batch)
    lines: list[SSAValue] = []
    split: list[int] = []
    for i, size in enumerate((height, width)):
        count = (size - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
        taps = torch.arange(kernel[i])[:, None] * dilation[i]
        places = taps + torch.arange(count) * stride[i]
        lines.append(constant_line(b, places, rank - 2 + i, rank))
        split += [kernel[i], count]
    picked = b.emit(GatherOp.at(x, lines, [rank - 2, rank - 1]))
    picked = b.reshape(picked, [*batch, channels, *split])
    order = [*range(n + 1), n + 1, n + 3, n + 2, n + 4]
    return b.reshape(b.transpose(picked, order), b.result.get_shape())


_MAKES = (GatherOp, ReshapeOp)

IMPORTS: dict[str, ImportRule] = {
    **diagonals.ROWS,
    **bags.ROWS,
    **masks.ROWS,
    **scatter.ROWS,
    **strides.ROWS,
    **traced("_chunk_cat"),
    "aten._unsafe_masked_index.default": ImportRule(_masked_index, (GatherOp, WhereOp)),
    **rows_of(ImportRule(_checked_index, _MAKES), "_unsafe_index.Tensor index.Tensor"),
    "aten.embedding.default": ImportRule(_embedding, _MAKES),
    "aten.gather.default": ImportRule(_gather, (GatherOp,)),
    "aten.im2col.default": ImportRule(_columns, _MAKES),
    "aten.index_select.default": ImportRule(_index_select, _MAKES),
    "aten.one_hot.default": ImportRule(_one_hot, (EqOp, CastOp)),
    "aten.take.default": ImportRule(_take, _MAKES),
    "aten.take_along_dim.default": ImportRule(_take_along, (GatherOp,)),
    **rows_of(ImportRule(_windows, _MAKES), "unfold unfold_copy"),
}
"""ATen overload -> import rule."""
