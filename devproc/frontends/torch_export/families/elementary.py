"""ATen's elementary functions and powers."""

from __future__ import annotations

from math import pi

import torch
from torch import Tensor
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import elementary as nn
from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.compare import EqOp, WhereOp
from devproc.dialects.nn.pointwise import DivOp, MulOp, SqrtOp, SubOp
from devproc.frontends.torch_export.elementwise.bits import BITS
from devproc.frontends.torch_export.elementwise.formula import (
    Formula,
    Operand,
    composed,
)
from devproc.frontends.torch_export.elementwise.special import SPECIAL
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
)
from devproc.frontends.torch_export.graph.composites import composed_of, traced
from devproc.ir.types import is_float

ROUNDINGS = (nn.CeilOp, nn.FloorOp, nn.RoundOp, nn.TruncOp)


def _function(op: type[NNOp]) -> ImportRule:
    """A row of a function of one operand; integers are promoted first."""

    def build(b: GraphBuilder, x: SSAValue) -> SSAValue:
        element = b.result.element_type
        if not is_float(element) and op in ROUNDINGS:
            return x
        return b.emit(op.build_op([b.cast(x, element)]))

    return ImportRule(build, (op,))


def _round_decimals(f: Formula, x: SSAValue, *, decimals: int = 0) -> SSAValue:
    if not is_float(f.element):
        return x
    if decimals == 0:
        return f(nn.RoundOp, x)
    power = 10.0 ** abs(decimals)
    if decimals > 0:
        return f(DivOp, f(nn.RoundOp, f(MulOp, x, power)), power)
    return f(MulOp, f(nn.RoundOp, f(DivOp, x, power)), power)


def _frac(f: Formula, x: SSAValue) -> SSAValue:
    return f(SubOp, x, f(nn.TruncOp, x))


def _power(f: Formula, x: Operand, y: Operand) -> SSAValue:
    """The powers that PyTorch computes without `pow`, and the others."""
    if isinstance(y, SSAValue) or not isinstance(x, SSAValue):
        return f(nn.PowOp, x, y)
    if y == 1:
        return x
    if y == 2:
        return f(MulOp, x, x)
    if y == 3:
        return f(MulOp, f(MulOp, x, x), x)
    if not is_float(f.element):
        return f(nn.PowOp, x, y)
    if y == 0.5:
        return f(SqrtOp, x)
    if y == -0.5:
        return f(DivOp, 1, f(SqrtOp, x))
    if y == -1:
        return f(DivOp, 1, x)
    if y == -2:
        return f(DivOp, 1, f(MulOp, x, x))
    return f(nn.PowOp, x, y)


def _atan2(f: Formula, y: SSAValue, x: SSAValue) -> SSAValue:
    return f(nn.Atan2Op, y, x)


def _xlogy(f: Formula, x: Operand, y: Operand) -> SSAValue:
    product = f(MulOp, x, f(nn.LogOp, y))
    value = f.where(f(EqOp, x, 0), 0, product)
    return f.where(f.differ(y, y), y, value)


def _scaled(factor: float) -> ImportRule:
    def scale(f: Formula, x: SSAValue) -> SSAValue:
        return f(MulOp, x, factor)

    return composed(scale, MulOp)


def _logit(f: Formula, x: SSAValue, eps: Number | None = None) -> SSAValue:
    if eps is not None:
        high = 1 - eps
        x = f.where(f.more(eps, x), eps, x)
        x = f.where(f.more(x, high), high, x)
    return f(nn.LogOp, f(DivOp, x, f(SubOp, 1, x)))


def _sinc(f: Formula, x: SSAValue) -> SSAValue:
    angle = f(MulOp, x, pi)
    return f.where(f(EqOp, x, 0), 1, f(DivOp, f(nn.SinOp, angle), angle))


def _angle(x: Tensor) -> Tensor:
    """pi below zero, else 0; NaN of NaN."""
    dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    return torch.where(x < 0, pi, torch.where(x != x, x, 0)).to(dtype)


_LOGIT = composed(_logit, nn.LogOp, DivOp, SubOp, each_rounded=True)
_SINC = composed(_sinc, nn.SinOp, DivOp, WhereOp)
_XLOGY = composed(_xlogy, nn.LogOp, MulOp, WhereOp)
_POWER = composed(_power, nn.PowOp, MulOp, SqrtOp)

IMPORTS: dict[str, ImportRule] = {
    **BITS,
    **SPECIAL,
    **traced(
        "aten.ldexp.Tensor",
        "aten.logaddexp.default",
        "aten.logaddexp2.default",
        "aten.mvlgamma.default",
        "aten.special_entr.default",
        "aten.special_multigammaln.default",
        "aten.special_xlog1py.default",
        "aten.special_xlog1py.other_scalar",
        "aten.special_xlog1py.self_scalar",
    ),
    "aten.angle.default": composed_of(_angle),
    **{f"aten.{op.name.removeprefix('nn.')}.default": _function(op) for op in nn.UNARY},
    "aten.arccos.default": _function(nn.AcosOp),
    "aten.arccosh.default": _function(nn.AcoshOp),
    "aten.arcsin.default": _function(nn.AsinOp),
    "aten.arcsinh.default": _function(nn.AsinhOp),
    "aten.arctan.default": _function(nn.AtanOp),
    "aten.arctanh.default": _function(nn.AtanhOp),
    "aten.special_erf.default": _function(nn.ErfOp),
    "aten.special_exp2.default": _function(nn.Exp2Op),
    "aten.special_expm1.default": _function(nn.Expm1Op),
    "aten.special_log1p.default": _function(nn.Log1pOp),
    "aten.special_logit.default": _LOGIT,
    "aten.special_round.default": composed(_round_decimals, nn.RoundOp, MulOp, DivOp),
    "aten.special_sinc.default": _SINC,
    "aten.special_xlogy.default": _XLOGY,
    "aten.special_xlogy.other_scalar": _XLOGY,
    "aten.special_xlogy.self_scalar": _XLOGY,
    "aten.fix.default": _function(nn.TruncOp),
    "aten.round.decimals": composed(_round_decimals, nn.RoundOp, MulOp, DivOp),
    "aten.frac.default": composed(_frac, nn.TruncOp, SubOp),
    "aten.pow.Scalar": _POWER,
    "aten.pow.Tensor_Scalar": _POWER,
    "aten.pow.Tensor_Tensor": _POWER,
    "aten.float_power.Scalar": _POWER,
    "aten.float_power.Tensor_Scalar": _POWER,
    "aten.float_power.Tensor_Tensor": _POWER,
    "aten.atan2.default": composed(_atan2, nn.Atan2Op),
    "aten.arctan2.default": composed(_atan2, nn.Atan2Op),
    "aten.xlogy.Tensor": _XLOGY,
    "aten.xlogy.Scalar_Self": _XLOGY,
    "aten.xlogy.Scalar_Other": _XLOGY,
    "aten.deg2rad.default": _scaled(pi / 180),
    "aten.rad2deg.default": _scaled(180 / pi),
    "aten.logit.default": _LOGIT,
    "aten.sinc.default": _SINC,
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {}
"""op class -> why no ATen operator becomes it."""
