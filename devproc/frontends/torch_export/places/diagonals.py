"""ATen operators on diagonals and triangles, whose positions follow from the shape; rows
of `gather`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import LeOp, WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.dialects.nn.shape import ConcatOp, PadOp, ReshapeOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    rows_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places.indices import constant_line
from devproc.frontends.torch_export.places.padding import constant_pad
from devproc.frontends.torch_export.places.pieces import joined
from devproc.ir.types import tensor_of


def _triangle(lower: bool) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue, diagonal: int = 0) -> SSAValue:
        """Keeps elements where column - row is at most (or at least) `diagonal`."""
        height, width = shape_of(x)[-2:]
        rows = b.constant(
            torch.arange(height)[:, None] + diagonal, f"constant.{b.node_name}.rows"
        )
        columns = b.constant(torch.arange(width), f"constant.{b.node_name}.columns")
        pair = [columns, rows] if lower else [rows, columns]
        inside = b.emit(LeOp.build_op(pair))
        zero = b.scalar(0, tensor_of(x).element_type)
        return b.emit(WhereOp.build_op([inside, x, zero]))

    return ImportRule(build, (LeOp, WhereOp))


def _diagonal(
    b: GraphBuilder, x: SSAValue, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> SSAValue:
    """Moves two axes to the end and gathers along both with the same step."""
    rank = len(shape_of(x))
    if 0 in b.result.get_shape():
        return b.fill(0)
    moved = b.transpose(x, _moved_last(rank, dim1, dim2))
    steps = torch.arange(b.result.get_shape()[-1])
    places = (steps + max(-offset, 0), steps + max(offset, 0))
    lines = [constant_line(b, place, rank - 2, rank) for place in places]
    picked = b.emit(GatherOp.at(moved, lines, [rank - 2, rank - 1]))
    return b.reshape(picked, b.result.get_shape())


def _moved_last(rank: int, *dims: int) -> list[int]:
    """The permutation that moves two axes to the end."""
    last = [axis_of(dim, rank) for dim in dims]
    return [*(d for d in range(rank) if d not in last), *last]


def _diagonal_of(b: GraphBuilder, x: SSAValue, diagonal: int = 0) -> SSAValue:
    """`diag` reads the diagonal of a matrix, and makes one of a vector."""
    if len(shape_of(x)) == 2:
        return _diagonal(b, x, diagonal)
    return _diagonal_matrix(b, x, diagonal)


def _diagonal_matrix(
    b: GraphBuilder, x: SSAValue, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> SSAValue:
    """A matrix with the elements on a diagonal and zeros elsewhere."""
    *batch, count = shape_of(x)
    result = b.result.get_shape()
    rank = len(result)
    size = count + abs(offset)
    rows = torch.arange(size)[:, None]
    hit = torch.arange(size) - rows == offset
    # After padding, element i belongs to row i whatever the offset.
    x = constant_pad(b, x, [max(-offset, 0), max(offset, 0)])
    column = b.reshape(x, [*batch, size, 1])
    mask = b.constant(hit, f"constant.{b.node_name}")
    zero = b.scalar(0, tensor_of(x).element_type)
    matrix = b.emit(WhereOp.build_op([mask, column, zero]))
    order = _moved_last(rank, dim1, dim2)
    return b.transpose(matrix, [order.index(d) for d in range(rank)])


def _diagonal_flat(b: GraphBuilder, x: SSAValue, offset: int = 0) -> SSAValue:
    return _diagonal_matrix(b, b.reshape(x, [size_of(x)]), offset)


def _matrix_diagonal(
    b: GraphBuilder, x: SSAValue, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> SSAValue:
    return _diagonal(b, x, offset, dim1, dim2)


def _trace(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """The sum of the diagonal, in the dtype of sums."""
    steps = torch.arange(min(shape_of(x)))
    if not len(steps):
        return b.fill(0)
    lines = [constant_line(b, steps, 0, 2) for _ in range(2)]
    picked = b.emit(GatherOp.at(x, lines, [0, 1]))
    wide = b.cast(picked, b.result.element_type)
    return b.emit(ReduceSumOp.over(wide, [0, 1], False))


def _diagonal_scatter(
    b: GraphBuilder,
    x: SSAValue,
    source: SSAValue,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
) -> SSAValue:
    """Selects elements of the source on the diagonal, and of `x` elsewhere."""
    rank = len(shape_of(x))
    order = _moved_last(rank, dim1, dim2)
    moved = b.transpose(x, order)
    height, width = shape_of(moved)[-2:]
    above, count = max(-offset, 0), shape_of(source)[-1]
    if not count:
        return x
    padded = constant_pad(b, source, [above, height - above - count])
    padded = b.cast(padded, tensor_of(x).element_type)
    column = b.reshape(padded, [*shape_of(padded), 1])
    hit = torch.arange(width) - torch.arange(height)[:, None] == offset
    mask = b.constant(hit, f"constant.{b.node_name}")
    chosen = b.emit(WhereOp.build_op([mask, column, moved]))
    return b.transpose(chosen, [order.index(d) for d in range(rank)])


def _block_diagonal(b: GraphBuilder, tensors: Sequence[SSAValue]) -> SSAValue:
    """The blocks, padded to the width of the result, below one another."""
    width, left = b.result.get_shape()[1], 0
    rows: list[SSAValue] = []
    for x in tensors:
        x = b.cast(x, b.result.element_type)
        shape = shape_of(x) if len(shape_of(x)) == 2 else (1, size_of(x))
        right = width - left - shape[1]
        rows.append(constant_pad(b, b.reshape(x, shape), [left, right]))
        left += shape[1]
    return joined(b, rows, 0)


_MATRIX = (PadOp, WhereOp)

ROWS: dict[str, ImportRule] = {
    "aten.block_diag.default": ImportRule(_block_diagonal, (PadOp, ConcatOp)),
    "aten.diag.default": ImportRule(_diagonal_of, (GatherOp, WhereOp)),
    "aten.diag_embed.default": ImportRule(_diagonal_matrix, _MATRIX),
    "aten.diagflat.default": ImportRule(_diagonal_flat, _MATRIX),
    **rows_of(ImportRule(_diagonal, (GatherOp, ReshapeOp)), "diagonal diagonal_copy"),
    "aten.diagonal_scatter.default": ImportRule(_diagonal_scatter, _MATRIX),
    "aten.linalg_diagonal.default": ImportRule(_matrix_diagonal, (GatherOp, ReshapeOp)),
    "aten.trace.default": ImportRule(_trace, (GatherOp, ReduceSumOp)),
    "aten.tril.default": _triangle(True),
    "aten.triu.default": _triangle(False),
}
"""ATen overload -> import rule."""
