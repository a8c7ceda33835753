"""Activation functions: those with an `nn` op of their own, and others as formulas."""

from __future__ import annotations

from functools import partial

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from devproc.dialects.nn.activations import GeluOp, HardsigmoidOp, HardswishOp, SiluOp
from devproc.dialects.nn.compare import AndOp, LeOp, WhereOp
from devproc.dialects.nn.elementary import Expm1Op, Log1pOp, TanhOp
from devproc.dialects.nn.pointwise import (
    AbsOp,
    AddOp,
    DivOp,
    ExpOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    SubOp,
)
from devproc.frontends.torch_export.elementwise.formula import Formula, composed
from devproc.frontends.torch_export.families.pointwise import unary
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    Unavailable,
    rows_of,
    shape_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.frontends.torch_export.graph.problems import training_mode

SELU_ALPHA, SELU_SCALE = 1.6732632423543772848, 1.0507009873554804934


def _gelu(b: GraphBuilder, x: SSAValue, approximate: str = "none") -> SSAValue:
    return b.emit(GeluOp.build_op([x], {"approximate": StringAttr(approximate)}))


def _hard_tanh(
    f: Formula, x: SSAValue, least: Number = -1, most: Number = 1
) -> SSAValue:
    return f(MinimumOp, f(MaximumOp, x, least), most)


def _leaky_relu(f: Formula, x: SSAValue, slope: Number = 0.01) -> SSAValue:
    return f.where(f.more(x, 0), x, f(MulOp, x, slope))


def _rrelu(
    f: Formula,
    x: SSAValue,
    lower: float,
    upper: float,
    training: bool = False,
    *_: object,
) -> SSAValue:
    if training:
        raise training_mode("rrelu")
    return _leaky_relu(f, x, (lower + upper) / 2)


def _prelu(f: Formula, x: SSAValue, weight: SSAValue) -> SSAValue:
    rank = len(shape_of(x))
    if shape_of(weight) and rank > 1:
        weight = f.b.reshape(weight, [*shape_of(weight), *[1] * (rank - 2)])
    elif shape_of(weight):
        weight = f.b.reshape(weight, shape_of(x) and [1])
    return f.where(f.more(x, 0), x, f(MulOp, weight, x))


def _elu(
    f: Formula,
    x: SSAValue,
    alpha: Number = 1,
    scale: Number = 1,
    input_scale: Number = 1,
) -> SSAValue:
    power = f(Expm1Op, f(MulOp, x, input_scale))
    below = f(MulOp, power, float(alpha) * float(scale))
    return f.where(f(LeOp, x, 0), below, f(MulOp, x, scale))


def _celu(f: Formula, x: SSAValue, alpha: Number = 1) -> SSAValue:
    return _elu(f, x, alpha, 1, 1 / alpha)


def _softplus(
    f: Formula, x: SSAValue, beta: Number = 1, threshold: Number = 20
) -> SSAValue:
    scaled = f(MulOp, x, beta)
    value = f(DivOp, f(Log1pOp, f(ExpOp, scaled)), beta)
    return f.where(f.more(scaled, threshold), x, value)


def _mish(f: Formula, x: SSAValue) -> SSAValue:
    return f(MulOp, x, f(TanhOp, f(Log1pOp, f(ExpOp, x))))


def _log_sigmoid(f: Formula, x: SSAValue) -> SSAValue:
    decay = f(ExpOp, f(MulOp, f(AbsOp, x), -1))
    return f(SubOp, f(MinimumOp, x, 0), f(Log1pOp, decay))


def _hard_shrink(f: Formula, x: SSAValue, size: Number = 0.5) -> SSAValue:
    inside = f.logic(AndOp, f(LeOp, -size, x), f(LeOp, x, size))
    return f.where(inside, 0, x)


def _soft_shrink(f: Formula, x: SSAValue, size: Number = 0.5) -> SSAValue:
    below = f.where(f.more(-size, x), f(AddOp, x, size), f(MulOp, x, 0))
    return f.where(f.more(x, size), f(SubOp, x, size), below)


def _threshold(f: Formula, x: SSAValue, limit: Number, value: Number) -> SSAValue:
    return f.where(f(LeOp, x, limit), value, x)


_LOG_SIGMOID = composed(_log_sigmoid, ExpOp, Log1pOp, MinimumOp)


def _log_sigmoid_forward(b: GraphBuilder, x: SSAValue) -> tuple[SSAValue, Unavailable]:
    buffer = Unavailable("the buffer is for the gradient only", "do not use it")
    return _LOG_SIGMOID.build(b, x), buffer


_CLAMPED = (MaximumOp, MinimumOp)
_LINEAR_BELOW = (MulOp, WhereOp)
_EXPONENTIAL_BELOW = (Expm1Op, MulOp, WhereOp)

IMPORTS: dict[str, ImportRule] = {
    **traced("glu"),
    "aten.log_sigmoid_forward.default": ImportRule(
        _log_sigmoid_forward, _LOG_SIGMOID.makes
    ),
    "aten.gelu.default": ImportRule(_gelu, (GeluOp,)),
    "aten.hardsigmoid.default": unary(HardsigmoidOp),
    "aten.hardswish.default": unary(HardswishOp),
    "aten.silu.default": unary(SiluOp),
    "aten.hardtanh.default": composed(_hard_tanh, *_CLAMPED),
    "aten.relu6.default": composed(partial(_hard_tanh, least=0, most=6), *_CLAMPED),
    "aten.leaky_relu.default": composed(_leaky_relu, *_LINEAR_BELOW),
    "aten.rrelu.default": composed(_rrelu, *_LINEAR_BELOW),
    **rows_of(composed(_prelu, *_LINEAR_BELOW), "prelu _prelu_kernel"),
    "aten.elu.default": composed(_elu, *_EXPONENTIAL_BELOW),
    "aten.celu.default": composed(_celu, *_EXPONENTIAL_BELOW),
    "aten.selu.default": composed(
        partial(_elu, alpha=SELU_ALPHA, scale=SELU_SCALE), *_EXPONENTIAL_BELOW
    ),
    "aten.softplus.default": composed(_softplus, ExpOp, Log1pOp, DivOp, WhereOp),
    "aten.mish.default": composed(_mish, ExpOp, Log1pOp, TanhOp, MulOp),
    "aten.log_sigmoid.default": _LOG_SIGMOID,
    "aten.hardshrink.default": composed(_hard_shrink, LeOp, WhereOp),
    "aten.softshrink.default": composed(_soft_shrink, AddOp, SubOp, WhereOp),
    "aten.threshold.default": composed(_threshold, LeOp, WhereOp),
}
"""ATen overload -> import rule."""
