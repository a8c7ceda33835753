"""ATen operators that only move elements. Views are values here, without aliasing."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.shape import PackOp, ReshapeOp, TransposeOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    rows_of,
    shape_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.frontends.torch_export.places import joins, padding, pieces


def _reshape(b: GraphBuilder, x: SSAValue, *_: object) -> SSAValue:
    """The same elements in row-major order, in the shape that the exporter recorded."""
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


_MAKES = (TransposeOp,)

IMPORTS: dict[str, ImportRule] = {
    **joins.ROWS,
    **padding.ROWS,
    **pieces.ROWS,
    **traced("fft_fftshift fft_ifftshift"),
    **rows_of(
        ImportRule(_reshape, (ReshapeOp,)),
        "_reshape_alias _unsafe_view atleast_1d atleast_2d atleast_3d ravel "
        "flatten.using_ints reshape reshape_as squeeze squeeze.dim squeeze.dims "
        "squeeze_copy squeeze_copy.dim squeeze_copy.dims unflatten.int unsqueeze "
        "unsqueeze_copy view view_as view_copy",
    ),
    **rows_of(ImportRule(_matrix_transpose, _MAKES), "adjoint mH mT matrix_H"),
    **rows_of(
        ImportRule(_move, _MAKES),
        "moveaxis.int moveaxis.intlist movedim.int movedim.intlist",
    ),
    **rows_of(ImportRule(_permute, _MAKES), "permute permute_copy"),
    **rows_of(ImportRule(_reverse, _MAKES), "numpy_T t t_copy"),
    **rows_of(
        ImportRule(_swap, _MAKES), "swapaxes swapdims transpose.int transpose_copy.int"
    ),
}
"""ATen overload -> import rule."""

NO_IMPORT: dict[type[Operation], str] = {
    PackOp: "built by the pass pack-weights, for the kernels",
}
"""op class -> why no ATen operator is imported as it."""
