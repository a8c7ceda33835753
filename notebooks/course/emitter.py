"""Making `nn` ops inside of a rewrite pattern, in one word each."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import AddOp, DivOp, MulOp, SqrtOp, SubOp
from devproc.dialects.nn.shape import ReshapeOp
from devproc.ir.types import tensor, tensor_of

Value: TypeAlias = SSAValue


class Emitter:
    """Makes ops in front of the one that is rewritten, and returns their results."""

    def __init__(self, rewriter: PatternRewriter) -> None:
        self._rewriter = rewriter

    def add(self, a: Value, b: Value) -> Value:
        return self._emit(AddOp, a, b)

    def sub(self, a: Value, b: Value) -> Value:
        return self._emit(SubOp, a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return self._emit(MulOp, a, b)

    def div(self, a: Value, b: Value) -> Value:
        return self._emit(DivOp, a, b)

    def sqrt(self, a: Value) -> Value:
        return self._emit(SqrtOp, a)

    def constant(self, number: float) -> Value:
        return self._insert(ConstantOp.of(tensor(f32, ()), [number]))

    def column(self, a: Value) -> Value:
        """The numbers of a vector as a matrix of one column."""
        return self._insert(ReshapeOp.to(a, [*tensor_of(a).get_shape(), 1]))

    def _emit(self, kind: type[NNOp], *operands: Value) -> Value:
        return self._insert(kind.build_op(operands))

    def _insert(self, op: Operation) -> Value:
        return self._rewriter.insert(op).results[0]
