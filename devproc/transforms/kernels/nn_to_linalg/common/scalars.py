"""Builds the scalar bodies of structured loops from `arith` and `math` ops."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.ir.types import (
    is_bool,
    is_float,
    is_unsigned,
    item_size,
    signless,
    tensor_of,
)

ANY_ZERO = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])
"""Either of 0 and -0 may be the larger one, as in PyTorch: processors differ."""


def compute_type(element: Attribute) -> Attribute:
    """The type to compute in: f32 for f16 and bf16; integers are signless."""
    if is_float(element):
        return f32 if item_size(element) < 4 else element
    return signless(element)


def constant_attribute(value: float, element: Attribute) -> FloatAttr | IntegerAttr:
    """An attribute of a signless element type for a number; integers wrap."""
    if isinstance(element, AnyFloat):
        return FloatAttr(float(value), element)
    number = int(value)
    if isinstance(element, IndexType):
        return IntegerAttr(number, element)
    width = item_bits(element)
    number &= (1 << width) - 1
    if width > 1 and number >> (width - 1):
        number -= 1 << width
    return IntegerAttr(number, width)


class Scalars:
    """Appends scalar ops to the body of a loop."""

    double = f64

    def __init__(self, block: Block):
        self.block = block

    def emit(self, op: Operation) -> SSAValue:
        """Append an op of one result; returns it."""
        self.block.add_op(op)
        return op.results[0]

    def constant(self, value: float, element: Attribute) -> SSAValue:
        """A constant of a signless element type."""
        return self.emit(arith.ConstantOp(constant_attribute(value, element)))

    def loop_index(self, position: int) -> SSAValue:
        """The index of a loop."""
        return self.emit(IndexOp(position))

    def extract(self, source: SSAValue, indices: list[SSAValue]) -> SSAValue:
        """The element of a captured tensor at computed indices."""
        element = tensor_of(source).element_type
        return self.emit(tensor.ExtractOp(source, indices, element))

    def widen(self, value: SSAValue, element: Attribute | None = None) -> SSAValue:
        """Extend f16 and bf16 to f32, or any float to `element` if that is wider."""
        element = element or compute_type(value.type)
        if is_float(value.type) and item_size(value.type) < item_size(element):
            return self.emit(arith.ExtFOp(value, cast(AnyFloat, element)))
        return value

    def narrow(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Round a float to a narrower type (to f32 first if it is a 16-bit type)."""
        if value.type == element or not is_float(element):
            return value
        if isinstance(value.type, Float64Type) and item_size(element) == 2:
            value = self.emit(arith.TruncFOp(value, f32))
        return self.emit(arith.TruncFOp(value, cast(AnyFloat, element)))

    def maximum(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        """The maximum, propagating NaN; `element` is the dtype with its signedness."""
        if is_float(element):
            return self.emit(arith.MaximumfOp(a, b, ANY_ZERO))
        if is_unsigned(element):
            return self.emit(arith.MaxUIOp(a, b))
        return self.emit(arith.MaxSIOp(a, b))

    def minimum(self, a: SSAValue, b: SSAValue, element: Attribute) -> SSAValue:
        """The minimum, propagating NaN; `element` is the dtype with its signedness."""
        if is_float(element):
            return self.emit(arith.MinimumfOp(a, b, ANY_ZERO))
        if is_unsigned(element):
            return self.emit(arith.MinUIOp(a, b))
        return self.emit(arith.MinSIOp(a, b))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Compare integers (`eq`, `slt`, `ult`...) or floats (`oeq`, `olt`...)."""
        op = arith.CmpfOp if is_float(a.type) else arith.CmpiOp
        return self.emit(op(a, b, predicate))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` if the condition holds, else `b`."""
        return self.emit(arith.SelectOp(condition, a, b))

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The sum; integers wrap."""
        op = arith.AddfOp if is_float(a.type) else arith.AddiOp
        return self.emit(op(a, b))

    def multiply(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The product; integers wrap."""
        op = arith.MulfOp if is_float(a.type) else arith.MuliOp
        return self.emit(op(a, b))

    def cast(self, value: SSAValue, source: Attribute, to: Attribute) -> SSAValue:
        """Conversion between dtypes as in C, and thus as PyTorch casts."""
        if source == to:
            return value
        if is_bool(to):
            return self._nonzero(value)
        if is_float(to):
            return self._to_float(value, source, to)
        return self._to_integer(value, source, to)

    def _nonzero(self, value: SSAValue) -> SSAValue:
        zero = self.constant(0, value.type)
        if is_float(value.type):
            return self.emit(arith.CmpfOp(value, zero, "une"))
        return self.emit(arith.CmpiOp(value, zero, "ne"))

    def _to_float(self, value: SSAValue, source: Attribute, to: Attribute) -> SSAValue:
        wide = compute_type(to)
        if is_float(source):
            return self.narrow(self.widen(value, wide), to)
        op = arith.UIToFPOp if is_unsigned(source) else arith.SIToFPOp
        return self.narrow(self.emit(op(value, cast(AnyFloat, wide))), to)

    def _to_integer(
        self, value: SSAValue, source: Attribute, to: Attribute
    ) -> SSAValue:
        target = signless(to)
        if is_float(source):
            # Small integers go through i32: out of range they wrap, as casts in C.
            whole = i64 if target == i64 else i32
            value = self.emit(arith.FPToSIOp(self.widen(value), whole))
            source = whole
        have, want = item_bits(source), item_bits(target)
        if have == want:
            return value
        if have > want:
            return self.emit(arith.TruncIOp(value, cast(IntegerType, target)))
        op = arith.ExtUIOp if is_unsigned(source) else arith.ExtSIOp
        return self.emit(op(value, cast(IntegerType, target)))

    def is_nan(self, value: SSAValue) -> SSAValue:
        """Whether a float is NaN."""
        return self.emit(arith.CmpfOp(value, value, "uno"))

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Logical and."""
        return self.emit(arith.AndIOp(a, b))

    def either(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Logical or."""
        return self.emit(arith.OrIOp(a, b))

    def invert(self, a: SSAValue) -> SSAValue:
        """Logical not."""
        return self.emit(arith.XOrIOp(a, self.constant(1, i1)))


def item_bits(element: Attribute) -> int:
    """Width of an integer type in bits; 1 for bool."""
    return cast(IntegerType, element).width.data
