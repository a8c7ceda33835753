"""Cumulative sums, products, minima and maxima: one op along an axis."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.nn.scan import (
    CummaxOp,
    CumminOp,
    CumprodOp,
    CumsumOp,
    ExtremeScanOp,
    LogcumsumexpOp,
    ScanOp,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    axis_of,
    shape_of,
)
from devproc.ir.types import DTYPES, is_bool, tensor_of


def _scan(op: type[ScanOp]) -> ImportRule:
    """Computed in the dtype of the result, which is int64 for integers."""

    def build(b: GraphBuilder, x: SSAValue, dim: int, dtype: object = None) -> SSAValue:
        x, shape = b.cast(x, b.result.element_type), shape_of(x)
        axis = axis_of(dim, len(shape))
        return b.emit(op.along(x, axis)) if shape else x

    return ImportRule(build, (op,))


def _extreme(op: type[ExtremeScanOp]) -> ImportRule:
    """The extreme so far and its last index; bools are compared as numbers."""

    def build(b: GraphBuilder, x: SSAValue, dim: int) -> tuple[SSAValue, SSAValue]:
        element, shape = tensor_of(x).element_type, shape_of(x)
        if is_bool(element):
            x = b.cast(x, DTYPES["uint8"])
        scan = op.along(b.reshape(x, shape or [1]), axis_of(dim, len(shape)))
        b.emit(scan)
        best = b.cast(b.reshape(scan.result, shape), element)
        return best, b.reshape(scan.indices, shape)

    return ImportRule(build, (op,))


IMPORTS: dict[str, ImportRule] = {
    "aten.cummax.default": _extreme(CummaxOp),
    "aten.cummin.default": _extreme(CumminOp),
    "aten.cumprod.default": _scan(CumprodOp),
    "aten.cumsum.default": _scan(CumsumOp),
    "aten.logcumsumexp.default": _scan(LogcumsumexpOp),
}
"""ATen overload -> import rule."""
