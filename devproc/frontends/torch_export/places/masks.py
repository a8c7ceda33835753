"""ATen operators that write where a mask is true; rows of `gather`.

A mask that selects between values keeps the shape. A mask that determines the number of
elements does not, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.scan import CumsumOp
from devproc.frontends.torch_export.elementwise.formula import Formula
from devproc.frontends.torch_export.elementwise.value_checks import check_range
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places.indices import DATA_DEPENDENT
from devproc.frontends.torch_export.places.pieces import expanded
from devproc.ir.types import DTYPES, is_bool, tensor_of

BOOL, INT64 = DTYPES["bool"], DTYPES["int64"]


def masked_put(
    b: GraphBuilder,
    x: SSAValue,
    indices: Sequence[SSAValue | None],
    values: SSAValue,
    accumulate: bool,
) -> SSAValue:
    """`x[:, mask] = values` where the values do not depend on the mask: one value for
    all elements that it selects.
    """
    (mask,) = (i for i in indices if i is not None)
    first, rank = list(indices).index(mask), len(shape_of(mask))
    rest = len(shape_of(x)) - first - rank
    shape = list(shape_of(values))
    if len(shape) > rest:
        # The dimension that counts the selected elements.
        if shape[-rest - 1] != 1:
            raise DATA_DEPENDENT
        at = len(shape) - rest - 1
        shape = [*shape[:at], *[1] * rank, *shape[at + 1 :]]
    element = tensor_of(x).element_type
    values = b.reshape(b.cast(values, element), shape)
    condition = b.reshape(b.cast(mask, BOOL), [*shape_of(mask), *[1] * rest])
    if accumulate:
        wide = DTYPES["uint8"] if is_bool(element) else element
        total = [b.cast(v, wide) for v in (x, values)]
        values = b.cast(b.emit(AddOp.build_op(total)), element)
    return b.emit(WhereOp.build_op([condition, values, x]))


def _masked_scatter(
    b: GraphBuilder, x: SSAValue, mask: SSAValue, source: SSAValue
) -> SSAValue:
    """The n-th element that the mask selects becomes the n-th element of the source."""
    shape, element = b.result.get_shape(), b.result.element_type
    x = expanded(b, x, shape)
    if not size_of(x):
        return x
    flat = [size_of(x)]
    chosen = b.reshape(expanded(b, b.cast(mask, BOOL), shape), flat)
    f = Formula(b, INT64)
    number = f(AddOp, b.emit(CumsumOp.along(f.value(chosen), 0)), -1)
    # Before the first selected element the number is -1: read, but not used.
    check_range(b, number, -1, size_of(source) - 1, "place in the source")
    if not size_of(source):
        return x
    line = b.reshape(b.cast(source, element), [size_of(source)])
    picked = b.emit(GatherOp.at(line, [number], [0]))
    result = b.emit(WhereOp.build_op([chosen, picked, b.reshape(x, flat)]))
    return b.reshape(result, shape)


ROWS: dict[str, ImportRule] = {
    "aten.masked_scatter.default": ImportRule(
        _masked_scatter, (GatherOp, WhereOp, CumsumOp)
    ),
}
"""ATen overload -> import rule."""
