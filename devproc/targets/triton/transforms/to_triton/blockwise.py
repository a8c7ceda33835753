"""Float arithmetic on blocks, the builder of the elementary functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float64Type, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.arithmetic.float_builder import FloatBuilder, round_to_type
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder
from devproc.targets.triton.transforms.to_triton.constants import constant_value

NATIVE: frozenset[type[Operation]] = frozenset(
    {
        *(math.CosOp, math.ErfOp, math.Exp2Op, math.ExpOp, math.Log2Op, math.LogOp),
        *(math.RsqrtOp, math.SinOp, math.FloorOp, math.CeilOp),
    }
)
"""Functions of `tl`: instructions in f32, NVIDIA's library in f64."""

FOLDED: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
}
"""Integer ops that are folded if both operands are constant."""


@dataclass(frozen=True)
class Blockwise(FloatBuilder):
    """Arithmetic on blocks of f32 or f64; scalar operands are splatted.

    `like` is the element type.
    """

    b: BlockBuilder
    like: Attribute
    for_single: bool = False

    @property
    def bits(self) -> int:
        """Width of the float type."""
        return 64 if isinstance(self.like, Float64Type) else 32

    @property
    def native(self) -> frozenset[type[Operation]]:
        """The functions that `tl` supports."""
        return NATIVE

    @property
    def terms(self) -> int:
        """The key of the full polynomials; f32 results are rounded f64 results."""
        return self.bits

    def value(self, op: type[Operation], operands: tuple[SSAValue, ...]) -> SSAValue:
        """An op on elements."""
        return self.b.elementwise(op, *operands)

    def number(self, value: float) -> SSAValue:
        """A float constant."""
        return self.b.constant(round_to_type(value, self.bits), self.like)

    def integer(self, value: int) -> SSAValue:
        """An integer constant of the width of a float."""
        return self.b.constant(value, IntegerType(self.bits))

    def integer_op(self, op: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        """An op on integers."""
        x, y = constant_value(a), constant_value(b)
        if isinstance(x, int) and isinstance(y, int) and op in FOLDED:
            return self.integer(FOLDED[op](x, y))
        return self.value(op, (a, b))

    def as_integer(self, a: SSAValue) -> SSAValue:
        """The bits of a float."""
        known = constant_value(a)
        if known is None:
            return self.b.cast("bitcast", a, IntegerType(self.bits))
        number = np.float64(known) if self.bits == 64 else np.float32(known)
        return self.integer(int(number.view(f"int{self.bits}")))

    def as_float(self, a: SSAValue) -> SSAValue:
        """The float with these bits."""
        return self.b.cast("bitcast", a, self.like)

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c`, rounded once."""
        return self.value(math.FmaOp, (a, b, c))

    def copy_sign(self, magnitude: SSAValue, sign: SSAValue) -> SSAValue:
        """`magnitude` with the sign of `sign`, bitwise, since `tl` has no function."""
        sign_bit = 1 << (self.bits - 1)
        size, minus = (
            self.integer_op(arith.AndIOp, self.as_integer(value), self.integer(mask))
            for value, mask in ((magnitude, sign_bit - 1), (sign, -sign_bit))
        )
        return self.as_float(self.integer_op(arith.OrIOp, size, minus))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """A comparison by an arith predicate."""
        return self.b.compare(predicate, a, b)

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` where the mask is set, else `b`."""
        return self.b.where(mask, a, b)
