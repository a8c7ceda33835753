"""Formulas of one float number, written with Python's operators, as loop bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars

Operand: TypeAlias = "Scalar | float"


@dataclass(frozen=True)
class Scalar:
    """A number of the loop body under construction; arithmetic on it makes ops."""

    body: Scalars
    value: SSAValue

    def __add__(self, other: Operand) -> Scalar:
        return self._emit(arith.AddfOp(self.value, self._of(other)))

    def __radd__(self, other: float) -> Scalar:
        return self + other

    def __mul__(self, other: Operand) -> Scalar:
        return self._emit(arith.MulfOp(self.value, self._of(other)))

    def __rmul__(self, other: float) -> Scalar:
        return self * other

    def __neg__(self) -> Scalar:
        return self._emit(arith.NegfOp(self.value))

    def __sub__(self, other: Operand) -> Scalar:
        return self._emit(arith.SubfOp(self.value, self._of(other)))

    def __abs__(self) -> Scalar:
        return self._emit(math.AbsFOp(self.value))

    def exp(self) -> Scalar:
        """e to the power of the number."""
        return self._emit(math.ExpOp(self.value))

    def log(self) -> Scalar:
        """The natural logarithm."""
        return self._emit(math.LogOp(self.value))

    def log1p(self) -> Scalar:
        """The logarithm of 1 + the number, without rounding that sum."""
        return self._emit(math.Log1pOp(self.value))

    def maximum(self, other: Operand) -> Scalar:
        """The larger one; NaN if one is."""
        found = self.body.maximum(self.value, self._of(other), self.value.type)
        return Scalar(self.body, found)

    def _of(self, other: Operand) -> SSAValue:
        if isinstance(other, Scalar):
            return other.value
        return self.body.constant(other, self.value.type)

    def _emit(self, op: Operation) -> Scalar:
        return Scalar(self.body, self.body.emit(op))


def lowering_of(
    formula: Callable[[Scalar], Scalar],
) -> Callable[[Operation, Lowering], SSAValue]:
    """The lowering of an op with one operand: a parallel loop with this formula."""

    def lower(op: Operation, lowering: Lowering) -> SSAValue:
        return lowering.pointwise(
            [op.operands[0]],
            lowering.result_type,
            lambda s, args: [formula(Scalar(s, args[0])).value],
        )

    return lower
