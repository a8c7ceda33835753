"""Running sums and products; rows of `reduction`."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.pointwise import AddOp, MulOp
from devproc.dialects.nn.shape import PadOp, SliceOp
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    axis_of,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.formula import Formula
from devproc.ir.types import DTYPES, is_float


def _scan(op: type[NNOp], start: Number) -> ImportRule:
    """Each element with all before it, in log2(n) steps (Hillis and Steele): step k
    combines it with the result 2 to the power of k places before. PyTorch accumulates
    floats in double precision.
    """

    def build(b: GraphBuilder, x: SSAValue, dim: int, dtype: object = None) -> SSAValue:
        element, shape = b.result.element_type, shape_of(x)
        f = Formula(b, DTYPES["float64"] if is_float(element) else element)
        x = f.value(b.cast(x, element))
        axis, reach = axis_of(dim, len(shape)), 1
        while shape and size_of(x) and reach < shape[axis]:
            low = [reach if d == axis else 0 for d in range(len(shape))]
            earlier = b.emit(SliceOp.along(x, axis, 0, shape[axis] - reach))
            earlier = b.emit(
                PadOp.around(earlier, low, [0] * len(shape), f.value(start))
            )
            x, reach = f(op, x, earlier), 2 * reach
        return b.cast(x, element)

    return ImportRule(build, (SliceOp, PadOp, op))


SCANS: dict[str, ImportRule] = {
    "aten.cumprod.default": _scan(MulOp, 1),
    "aten.cumsum.default": _scan(AddOp, 0),
}
"""ATen overload -> how to build it."""
