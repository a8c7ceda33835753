"""Write float formulas on blocks without spelling out ops and constant types."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from devproc.dialects.triton import element_of
from devproc.transforms.gpu.to_triton.builder import BlockBuilder


class Formula:
    """Float arithmetic; a plain number takes the element type of its partner."""

    def __init__(self, builder: BlockBuilder):
        self.b = builder

    def number(self, value: SSAValue | float, like: SSAValue) -> SSAValue:
        """A value, or a constant typed like another value."""
        if isinstance(value, SSAValue):
            return value
        return self.b.constant(value, element_of(like.type))

    def _binary(
        self, op: type[Operation], a: SSAValue | float, b: SSAValue | float
    ) -> SSAValue:
        like = a if isinstance(a, SSAValue) else b
        assert isinstance(like, SSAValue)
        return self.b.elementwise(op, self.number(a, like), self.number(b, like))

    def add(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        """a + b."""
        return self._binary(arith.AddfOp, a, b)

    def sub(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        """a - b."""
        return self._binary(arith.SubfOp, a, b)

    def mul(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        """a * b."""
        return self._binary(arith.MulfOp, a, b)

    def div(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        """a / b."""
        return self._binary(arith.DivfOp, a, b)

    def fma(self, a: SSAValue, b: SSAValue | float, c: SSAValue | float) -> SSAValue:
        """a * b + c, rounded once."""
        return self.b.elementwise(math.FmaOp, a, self.number(b, a), self.number(c, a))

    def abs(self, a: SSAValue) -> SSAValue:
        """|a|."""
        return self.b.elementwise(math.AbsFOp, a)

    def exp(self, a: SSAValue) -> SSAValue:
        """e^a."""
        return self.b.elementwise(math.ExpOp, a)

    def exp2(self, a: SSAValue) -> SSAValue:
        """2^a."""
        return self.b.elementwise(math.Exp2Op, a)

    def log(self, a: SSAValue) -> SSAValue:
        """The natural logarithm."""
        return self.b.elementwise(math.LogOp, a)

    def log2(self, a: SSAValue) -> SSAValue:
        """The binary logarithm."""
        return self.b.elementwise(math.Log2Op, a)

    def sqrt(self, a: SSAValue) -> SSAValue:
        """The square root."""
        return self.b.elementwise(math.SqrtOp, a)

    def floor(self, a: SSAValue) -> SSAValue:
        """The largest integer not above a."""
        return self.b.elementwise(math.FloorOp, a)

    def test(self, predicate: str, a: SSAValue, b: SSAValue | float) -> SSAValue:
        """A comparison."""
        return self.b.compare(predicate, a, self.number(b, a))

    def where(
        self,
        condition: SSAValue,
        a: SSAValue | float,
        b: SSAValue | float,
        like: SSAValue,
    ) -> SSAValue:
        """A choice, in the element type of `like`."""
        return self.b.where(condition, self.number(a, like), self.number(b, like))

    def polynomial(self, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
        """Horner's scheme, highest power first."""
        total: SSAValue | float = coefficients[0]
        for coefficient in coefficients[1:]:
            total = self.add(self.mul(total, x), coefficient)
        assert isinstance(total, SSAValue)
        return total

    def is_negative(self, x: SSAValue) -> SSAValue:
        """Whether the sign is minus, of zero and infinity too; NaN has none."""
        return self.test("olt", self.add(x, self.div(1.0, x)), 0.0)

    def signed(self, magnitude: SSAValue, sign: SSAValue) -> SSAValue:
        """A non-negative magnitude with the sign of a value."""
        negative = self.is_negative(sign)
        return self.where(negative, self.mul(magnitude, -1.0), magnitude, magnitude)
