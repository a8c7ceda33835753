"""Checks that PyTorch's operators perform on the values of their operands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from devproc.dialects.nn.checks import CheckDivisorOp, CheckRangeOp
from devproc.dialects.nn.compare import AndOp, LeOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp, TransposeOp
from devproc.frontends.torch_export.elementwise.formula import Formula, Operand
from devproc.frontends.torch_export.graph.builder import GraphBuilder, size_of
from devproc.ir.types import DTYPES, is_bool, is_float, tensor_of
from devproc.ir.value_check import ASSERTION


def check_index(
    b: GraphBuilder, index: SSAValue, size: int, *, wraps: bool = False
) -> None:
    """Checks that values are indices of an axis of this size; with `wraps`, negative
    indices count from its end.
    """
    check_range(b, index, -size if wraps else 0, size - 1, "index")


def check_range(
    b: GraphBuilder, values: SSAValue, lower: int, upper: int, what: str
) -> None:
    """Checks that values are from `lower` to `upper`; constants are checked at import."""
    known = _constant(b, values)
    inside = known is not None and bool(((known >= lower) & (known <= upper)).all())
    if size_of(values) and not inside:
        b.insert(CheckRangeOp.within(values, lower, upper, what, b.operator))


def check_unit(b: GraphBuilder, x: SSAValue, what: str) -> None:
    """Checks that floats are from 0 to 1 and not NaN; `what` names the operand."""
    f = Formula(b, tensor_of(x).element_type)
    inside = f.logic(AndOp, f(LeOp, 0, x), f(LeOp, x, 1))
    check_true(b, inside, f"all elements of {what} should be between 0 and 1")


def check_true(b: GraphBuilder, condition: SSAValue, message: str) -> None:
    """Checks that no element of a condition is false or 0."""
    f = Formula(b, tensor_of(condition).element_type)
    if not is_bool(f.element):
        condition = f.differ(condition, 0)
    what = f"{ASSERTION}: {message}" if message else ASSERTION
    check_range(b, b.cast(condition, DTYPES["uint8"]), 1, 1, what)


def check_divisor(f: Formula, y: Operand) -> None:
    """Checks that no integer divisor is 0."""
    if is_float(f.element) or (not isinstance(y, SSAValue) and y != 0):
        return
    divisor = f.value(y)
    known = _constant(f.b, divisor)
    if size_of(divisor) and (known is None or not bool(known.all())):
        f.b.insert(CheckDivisorOp.at(divisor, f.b.operator))


def _constant(b: GraphBuilder, value: SSAValue) -> NDArray[Any] | None:
    """The elements of a constant, in any order; None for other values."""
    owner = value.owner
    while isinstance(owner, ReshapeOp | TransposeOp | ExpandOp):
        owner = owner.operand.owner
    if isinstance(owner, ConstantOp):
        return np.array(owner.value.get_values())
    return b.weights.array(owner.weight_name) if isinstance(owner, WeightOp) else None
