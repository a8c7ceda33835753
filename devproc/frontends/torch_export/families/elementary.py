"""ATen's elementary functions and powers."""

from __future__ import annotations

from math import pi

import torch
from torch import Tensor
from xdsl.ir import SSAValue

from devproc.dialects.nn import elementary as nn
from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.compare import EqOp, WhereOp
from devproc.dialects.nn.pointwise import DivOp, MulOp, SqrtOp, SubOp
from devproc.frontends.torch_export.elementwise.bits import BITS
from devproc.frontends.torch_export.elementwise.formula import (
    Formula,
    Operand,
    composed,
    single_op,
)
from devproc.frontends.torch_export.elementwise.special import SPECIAL
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    rows_of,
)
from devproc.frontends.torch_export.graph.composites import composed_of, traced
from devproc.ir.types import is_float

ROUNDINGS = (nn.CeilOp, nn.FloorOp, nn.RoundOp, nn.TruncOp)


def _function(op: type[NNOp]) -> ImportRule:
    """The rule of a function of one operand; integers are promoted first."""

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
    """Small exponents as PyTorch special-cases them; other powers by `nn.pow`."""
    if isinstance(y, SSAValue) or not isinstance(x, SSAValue):
        return f(nn.PowOp, x, y)
    if y == 1:
        return x
    if y == 2:
        return f(MulOp, x, x)
    if y == 3:
        return f(MulOp, f(MulOp, x, x), x)
    if y == 0.5 and is_float(f.element):
        return f(SqrtOp, x)
    if y in (-0.5, -1, -2) and is_float(f.element):
        return f(DivOp, 1, _power(f, x, -y))
    return f(nn.PowOp, x, y)


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
    """pi below zero, else 0; NaN for NaN."""
    dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    return torch.where(x < 0, pi, torch.where(x != x, x, 0)).to(dtype)


_ROUND = (nn.RoundOp, MulOp, DivOp)
_LOGIT = (nn.LogOp, DivOp, SubOp)

IMPORTS: dict[str, ImportRule] = {
    **BITS,
    **SPECIAL,
    **traced(
        "ldexp.Tensor logaddexp logaddexp2 mvlgamma special_entr special_multigammaln "
        "special_xlog1py special_xlog1py.other_scalar special_xlog1py.self_scalar"
    ),
    "aten.angle.default": composed_of(_angle),
    **{f"aten.{op.name.removeprefix('nn.')}.default": _function(op) for op in nn.UNARY},
    **{
        f"aten.arc{op.name.removeprefix('nn.a')}.default": _function(op)
        for op in nn.UNARY
        if op.name.startswith(("nn.acos", "nn.asin", "nn.atan"))
    },
    **{
        f"aten.special_{op.name.removeprefix('nn.')}.default": _function(op)
        for op in (nn.ErfOp, nn.Exp2Op, nn.Expm1Op, nn.Log1pOp)
    },
    "aten.fix.default": _function(nn.TruncOp),
    **rows_of(composed(_round_decimals, *_ROUND), "round.decimals special_round"),
    "aten.frac.default": composed(_frac, nn.TruncOp, SubOp),
    **rows_of(
        composed(_power, nn.PowOp, MulOp, SqrtOp),
        "pow.Scalar pow.Tensor_Scalar pow.Tensor_Tensor float_power.Scalar "
        "float_power.Tensor_Scalar float_power.Tensor_Tensor",
    ),
    **rows_of(single_op(nn.Atan2Op), "atan2 arctan2"),
    **rows_of(
        composed(_xlogy, nn.LogOp, MulOp, WhereOp),
        "xlogy.Tensor xlogy.Scalar_Self xlogy.Scalar_Other special_xlogy "
        "special_xlogy.other_scalar special_xlogy.self_scalar",
    ),
    "aten.deg2rad.default": _scaled(pi / 180),
    "aten.rad2deg.default": _scaled(180 / pi),
    **rows_of(composed(_logit, *_LOGIT, each_rounded=True), "logit special_logit"),
    **rows_of(composed(_sinc, nn.SinOp, DivOp, WhereOp), "sinc special_sinc"),
}
"""ATen overload -> import rule."""
