"""Rounding division and remainders, with PyTorch's signs; rows of `pointwise`."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import AndOp, EqOp, LtOp, WhereOp, XorOp
from devproc.dialects.nn.elementary import FloorOp, TruncOp
from devproc.dialects.nn.pointwise import (
    AddOp,
    DivOp,
    MulOp,
    QuotientOp,
    RemainderOp,
    SubOp,
)
from devproc.frontends.torch_export.elementwise.formula import (
    Formula,
    Operand,
    composed,
)
from devproc.frontends.torch_export.elementwise.value_checks import check_divisor
from devproc.frontends.torch_export.graph.builder import ImportRule, rows_of
from devproc.ir.types import is_float, is_unsigned


def _points_back(f: Formula, rest: SSAValue, divisor: Operand) -> SSAValue:
    """Where a remainder is nonzero and its sign differs from the divisor's."""
    signs = f.logic(XorOp, f(LtOp, rest, 0), f(LtOp, divisor, 0))
    return f.logic(AndOp, f.differ(rest, 0), signs)


def floor_division(f: Formula, x: Operand, y: Operand) -> SSAValue:
    """The quotient rounded down."""
    if is_float(f.element):
        return _float_floor_division(f, x, y)
    whole = f(QuotientOp, x, y)
    if is_unsigned(f.element):
        return whole
    rest = f(RemainderOp, x, y)
    return f.where(_points_back(f, rest, y), f(SubOp, whole, 1), whole)


def _float_floor_division(f: Formula, x: Operand, y: Operand) -> SSAValue:
    """As PyTorch and Python do: from the exact remainder, not from the quotient."""
    rest = f(RemainderOp, x, y)
    whole = f(DivOp, f(SubOp, x, rest), y)
    whole = f.where(_points_back(f, rest, y), f(SubOp, whole, 1), whole)
    floor = f(FloorOp, whole)
    rounded_up = f.more(f(SubOp, whole, floor), 0.5)
    value = f.where(rounded_up, f(AddOp, floor, 1), floor)
    quotient = f(DivOp, x, y)
    value = f.where(f(EqOp, whole, 0), f(MulOp, quotient, 0), value)
    return f.where(f(EqOp, y, 0), quotient, value)


def _floor_divide(f: Formula, x: Operand, y: Operand) -> SSAValue:
    check_divisor(f, y)
    return floor_division(f, x, y)


def _divide(
    f: Formula, x: Operand, y: Operand, *, rounding_mode: str | None
) -> SSAValue:
    if rounding_mode == "floor":
        return _floor_divide(f, x, y)
    if rounding_mode is None:
        return f(DivOp, x, y)
    if is_float(f.element):
        # Half precision is rounded before it is truncated.
        result = f.b.result.element_type
        quotient = f.b.cast(f(DivOp, x, y), result)
        return Formula(f.b, result)(TruncOp, quotient)
    check_divisor(f, y)
    return f(QuotientOp, x, y)


def _remainder(f: Formula, x: Operand, y: Operand) -> SSAValue:
    check_divisor(f, y)
    rest = f(RemainderOp, x, y)
    if is_unsigned(f.element):
        return rest
    return f.where(_points_back(f, rest, y), f(AddOp, rest, y), rest)


def _fmod(f: Formula, x: Operand, y: Operand) -> SSAValue:
    check_divisor(f, y)
    return f(RemainderOp, x, y)


DIVISIONS: dict[str, ImportRule] = {
    **rows_of(
        composed(_divide, QuotientOp, RemainderOp, DivOp, FloorOp, TruncOp),
        "div.Scalar_mode div.Tensor_mode divide.Tensor_mode divide.Scalar_mode",
    ),
    **rows_of(
        composed(_floor_divide, QuotientOp, RemainderOp, WhereOp),
        "floor_divide floor_divide.Scalar",
    ),
    **rows_of(composed(_fmod, RemainderOp), "fmod.Scalar fmod.Tensor"),
    **rows_of(
        composed(_remainder, RemainderOp, AddOp, WhereOp),
        "remainder.Scalar remainder.Scalar_Tensor remainder.Tensor",
    ),
}
"""ATen overload -> import rule."""
