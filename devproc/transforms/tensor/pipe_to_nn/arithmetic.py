"""Arithmetic between values: the `nn` ops of the same names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import compare, pointwise
from devproc.dialects.nn.base import NNOp
from devproc.dialects.pipe import arithmetic
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


def _wide(e: Expressions, value: SSAValue) -> Expression:
    """Arithmetic on uint16 in a wider dtype, as PyTorch, the reference, lacks it."""
    x = e.of(value)
    return x.cast("int32") if x.dtype == "uint16" else x


def _arithmetic(op_class: type[NNOp]) -> Callable[..., Sequence[SSAValue]]:
    def lower(op: arithmetic.BinaryOp, e: Expressions) -> Sequence[SSAValue]:
        found = e.apply(op_class, _wide(e, op.lhs), _wide(e, op.rhs))
        return [found.cast(e.of(op.lhs).dtype).ssa]

    return lower


def _plain(op_class: type[NNOp]) -> Callable[..., Sequence[SSAValue]]:
    def lower(op: Operation, e: Expressions) -> Sequence[SSAValue]:
        return [e.apply(op_class, *(_wide(e, x) for x in op.operands)).ssa]

    return lower


def _not(op: arithmetic.LogicalNotOp, e: Expressions) -> Sequence[SSAValue]:
    return [e.apply(compare.XorOp, e.of(op.operand), True).ssa]


def _where(op: arithmetic.WhereOp, e: Expressions) -> Sequence[SSAValue]:
    return [e.where(e.of(op.condition), e.of(op.lhs), e.of(op.rhs)).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    arithmetic.AddOp: _arithmetic(pointwise.AddOp),
    arithmetic.DivideOp: _arithmetic(pointwise.DivOp),
    arithmetic.EqualOp: _plain(compare.EqOp),
    arithmetic.LessEqualOp: _plain(compare.LeOp),
    arithmetic.LessOp: _plain(compare.LtOp),
    arithmetic.LogicalAndOp: _plain(compare.AndOp),
    arithmetic.LogicalNotOp: _not,
    arithmetic.LogicalOrOp: _plain(compare.OrOp),
    arithmetic.MaximumOp: _arithmetic(pointwise.MaximumOp),
    arithmetic.MinimumOp: _arithmetic(pointwise.MinimumOp),
    arithmetic.MultiplyOp: _arithmetic(pointwise.MulOp),
    arithmetic.SubtractOp: _arithmetic(pointwise.SubOp),
    arithmetic.WhereOp: _where,
}
"""op class -> its lowering."""
