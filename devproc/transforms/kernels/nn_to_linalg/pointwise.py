"""Pointwise ops: one scalar rule each, in the compute type of the dtype.

f16 and bf16 are computed in f32 and rounded after each op, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn import pointwise as nn
from devproc.ir.types import is_float, is_unsigned
from devproc.transforms.kernels.nn_to_linalg.common.division import quotient, remainder
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars

ScalarRule: TypeAlias = Callable[[Scalars, list[SSAValue], Attribute], SSAValue]
"""(builder, widened operands, dtype with its signedness) -> the value of the op."""


def _relu(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
    if is_unsigned(dtype):
        return args[0]
    return s.maximum(args[0], s.constant(0, args[0].type), dtype)


def _subtract(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
    op = arith.SubfOp if is_float(dtype) else arith.SubiOp
    return s.emit(op(args[0], args[1]))


def _absolute(s: Scalars, args: list[SSAValue], dtype: Attribute) -> SSAValue:
    if is_unsigned(dtype):
        return args[0]
    return s.emit((math.AbsFOp if is_float(dtype) else math.AbsIOp)(args[0]))


SCALARS: Mapping[type[Operation], ScalarRule] = {
    nn.AddOp: lambda s, args, _: s.add(args[0], args[1]),
    nn.SubOp: _subtract,
    nn.MulOp: lambda s, args, _: s.multiply(args[0], args[1]),
    nn.DivOp: lambda s, args, _: s.emit(arith.DivfOp(args[0], args[1])),
    nn.AbsOp: _absolute,
    nn.MaximumOp: lambda s, args, dtype: s.maximum(args[0], args[1], dtype),
    nn.MinimumOp: lambda s, args, dtype: s.minimum(args[0], args[1], dtype),
    nn.QuotientOp: quotient,
    nn.RemainderOp: remainder,
    nn.ReluOp: _relu,
    nn.ExpOp: lambda s, args, _: s.emit(math.ExpOp(args[0])),
    nn.SqrtOp: lambda s, args, _: s.emit(math.SqrtOp(args[0])),
}


def scalar_rule(rule: ScalarRule) -> Callable[[Operation, Lowering], SSAValue]:
    """A parallel loop over the result with the scalar rule of the op as its body."""

    def lower(op: Operation, lowering: Lowering) -> SSAValue:
        result = lowering.result_type
        dtype = lowering.dtype(op.operands[0])

        def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
            value = rule(s, [s.widen(a) for a in args], dtype)
            return [s.narrow(value, result.element_type)]

        return lowering.pointwise(list(op.operands), result, body)

    return lower


def lower_cast(op: Operation, lowering: Lowering) -> SSAValue:
    """A parallel loop of conversions; dtypes carry the signedness that types lack."""
    assert isinstance(op, nn.CastOp)
    source, to = lowering.dtype(op.operand), lowering.dtype(op.result)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        return [s.cast(args[0], source, to)]

    return lowering.pointwise([op.operand], lowering.result_type, body)


def lower_bitcast(op: Operation, lowering: Lowering) -> SSAValue:
    """A parallel loop of bitcasts; integers are signless here."""
    element = lowering.result_type.element_type

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        if args[0].type == element:
            return [args[0]]
        return [s.emit(arith.BitcastOp(args[0], element))]

    return lowering.pointwise(list(op.operands), lowering.result_type, body)


LOWERINGS = {
    **{op: scalar_rule(rule) for op, rule in SCALARS.items()},
    nn.BitcastOp: lower_bitcast,
    nn.CastOp: lower_cast,
}

NO_LOWERING: Mapping[type[Operation], str] = {}
