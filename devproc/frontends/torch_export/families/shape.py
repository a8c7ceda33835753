"""ATen operators that only move elements. Views are values here: nothing aliases."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.shape import PackOp, ReshapeOp, TransposeOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    shape_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.frontends.torch_export.places import joins, padding, pieces


def _reshape(b: GraphBuilder, x: SSAValue, *_: object) -> SSAValue:
    """Same elements in row-major order; the exporter knows the new shape."""
    return b.reshape(x, b.result.get_shape())


def _permute(b: GraphBuilder, x: SSAValue, dims: Sequence[int]) -> SSAValue:
    return b.transpose(x, [axis_of(d, len(dims)) for d in dims])


def _swap(b: GraphBuilder, x: SSAValue, first: int, second: int) -> SSAValue:
    order = list(range(len(shape_of(x))))
    if order:
        first, second = axis_of(first, len(order)), axis_of(second, len(order))
        order[first], order[second] = second, first
    return b.transpose(x, order)


def _reverse(b: GraphBuilder, x: SSAValue) -> SSAValue:
    return b.transpose(x, list(reversed(range(len(shape_of(x))))))


def _matrix_transpose(b: GraphBuilder, x: SSAValue) -> SSAValue:
    return _swap(b, x, -1, -2)


def _move(
    b: GraphBuilder,
    x: SSAValue,
    source: int | Sequence[int],
    destination: int | Sequence[int],
) -> SSAValue:
    rank = len(shape_of(x))
    sources, destinations = (
        [axis_of(d, rank) for d in ([dims] if isinstance(dims, int) else dims)]
        for dims in (source, destination)
    )
    rest = iter(d for d in range(rank) if d not in sources)
    placed = dict(zip(destinations, sources, strict=True))
    return b.transpose(
        x, [placed[d] if d in placed else next(rest) for d in range(rank)]
    )


_RESHAPE = ImportRule(_reshape, (ReshapeOp,))
_SWAP = ImportRule(_swap, (TransposeOp,))
_MATRIX_TRANSPOSE = ImportRule(_matrix_transpose, (TransposeOp,))

IMPORTS: dict[str, ImportRule] = {
    **joins.ROWS,
    **padding.ROWS,
    **pieces.ROWS,
    **traced(
        "aten.fft_fftshift.default",
        "aten.fft_ifftshift.default",
        "aten.moveaxis.int",
        "aten.moveaxis.intlist",
        "aten.row_stack.default",
    ),
    "aten._reshape_alias.default": _RESHAPE,
    "aten._unsafe_view.default": _RESHAPE,
    "aten.atleast_1d.default": _RESHAPE,
    "aten.atleast_2d.default": _RESHAPE,
    "aten.atleast_3d.default": _RESHAPE,
    "aten.adjoint.default": _MATRIX_TRANSPOSE,
    "aten.mH.default": _MATRIX_TRANSPOSE,
    "aten.ravel.default": _RESHAPE,
    "aten.squeeze_copy.default": _RESHAPE,
    "aten.squeeze_copy.dim": _RESHAPE,
    "aten.t_copy.default": ImportRule(_reverse, (TransposeOp,)),
    "aten.transpose_copy.int": _SWAP,
    "aten.flatten.using_ints": _RESHAPE,
    "aten.mT.default": _MATRIX_TRANSPOSE,
    "aten.matrix_H.default": _MATRIX_TRANSPOSE,
    "aten.movedim.int": ImportRule(_move, (TransposeOp,)),
    "aten.movedim.intlist": ImportRule(_move, (TransposeOp,)),
    "aten.moveaxis.int": ImportRule(_move, (TransposeOp,)),
    "aten.moveaxis.intlist": ImportRule(_move, (TransposeOp,)),
    "aten.numpy_T.default": ImportRule(_reverse, (TransposeOp,)),
    "aten.permute.default": ImportRule(_permute, (TransposeOp,)),
    "aten.permute_copy.default": ImportRule(_permute, (TransposeOp,)),
    "aten.reshape.default": _RESHAPE,
    "aten.reshape_as.default": _RESHAPE,
    "aten.squeeze.default": _RESHAPE,
    "aten.squeeze.dim": _RESHAPE,
    "aten.squeeze.dims": _RESHAPE,
    "aten.squeeze_copy.dims": _RESHAPE,
    "aten.swapaxes.default": _SWAP,
    "aten.swapdims.default": _SWAP,
    "aten.t.default": ImportRule(_reverse, (TransposeOp,)),
    "aten.transpose.int": _SWAP,
    "aten.unflatten.int": _RESHAPE,
    "aten.unsqueeze.default": _RESHAPE,
    "aten.unsqueeze_copy.default": _RESHAPE,
    "aten.view.default": _RESHAPE,
    "aten.view_as.default": _RESHAPE,
    "aten.view_copy.default": _RESHAPE,
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {
    PackOp: "built by the pass pack-weights, for the kernels",
}
"""op class -> why no ATen operator becomes it."""
