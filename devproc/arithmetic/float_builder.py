"""Abstract float arithmetic, in which the elementary functions are written."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.arithmetic.polynomials import FOR_SINGLE, Polynomial


def round_to_type(value: float, bits: int) -> float:
    """The float of this width that is nearest to `value`."""
    return struct.unpack("f", struct.pack("f", value))[0] if bits == 32 else value


class FloatBuilder(ABC):
    """Builds arithmetic on f32 or f64, on one number or several at once.

    `like` is the type of the numbers; integers of the same width hold their bits.
    `for_single`: f64 arithmetic with f32 inputs and results, so that no number
    overflows or underflows in f64.
    """

    like: Attribute
    for_single: bool

    @property
    @abstractmethod
    def bits(self) -> int:
        """Width of the float type."""

    @property
    @abstractmethod
    def native(self) -> Collection[type[Operation]]:
        """The functions with an instruction on the target; others are expanded."""

    @property
    def terms(self) -> int:
        """The key of the polynomials that are precise enough."""
        return FOR_SINGLE if self.for_single else self.bits

    # One op each, of the target's dialects.

    @abstractmethod
    def value(self, op: type[Operation], operands: tuple[SSAValue, ...]) -> SSAValue:
        """An op whose result has the type of its operands."""

    @abstractmethod
    def number(self, value: float) -> SSAValue:
        """A float constant, rounded to the type."""

    @abstractmethod
    def integer(self, value: int) -> SSAValue:
        """An integer constant as wide as a float."""

    @abstractmethod
    def integer_op(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        """An `arith` op on integers."""

    @abstractmethod
    def as_integer(self, a: SSAValue) -> SSAValue:
        """The bits of a float."""

    @abstractmethod
    def as_float(self, a: SSAValue) -> SSAValue:
        """The float of these bits."""

    @abstractmethod
    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c`, rounded once if the target supports it, else twice."""

    @abstractmethod
    def copy_sign(self, magnitude: SSAValue, sign: SSAValue) -> SSAValue:
        """The first operand with the sign of the second."""

    @abstractmethod
    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Compare floats (`o..`, `u..`) or integers (`s..`, `u..`, `eq`, `ne`)."""

    @abstractmethod
    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """The first value where the mask is set, else the second."""

    # Derived arithmetic.

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Sum of floats."""
        return self.value(arith.AddfOp, (a, b))

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Difference of floats."""
        return self.value(arith.SubfOp, (a, b))

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Product of floats."""
        return self.value(arith.MulfOp, (a, b))

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Quotient of floats."""
        return self.value(arith.DivfOp, (a, b))

    def absolute(self, a: SSAValue) -> SSAValue:
        """Absolute value."""
        return self.value(math.AbsFOp, (a,))

    def sqrt(self, a: SSAValue) -> SSAValue:
        """Square root, correctly rounded."""
        return self.value(math.SqrtOp, (a,))

    def fma_of_near(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c` where the two nearly cancel: exact, or rounded once."""
        return self.fma(a, b, c)

    def clamp(self, x: SSAValue, low: float, high: float) -> SSAValue:
        """Clamp between two numbers; NaN is preserved."""
        least, most = self.number(low), self.number(high)
        x = self.select(self.compare("olt", x, least), least, x)
        return self.select(self.compare("ogt", x, most), most, x)

    def polynomial(self, table: Mapping[int, Polynomial], x: SSAValue) -> SSAValue:
        """Evaluate the polynomial of sufficient precision: Horner's scheme, one fused
        multiply-add per power."""
        key = self.terms if self.terms in table else self.bits
        *rest, last = table[key].coefficients
        result = self.number(last)
        for coefficient in reversed(rest):
            result = self.fma(result, x, self.number(coefficient))
        return result


Expansion: TypeAlias = Callable[..., SSAValue]
"""The expansion of a function: from a `FloatBuilder` and operands to the result."""
