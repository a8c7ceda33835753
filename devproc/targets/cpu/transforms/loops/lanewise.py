"""Float and integer arithmetic with one interface for scalars and vectors.

xDSL's `arith` compares, selects and casts scalars only; the vector forms are in the
`simd` dialect. `Lanewise` chooses by the type of the value.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import Float64Type, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.arithmetic.float_builder import FloatBuilder, round_to_type
from devproc.dialects import simd, simd_casts
from devproc.ir.types import is_float
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import (
    AnyVector,
    is_vector,
    is_vector_type,
    vector_type,
)

FLOAT_PREDICATES = arith.CMPF_COMPARISON_OPERATIONS
INTEGER_PREDICATES = arith.CMPI_COMPARISON_OPERATIONS


ROUNDINGS = frozenset({math.FloorOp, math.TruncOp})
"""Functions of `devproc.arithmetic` for which most processors have an instruction."""


@dataclass(frozen=True)
class Lanewise(FloatBuilder):
    """Arithmetic on f32 or f64, one number or a vector of them.

    `like` is the type of the numbers; integers of the same width hold their bits.
    `missing`: the features of `devproc.targets.cpu.machine.processors.INSTRUCTIONS`, and `ldexp`, that the
    processor lacks.
    """

    emitter: Emitter
    like: Attribute
    missing: tuple[str, ...] = ()
    for_single: bool = False

    @property
    def element(self) -> Attribute:
        """The float type of one lane."""
        if is_vector_type(self.like):
            return self.like.element_type
        return self.like

    @property
    def is_float(self) -> bool:
        """Whether the numbers are floats."""
        return is_float(self.element)

    @property
    def bits(self) -> int:
        """Width of the float type."""
        return 64 if isinstance(self.element, Float64Type) else 32

    @property
    def native(self) -> Collection[type[Operation]]:
        """The functions for which the processor has an instruction."""
        roundings = (
            frozenset[type[Operation]]() if "round" in self.missing else ROUNDINGS
        )
        scales = is_vector_type(self.like) and "ldexp" not in self.missing
        return roundings | {simd.LdexpOp} if scales else roundings

    def shaped(self, element: Attribute) -> Attribute:
        """The type with as many lanes as `like` and this element type."""
        if is_vector_type(self.like):
            return vector_type(element, self.like.get_shape()[0])
        return element

    @property
    def integers(self) -> Attribute:
        """Integers of the floats' width, as many lanes."""
        return self.shaped(IntegerType(self.bits))

    # Constants.

    def number(self, value: float) -> SSAValue:
        """A float constant in every lane."""
        return self.emitter.number(round_to_type(value, self.bits), self.like)

    def integer(self, value: int) -> SSAValue:
        """An integer constant in every lane."""
        return self.emitter.number(value, self.integers)

    # Arithmetic.

    def value(self, op: type[Operation], operands: tuple[SSAValue, ...]) -> SSAValue:
        """An op whose result has the type of its first operand."""
        return self.emitter.value(op, operands)

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c`, fused if the processor supports it, else rounded twice."""
        if "fma" in self.missing:
            return self.add(self.mul(a, b), c)
        op = vector.FMAOp if is_vector(a) else math.FmaOp
        return self.emitter.value(op, (a, b, c))

    def fma_of_near(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c` with nearly cancelling terms: exact, or rounded once."""
        if "fma" not in self.missing:
            return self.fma(a, b, c)
        product = self.mul(a, b)
        return self.add(self.add(product, c), self._lost(a, b, product))

    def _lost(self, a: SSAValue, b: SSAValue, product: SSAValue) -> SSAValue:
        """The rounding error of a product, from the halves of the factors (Dekker)."""
        (a_high, a_low), (b_high, b_low) = self._halves(a), self._halves(b)
        rest = self.sub(self.mul(a_high, b_high), product)
        rest = self.add(rest, self.mul(a_high, b_low))
        rest = self.add(rest, self.mul(a_low, b_high))
        return self.add(rest, self.mul(a_low, b_low))

    def _halves(self, a: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Two floats of half as many bits, whose sum is `a` (Veltkamp)."""
        shift = self.number(2.0**27 + 1 if self.bits == 64 else 2.0**12 + 1)
        moved = self.mul(a, shift)
        high = self.sub(moved, self.sub(moved, a))
        return high, self.sub(a, high)

    def copy_sign(self, magnitude: SSAValue, sign: SSAValue) -> SSAValue:
        """The first with the sign of the second."""
        return self.emitter.value(math.CopySignOp, (magnitude, sign))

    # Integers and bits.

    def integer_op(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        """An `arith` op on integers."""
        return self.emitter.value(op, (a, b))

    def as_integer(self, a: SSAValue) -> SSAValue:
        """The bits of a float."""
        return self.emitter.value(arith.BitcastOp, (a,), self.integers)

    def as_float(self, a: SSAValue) -> SSAValue:
        """The float of these bits."""
        return self.emitter.value(arith.BitcastOp, (a,), self.like)

    def float_of(self, a: SSAValue) -> SSAValue:
        """A signed integer as a float."""
        op = simd_casts.SIToFPOp if is_vector(a) else arith.SIToFPOp
        return self.emitter.value(op, (a,), self.like)

    # Choices.

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Compare floats (`o..`, `u..`) or integers (`s..`, `u..`, `eq`, `ne`)."""
        return compare(self.emitter, predicate, a, b)

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """The first where the mask is set, else the second."""
        return select(self.emitter, mask, a, b)


def compare(emitter: Emitter, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
    """Compare scalars or vectors of one type; floats by `o..` and `u..`."""
    element = cast(AnyVector, a.type).element_type if is_vector(a) else a.type
    floats = not isinstance(element, IntegerType) and element.name != "index"
    if is_vector(a):
        op = simd.CmpfOp if floats else simd.CmpiOp
        return emitter.append(op(predicate, a, b)).results[0]
    names: Sequence[str] = FLOAT_PREDICATES if floats else INTEGER_PREDICATES
    number = IntegerAttr(names.index(predicate), i64)
    op = arith.CmpfOp if floats else arith.CmpiOp
    return emitter.value(op, (a, b), i1, {"predicate": number})


def select(emitter: Emitter, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    """Per lane the first where the mask is set, else the second."""
    op = simd.SelectOp if is_vector(mask) else arith.SelectOp
    return emitter.value(op, (mask, a, b), a.type)
