"""The casts of the `simd` dialect, and helpers for all its ops."""

from __future__ import annotations

from abc import ABC
from typing import cast

from xdsl.dialects.builtin import (
    I1,
    AnyFloat,
    IndexType,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.ir.op_definition import op_definition

IntegerLike = base(IntegerType) | base(IndexType)


def vector_of(value: SSAValue) -> VectorType[Attribute]:
    """The type of a value that is known to be a vector."""
    return cast(VectorType[Attribute], value.type)


def mask_type(like: VectorType[Attribute]) -> VectorType[I1]:
    """The type of a mask with as many lanes as `like`."""
    return VectorType(i1, like.get_shape())


def verify_lanes(op: Operation, *values: SSAValue) -> None:
    """Verify that the vectors are one-dimensional and of equal length."""
    shapes = [vector_of(value).get_shape() for value in values]
    if any(len(shape) != 1 for shape in shapes) or len(set(shapes)) != 1:
        listed = ", ".join(str(value.type) for value in values)
        raise VerifyException(
            f"'{op.name}' needs one-dimensional vectors of equal length, got {listed}"
        )


class CastOp(IRDLOperation, ABC):
    """Base class of the casts; subclasses define the legal element types."""

    input = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, input: SSAValue, result_type: VectorType[Attribute]):
        super().__init__(operands=[input], result_types=[result_type])

    def verify_(self) -> None:
        verify_lanes(self, self.input, self.result)
        source = vector_of(self.input).element_type
        target = vector_of(self.result).element_type
        if not self.accepts(source, target):
            raise VerifyException(f"'{self.name}' cannot cast {source} to {target}")

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        """Whether the op casts between these element types."""
        raise NotImplementedError


def integer_width(element: Attribute) -> int | None:
    """Bit width of a sized integer; None for any other type."""
    if isinstance(element, IntegerType):
        return cast(IntegerType, element).width.data
    return None


def _is_wider(target: Attribute, source: Attribute) -> bool:
    wide, narrow = integer_width(target), integer_width(source)
    return wide is not None and narrow is not None and wide > narrow


class IntegerToFloatOp(CastOp, ABC):
    """A cast from integers to floats."""

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return integer_width(source) is not None and isinstance(target, AnyFloat)


class FloatToIntegerOp(CastOp, ABC):
    """A cast from floats to integers, towards zero; out of range is undefined."""

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return isinstance(source, AnyFloat) and integer_width(target) is not None


class ExtendOp(CastOp, ABC):
    """A cast to wider integers."""

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return _is_wider(target, source)


@op_definition
class ExtSIOp(ExtendOp):
    """Widen signed integers: `simd.extsi %x : vector<16xi8> to vector<16xi32>`."""

    name = "simd.extsi"


@op_definition
class ExtUIOp(ExtendOp):
    """Widen unsigned integers: `simd.extui %x : vector<16xi8> to vector<16xi32>`."""

    name = "simd.extui"


@op_definition
class TruncIOp(CastOp):
    """Keep the low bits: `simd.trunci %x : vector<16xi32> to vector<16xi8>`."""

    name = "simd.trunci"

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return _is_wider(source, target)


@op_definition
class IndexCastOp(CastOp):
    """Between index and integers: `simd.index_cast %x : vector<8xi32> to vector<8xindex>`.

    Widening keeps the sign.
    """

    name = "simd.index_cast"

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return {isinstance(source, IndexType), isinstance(target, IndexType)} == {
            True,
            False,
        } and (integer_width(source) or integer_width(target)) is not None


@op_definition
class SIToFPOp(IntegerToFloatOp):
    """Signed integers to floats: `simd.sitofp %x : vector<8xi32> to vector<8xf32>`."""

    name = "simd.sitofp"


@op_definition
class UIToFPOp(IntegerToFloatOp):
    """Unsigned integers to floats: `simd.uitofp %x : vector<8xi8> to vector<8xf32>`."""

    name = "simd.uitofp"


@op_definition
class FPToSIOp(FloatToIntegerOp):
    """Floats to signed integers: `simd.fptosi %x : vector<8xf32> to vector<8xi32>`."""

    name = "simd.fptosi"


@op_definition
class FPToUIOp(FloatToIntegerOp):
    """Floats to unsigned integers: `simd.fptoui %x : vector<8xf32> to vector<8xi8>`."""

    name = "simd.fptoui"


CASTS: tuple[type[IRDLOperation], ...] = (
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    IndexCastOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
"""All ops of this module."""
