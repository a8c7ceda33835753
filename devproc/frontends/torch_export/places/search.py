"""Binary search in sorted sequences, and plain search; rows of `sort`."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import AndOp, EqOp, LeOp, LtOp, ShiftRightOp, WhereOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.reduction import ReduceMaxOp
from devproc.frontends.torch_export.elementwise.formula import (
    Formula,
    common_type,
    compute_type,
)
from devproc.frontends.torch_export.elementwise.value_checks import check_index
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    shape_of,
    size_of,
)
from devproc.frontends.torch_export.places.pieces import expanded
from devproc.ir.types import DTYPES

INT64 = DTYPES["int64"]


def _search(
    b: GraphBuilder,
    sequence: SSAValue,
    values: SSAValue | Number,
    right: bool,
    sorter: SSAValue | None = None,
) -> SSAValue:
    """Where each value would stand in the last dimension of the sequence.

    The steps are PyTorch's: while start < end, look at the middle.
    """
    *_, size = shape_of(sequence)
    if not size or 0 in b.result.get_shape():
        return b.fill(0)
    if sorter is not None:
        check_index(b, sorter, size)
    compared = Formula(b, common_type([sequence, values]))
    sequence, wanted = compared.value(sequence), compared.value(values)
    if len(shape_of(sequence)) == 1:
        wanted = b.reshape(wanted, [size_of(wanted)])
    rows, count = shape_of(wanted)[:-1], shape_of(wanted)[-1]
    lines = [
        b.reshape(v, [prod(rows), shape_of(v)[-1]])
        for v in (sequence, *([] if sorter is None else [sorter]))
    ]
    wanted = b.reshape(wanted, [prod(rows), count])
    f = Formula(b, INT64)
    zero = b.reshape(f.value(0), [1, 1])
    start = expanded(b, zero, [prod(rows), count])
    end = f(AddOp, start, size)
    for _ in range(size.bit_length()):
        middle = f(ShiftRightOp, f(AddOp, start, end), 1)
        place = middle
        if sorter is not None:
            place = b.emit(GatherOp.at(lines[1], [middle], [1]))
        element = b.emit(GatherOp.at(lines[0], [place], [1]))
        # Negations, so that NaN goes to the right.
        more = LtOp if right else LeOp
        further = compared.negation(compared(more, wanted, element))
        open_ = f(LtOp, start, end)
        go_right = f.logic(AndOp, open_, further)
        go_left = f.logic(AndOp, open_, f.negation(further))
        start = f.where(go_right, f(AddOp, middle, 1), start)
        end = f.where(go_left, middle, end)
    return b.cast(b.reshape(start, b.result.get_shape()), b.result.element_type)


def _search_sorted(
    b: GraphBuilder,
    sequence: SSAValue,
    values: SSAValue | Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: SSAValue | None = None,
) -> SSAValue:
    return _search(b, sequence, values, right or side == "right", sorter)


def _bucket(
    b: GraphBuilder,
    values: SSAValue | Number,
    boundaries: SSAValue,
    *,
    out_int32: bool = False,
    right: bool = False,
) -> SSAValue:
    return _search(b, boundaries, values, right)


def _is_in(
    b: GraphBuilder,
    elements: SSAValue | Number,
    tests: SSAValue | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> SSAValue:
    """Whether each element equals any of the others."""
    f = Formula(b, compute_type(common_type([elements, tests])))
    elements, tests = f.value(elements), f.value(tests)
    if not size_of(tests) or not size_of(elements):
        return b.fill(invert)
    row = b.reshape(tests, [1, size_of(tests)])
    hits = f(EqOp, b.reshape(elements, [size_of(elements), 1]), row)
    found = b.emit(ReduceMaxOp.over(b.cast(hits, DTYPES["uint8"]), [1], False))
    found = b.reshape(b.cast(found, DTYPES["bool"]), b.result.get_shape())
    return f.negation(found) if invert else found


_MAKES = (GatherOp, LtOp, LeOp, WhereOp)
_SEARCH = ImportRule(_search_sorted, _MAKES)
_IS_IN = ImportRule(_is_in, (EqOp, ReduceMaxOp))
_BUCKET = ImportRule(_bucket, _MAKES)

ROWS: dict[str, ImportRule] = {
    "aten.bucketize.Scalar": _BUCKET,
    "aten.bucketize.Tensor": _BUCKET,
    "aten.isin.Scalar_Tensor": _IS_IN,
    "aten.isin.Tensor_Scalar": _IS_IN,
    "aten.isin.Tensor_Tensor": _IS_IN,
    "aten.searchsorted.Scalar": _SEARCH,
    "aten.searchsorted.Tensor": _SEARCH,
}
"""ATen overload -> how to build it."""
