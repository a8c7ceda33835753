"""A builder of index arithmetic that folds constants, for any dialect."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

IndexT = TypeVar("IndexT", SSAValue, SSAValue | int)
"""An index during building: a value or a known integer."""


class IndexBuilder(ABC, Generic[IndexT]):
    """Builds index arithmetic, and folds ops on known integers.

    Indices are not negative where they are divided or compared.
    """

    DIVISION: ClassVar[type[Operation]]
    REMAINDER: ClassVar[type[Operation]]
    MINIMUM: ClassVar[type[Operation]]

    @abstractmethod
    def index(self, value: int) -> IndexT:
        """A known index."""

    @abstractmethod
    def known_index(self, value: IndexT) -> int | None:
        """The integer that an index is known to be; None if unknown."""

    @abstractmethod
    def index_op(self, op: type[Operation], a: IndexT, b: IndexT) -> IndexT:
        """Build an op on two indices, at least one of them unknown."""

    def add(self, a: IndexT, b: IndexT) -> IndexT:
        """Sum."""
        x, y = self.known_index(a), self.known_index(b)
        if x is not None and y is not None:
            return self.index(x + y)
        if x == 0 or y == 0:
            return b if x == 0 else a
        return self.index_op(arith.AddiOp, a, b)

    def sub(self, a: IndexT, b: IndexT) -> IndexT:
        """Difference."""
        x, y = self.known_index(a), self.known_index(b)
        if x is not None and y is not None:
            return self.index(x - y)
        return a if y == 0 else self.index_op(arith.SubiOp, a, b)

    def mul(self, a: IndexT, b: IndexT) -> IndexT:
        """Product."""
        x, y = self.known_index(a), self.known_index(b)
        if x is not None and y is not None:
            return self.index(x * y)
        if x == 1 or y == 1:
            return b if x == 1 else a
        if x == 0 or y == 0:
            return self.index(0)
        return self.index_op(arith.MuliOp, a, b)

    def div(self, a: IndexT, b: int) -> IndexT:
        """Quotient, rounded down."""
        x = self.known_index(a)
        if x is not None:
            return self.index(x // b)
        return a if b == 1 else self.index_op(self.DIVISION, a, self.index(b))

    def mod(self, a: IndexT, b: int) -> IndexT:
        """Remainder."""
        x = self.known_index(a)
        if x is not None or b == 1:
            return self.index((x or 0) % b)
        return self.index_op(self.REMAINDER, a, self.index(b))

    def minimum(self, a: IndexT, b: IndexT) -> IndexT:
        """The smaller of two."""
        x, y = self.known_index(a), self.known_index(b)
        if x is not None and y is not None:
            return self.index(min(x, y))
        return self.index_op(self.MINIMUM, a, b)

    def offset(self, a: IndexT, b: int) -> IndexT:
        """The sum of an index and a constant."""
        return a if b == 0 else self.add(a, self.index(b))

    def affine(self, kind: AffineBinaryOpKind, a: IndexT, b: IndexT) -> IndexT | None:
        """Build an affine expression of two indices; None if it is not supported."""
        divisor = self.known_index(b)
        match kind:
            case AffineBinaryOpKind.Add:
                return self.add(a, b)
            case AffineBinaryOpKind.Mul:
                return self.mul(a, b)
            case AffineBinaryOpKind.FloorDiv if divisor is not None:
                return self.div(a, divisor)
            case AffineBinaryOpKind.Mod if divisor is not None:
                return self.mod(a, divisor)
            case _:
                return None
