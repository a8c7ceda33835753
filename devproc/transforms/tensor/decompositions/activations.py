"""Activations as elementwise arithmetic, in the order of PyTorch's formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi, sqrt

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.activations import GeluOp, HardsigmoidOp, HardswishOp, SiluOp
from devproc.dialects.nn.elementary import ErfOp, TanhOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.transforms.tensor.decompositions.rule import Decomposition, formula
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expression


def _gelu(op: GeluOp, builder: Builder) -> Sequence[SSAValue]:
    def value(x: Expression) -> Expression:
        apply = x.maker.apply
        if op.approximate.data == "tanh":
            share = apply(TanhOp, (x + x * x * x * 0.044715) * sqrt(2 / pi))
        else:
            share = apply(ErfOp, x * sqrt(0.5))
        return x * 0.5 * (share + 1.0)

    return formula(value, op.operand, builder)


def _clamp_six(x: Expression) -> Expression:
    """min(max(x + 3, 0), 6)."""
    return x.maker.minimum(x.maker.maximum(x + 3.0, 0.0), 6.0)


def _hardsigmoid(op: HardsigmoidOp, builder: Builder) -> Sequence[SSAValue]:
    return formula(lambda x: _clamp_six(x) / 6.0, op.operand, builder)


def _hardswish(op: HardswishOp, builder: Builder) -> Sequence[SSAValue]:
    return formula(lambda x: x * _clamp_six(x) / 6.0, op.operand, builder)


def _silu(op: SiluOp, builder: Builder) -> Sequence[SSAValue]:
    def value(x: Expression) -> Expression:
        return x / x.maker.apply(AddOp, 1.0, (x * -1.0).exp())

    return formula(value, op.operand, builder)


DECOMPOSITIONS: Mapping[type[Operation], Decomposition] = {
    GeluOp: _gelu,
    HardsigmoidOp: _hardsigmoid,
    HardswishOp: _hardswish,
    SiluOp: _silu,
}
"""op class -> its decomposition."""
