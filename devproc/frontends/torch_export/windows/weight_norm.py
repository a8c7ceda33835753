"""Weight normalization: weights from a direction and a magnitude; rows of `window`."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.nn.pointwise import DivOp, MulOp, SqrtOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    shape_of,
)


def _interface(
    b: GraphBuilder, direction: SSAValue, length: SSAValue, dim: int = 0
) -> tuple[SSAValue, SSAValue]:
    """direction * (length / norm), and the norm over all dimensions except `dim`; over all
    of them if `dim` is -1.
    """
    element = b.result.element_type
    f = Formula(b, compute_type(element))
    v = f.value(direction)
    axes = [axis for axis in range(len(shape_of(v))) if axis != dim]
    total = b.emit(ReduceSumOp.over(f(MulOp, v, v), axes, dim != -1))
    norm = f(SqrtOp, total)
    weight = f(MulOp, v, f(DivOp, length, norm))
    return b.cast(weight, element), b.cast(norm, b.results[-1].element_type)


def _weight_norm(
    b: GraphBuilder, direction: SSAValue, length: SSAValue, dim: int = 0
) -> SSAValue:
    return _interface(b, direction, length, dim)[0]


_MAKES = (MulOp, ReduceSumOp, SqrtOp, DivOp)

ROWS: dict[str, ImportRule] = {
    "aten._weight_norm.default": ImportRule(_weight_norm, _MAKES),
    "aten._weight_norm_interface.default": ImportRule(_interface, _MAKES),
}
"""ATen overload -> import rule."""
