"""Reference of the value checks: no results; a refused value raises InputError."""

from __future__ import annotations

from torch import Tensor

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.checks import CheckDivisorOp, CheckRangeOp
from devproc.errors import InputError
from devproc.ir.value_check import ASSERTION


def _range(op: CheckRangeOp, operand: Tensor) -> tuple[Tensor, ...]:
    lower, upper = int_of(op.lower), int_of(op.upper)
    if bool(((operand < lower) | (operand > upper)).any()):
        is_condition = op.what.data.startswith(ASSERTION)
        values = "" if is_condition else f" outside of {lower} to {upper}"
        raise InputError(f"{op.of.data}: {op.what.data}{values}")
    return ()


def _divisor(op: CheckDivisorOp, operand: Tensor) -> tuple[Tensor, ...]:
    if bool((operand == 0).any()):
        raise InputError(f"{op.of.data}: division by 0")
    return ()


REFERENCE = {CheckRangeOp: _range, CheckDivisorOp: _divisor}
"""op class -> function of the op and its operands."""
