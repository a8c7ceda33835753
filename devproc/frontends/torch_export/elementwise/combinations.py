"""Choices by size and sums of products as formulas; rows of `pointwise`."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.nn.base import NNOp
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
    compute_type,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
)
from devproc.ir.types import is_bool, is_unsigned, tensor_of


def _choice(op: type[NNOp]) -> ImportRule:
    def choose(f: Formula, x: SSAValue, y: SSAValue) -> SSAValue:
        return f(op, x, y)

    return composed(choose, op)


def _clamp(
    f: Formula,
    x: SSAValue,
    least: Operand | None = None,
    most: Operand | None = None,
) -> SSAValue:
    if least is not None:
        x = f(MaximumOp, x, least)
    return x if most is None else f(MinimumOp, x, most)


def _clamp_max(f: Formula, x: SSAValue, most: Operand) -> SSAValue:
    return f(MinimumOp, x, most)


def _absolute(b: GraphBuilder, x: SSAValue) -> SSAValue:
    return x if is_bool(tensor_of(x).element_type) else b.emit(AbsOp.build_op([x]))


def _sign(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """1 above zero, -1 below, else 0, also of NaN."""
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
    """From the nearer end, as PyTorch does it."""
    way = f(SubOp, y, x)
    from_x = f(AddOp, x, f(MulOp, way, weight))
    from_y = f(SubOp, y, f(MulOp, way, f(SubOp, 1, weight)))
    if isinstance(weight, SSAValue):
        return f.where(f(LtOp, f(AbsOp, weight), 0.5), from_x, from_y)
    return from_x if abs(weight) < 0.5 else from_y


def _square(b: GraphBuilder, x: SSAValue) -> SSAValue:
    element = b.result.element_type
    f = Formula(b, compute_type(element))
    return b.cast(f(MulOp, x, x), element)


def _heaviside(f: Formula, x: SSAValue, at_zero: SSAValue) -> SSAValue:
    step = f.where(f.more(x, 0), 1, 0)
    zero = f.negation(f.differ(x, 0))
    return f.where(zero, at_zero, step)


_CLAMP = composed(_clamp, MaximumOp, MinimumOp)
_CLAMP_MAX = composed(_clamp_max, MinimumOp)
_LERP = composed(_interpolate, SubOp, MulOp, AddOp)

COMBINATIONS: dict[str, ImportRule] = {
    "aten.abs.default": ImportRule(_absolute, (AbsOp,)),
    "aten.absolute.default": ImportRule(_absolute, (AbsOp,)),
    "aten.sign.default": ImportRule(_sign, (LtOp, CastOp, SubOp)),
    "aten.sgn.default": ImportRule(_sign, (LtOp, CastOp, SubOp)),
    "aten.square.default": ImportRule(_square, (MulOp,)),
    "aten.maximum.default": _choice(MaximumOp),
    "aten.max.other": _choice(MaximumOp),
    "aten.minimum.default": _choice(MinimumOp),
    "aten.min.other": _choice(MinimumOp),
    "aten.clamp.default": _CLAMP,
    "aten.clamp.Tensor": _CLAMP,
    "aten.clamp_min.default": _CLAMP,
    "aten.clamp_min.Tensor": _CLAMP,
    "aten.clamp_max.default": _CLAMP_MAX,
    "aten.clamp_max.Tensor": _CLAMP_MAX,
    "aten.clip.default": _CLAMP,
    "aten.clip.Tensor": _CLAMP,
    "aten.addcmul.default": composed(_add_product, MulOp, AddOp),
    "aten.addcdiv.default": composed(_add_quotient, DivOp, AddOp),
    "aten.lerp.Scalar": _LERP,
    "aten.lerp.Tensor": _LERP,
    "aten.heaviside.default": composed(_heaviside, LtOp, WhereOp),
}
"""ATen overload -> how to build it."""
