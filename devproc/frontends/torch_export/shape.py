"""ATen operators that only move elements. Views are values here: nothing aliases."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.shape import PackOp, PadOp, ReshapeOp, TransposeOp
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.problems import Refusal
from devproc.ir.types import element_count, format_shape


def _reshape(b: GraphBuilder, x: SSAValue, *_: object) -> SSAValue:
    """Same elements in row-major order; the exporter knows the new shape."""
    return b.reshape(x, b.result.get_shape())


def _expand(
    b: GraphBuilder, x: SSAValue, *_: object, implicit: bool = False
) -> SSAValue:
    wanted = b.result.get_shape()
    if element_count(wanted) != size_of(x):
        raise Refusal(
            f"expanding {format_shape(shape_of(x))} to {format_shape(wanted)} is not "
            "supported",
            "leave it to the broadcasting of the operator that uses it",
        )
    return b.reshape(x, wanted)


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


def _pad(
    b: GraphBuilder,
    x: SSAValue,
    pad: Sequence[int],
    mode_or_value: str | float = 0,
    value: float | None = None,
) -> SSAValue:
    """Zeros around; PyTorch counts the amounts from the last dimension."""
    mode = mode_or_value if isinstance(mode_or_value, str) else "constant"
    number = value if isinstance(mode_or_value, str) else mode_or_value
    if mode != "constant" or number not in (None, 0):
        raise Refusal(
            f"padding with mode '{mode}' and value {number} is not supported",
            "only padding with zeros is",
        )
    if min(pad, default=0) < 0:
        raise Refusal("negative padding is not supported", "slice before the export")
    rank = len(shape_of(x))
    low, high = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    return b.emit(PadOp.around(x, low, high)) if any(pad) else x


_RESHAPE = ImportRule(_reshape, (ReshapeOp,))
_SWAP = ImportRule(_swap, (TransposeOp,))
_MATRIX_TRANSPOSE = ImportRule(_matrix_transpose, (TransposeOp,))

IMPORTS: dict[str, ImportRule] = {
    "aten._reshape_alias.default": _RESHAPE,
    "aten._unsafe_view.default": _RESHAPE,
    "aten.atleast_1d.default": _RESHAPE,
    "aten.atleast_2d.default": _RESHAPE,
    "aten.constant_pad_nd.default": ImportRule(_pad, (PadOp,)),
    "aten.expand.default": ImportRule(_expand, (ReshapeOp,)),
    "aten.expand_as.default": ImportRule(_expand, (ReshapeOp,)),
    "aten.flatten.using_ints": _RESHAPE,
    "aten.mT.default": _MATRIX_TRANSPOSE,
    "aten.matrix_H.default": _MATRIX_TRANSPOSE,
    "aten.movedim.int": ImportRule(_move, (TransposeOp,)),
    "aten.movedim.intlist": ImportRule(_move, (TransposeOp,)),
    "aten.numpy_T.default": ImportRule(_reverse, (TransposeOp,)),
    "aten.pad.default": ImportRule(_pad, (PadOp,)),
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
