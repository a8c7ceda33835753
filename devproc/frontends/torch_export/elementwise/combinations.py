"""Minima, maxima, signs and sums of products as formulas; rows of `pointwise`."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import LtOp, WhereOp
from devproc.dialects.nn.pointwise import (
    AbsOp,
    AddOp,
    CastOp,
    DivOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    SubOp,
)
from devproc.frontends.torch_export.elementwise.formula import (
    Formula,
    Operand,
    composed,
    single_op,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    rows_of,
)
from devproc.ir.types import is_bool, is_unsigned, tensor_of


def _clamp(
    f: Formula,
    x: SSAValue,
    least: Operand | None = None,
    most: Operand | None = None,
) -> SSAValue:
    if least is not None:
        x = f(MaximumOp, x, least)
    return x if most is None else f(MinimumOp, x, most)


def _absolute(b: GraphBuilder, x: SSAValue) -> SSAValue:
    return x if is_bool(tensor_of(x).element_type) else b.emit(AbsOp.build_op([x]))


def _sign(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """1 for positive numbers, -1 for negative ones, else 0, also for NaN."""
    element = tensor_of(x).element_type
    if is_bool(element):
        return x
    f = Formula(b, element)
    above = f.value(f.more(x, 0))
    if is_unsigned(element):
        return above
    return f(SubOp, above, f.value(f(LtOp, x, 0)))


def _add_product(
    f: Formula, x: SSAValue, left: SSAValue, right: SSAValue, *, value: Number = 1
) -> SSAValue:
    product = f(MulOp, left, right)
    if value != 1:
        product = f(MulOp, f(MulOp, left, value), right)
    return f(AddOp, x, product)


def _add_quotient(
    f: Formula, x: SSAValue, left: SSAValue, right: SSAValue, *, value: Number = 1
) -> SSAValue:
    if value != 1:
        left = f(MulOp, left, value)
    return f(AddOp, x, f(DivOp, left, right))


def _interpolate(f: Formula, x: SSAValue, y: SSAValue, weight: Operand) -> SSAValue:
    """Linear interpolation from the nearer end, as in PyTorch."""
    difference = f(SubOp, y, x)
    from_x = f(AddOp, x, f(MulOp, difference, weight))
    from_y = f(SubOp, y, f(MulOp, difference, f(SubOp, 1, weight)))
    if isinstance(weight, SSAValue):
        return f.where(f(LtOp, f(AbsOp, weight), 0.5), from_x, from_y)
    return from_x if abs(weight) < 0.5 else from_y


def _square(f: Formula, x: SSAValue) -> SSAValue:
    return f(MulOp, x, x)


def _heaviside(f: Formula, x: SSAValue, at_zero: SSAValue) -> SSAValue:
    step = f.where(f.more(x, 0), 1, 0)
    zero = f.negation(f.differ(x, 0))
    return f.where(zero, at_zero, step)


_SIGN = ImportRule(_sign, (LtOp, CastOp, SubOp))

COMBINATIONS: dict[str, ImportRule] = {
    **rows_of(ImportRule(_absolute, (AbsOp,)), "abs absolute"),
    **rows_of(_SIGN, "sign sgn"),
    "aten.square.default": composed(_square, MulOp),
    **rows_of(single_op(MaximumOp), "maximum max.other"),
    **rows_of(
        single_op(MinimumOp),
        "minimum min.other clamp_max clamp_max.Tensor",
    ),
    **rows_of(
        composed(_clamp, MaximumOp, MinimumOp),
        "clamp clamp.Tensor clamp_min clamp_min.Tensor clip clip.Tensor",
    ),
    "aten.addcmul.default": composed(_add_product, MulOp, AddOp),
    "aten.addcdiv.default": composed(_add_quotient, DivOp, AddOp),
    **rows_of(composed(_interpolate, SubOp, MulOp, AddOp), "lerp.Scalar lerp.Tensor"),
    "aten.heaviside.default": composed(_heaviside, LtOp, WhereOp),
}
"""ATen overload -> import rule."""
