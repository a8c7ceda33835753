"""The `simd` dialect: vector ops that xDSL's `vector` and `arith` lack.

xDSL 0.74 lets `arith.cmpf`, `arith.cmpi`, `arith.select` and the casts between integers
and floats work on scalars only, and its `vector` dialect has no `step` and no `gather`.
The CPU schedules need all of them on vectors. The ops here take the names and meanings
of their MLIR counterparts (`arith.*` on vectors, `vector.step`, `vector.gather`), so that
each can go away when xDSL grows it. All vectors have one dimension.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

IntegerLike = base(IntegerType) | base(IndexType)
FLOAT_BITS: dict[type[Attribute], int] = {
    Float16Type: 16,
    BFloat16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
}


def vector_of(value: SSAValue) -> VectorType[Attribute]:
    """The type of a value that is known to be a vector."""
    return cast(VectorType[Attribute], value.type)


def mask_type(like: VectorType[Attribute]) -> VectorType[I1]:
    """The mask of as many lanes as `like`."""
    return cast("VectorType[I1]", VectorType(i1, like.get_shape()))


def _verify_lanes(op: Operation, *values: SSAValue) -> None:
    """All these vectors have one dimension and the same number of lanes."""
    shapes = [vector_of(value).get_shape() for value in values]
    if any(len(shape) != 1 for shape in shapes) or len(set(shapes)) != 1:
        listed = ", ".join(str(value.type) for value in values)
        raise VerifyException(
            f"'{op.name}' needs one-dimensional vectors of equal length, got {listed}"
        )


class FloatPredicate(StrEnum):
    """Comparisons of floats: `o` is false on NaN, `u` is true on NaN."""

    OEQ = "oeq"
    OGT = "ogt"
    OGE = "oge"
    OLT = "olt"
    OLE = "ole"
    ONE = "one"
    ORD = "ord"
    UEQ = "ueq"
    UGT = "ugt"
    UGE = "uge"
    ULT = "ult"
    ULE = "ule"
    UNE = "une"
    UNO = "uno"


class IntegerPredicate(StrEnum):
    """Comparisons of integers: `s` signed, `u` unsigned."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"


@irdl_attr_definition
class FloatPredicateAttr(EnumAttribute[FloatPredicate], SpacedOpaqueSyntaxAttribute):
    """The predicate of `simd.cmpf`."""

    name = "simd.float_predicate"


@irdl_attr_definition
class IntegerPredicateAttr(
    EnumAttribute[IntegerPredicate], SpacedOpaqueSyntaxAttribute
):
    """The predicate of `simd.cmpi`."""

    name = "simd.integer_predicate"


@irdl_op_definition
class CmpfOp(IRDLOperation):
    """Compare two vectors of floats, lane by lane, into a mask.

    ```mlir
    %m = simd.cmpf olt, %a, %b : vector<16xf32> -> vector<16xi1>
    ```
    """

    name = "simd.cmpf"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyFloatConstr))
    predicate = prop_def(FloatPredicateAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(VectorType[I1])

    traits = traits_def(Pure())
    assembly_format = (
        "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    )

    def __init__(self, predicate: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[mask_type(vector_of(lhs))],
            properties={"predicate": FloatPredicateAttr(FloatPredicate(predicate))},
        )

    def verify_(self) -> None:
        _verify_lanes(self, self.lhs, self.result)


@irdl_op_definition
class CmpiOp(IRDLOperation):
    """Compare two vectors of integers, lane by lane, into a mask.

    ```mlir
    %m = simd.cmpi slt, %a, %b : vector<16xi32> -> vector<16xi1>
    ```
    """

    name = "simd.cmpi"

    T: ClassVar = VarConstraint("T", VectorType.constr(IntegerLike))
    predicate = prop_def(IntegerPredicateAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(VectorType[I1])

    traits = traits_def(Pure())
    assembly_format = (
        "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    )

    def __init__(self, predicate: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[mask_type(vector_of(lhs))],
            properties={"predicate": IntegerPredicateAttr(IntegerPredicate(predicate))},
        )

    def verify_(self) -> None:
        _verify_lanes(self, self.lhs, self.result)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """Per lane, the first value where the mask is set, else the second.

    ```mlir
    %r = simd.select %m, %a, %b : vector<16xi1>, vector<16xf32>
    ```
    """

    name = "simd.select"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))
    mask = operand_def(VectorType[I1])
    true_value = operand_def(T)
    false_value = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = (
        "$mask `,` $true_value `,` $false_value attr-dict `:` "
        "type($mask) `,` type($result)"
    )

    def __init__(self, mask: SSAValue, true_value: SSAValue, false_value: SSAValue):
        super().__init__(
            operands=[mask, true_value, false_value], result_types=[true_value.type]
        )

    def verify_(self) -> None:
        _verify_lanes(self, self.mask, self.result)


@irdl_op_definition
class StepOp(IRDLOperation):
    """The constant vector 0, 1, 2, ...

    ```mlir
    %lanes = simd.step : vector<16xindex>
    ```
    """

    name = "simd.step"

    result = result_def(VectorType.constr(IntegerLike))

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: VectorType[Attribute]):
        super().__init__(result_types=[result_type])

    def verify_(self) -> None:
        _verify_lanes(self, self.result)
        element = vector_of(self.result).element_type
        lanes = vector_of(self.result).get_shape()[0]
        if isinstance(element, IntegerType) and lanes > 1 << element.width.data:
            raise VerifyException(
                f"'{self.name}' cannot count to {lanes - 1} in {element}"
            )


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Load one element per lane; lanes that the mask clears take `pass_thru`.

    Lane `l` reads `base[indices...]` moved on by `offsets[l]` elements in memory; memory
    of a cleared lane is not touched.

    ```mlir
    %r = simd.gather %x[%i, %j] [%offsets], %mask, %zero
      : memref<8x8xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32>
    ```
    """

    name = "simd.gather"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    offsets = operand_def(VectorType.constr(IntegerLike))
    mask = operand_def(VectorType[I1])
    pass_thru = operand_def(T)
    result = result_def(T)

    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$base `[` $indices `]` `[` $offsets `]` `,` $mask `,` $pass_thru attr-dict `:` "
        "type($base) `,` type($offsets) `,` type($mask) `,` type($pass_thru)"
    )

    def __init__(
        self,
        base: SSAValue,
        indices: Sequence[SSAValue],
        offsets: SSAValue,
        mask: SSAValue,
        pass_thru: SSAValue,
    ):
        super().__init__(
            operands=[base, indices, offsets, mask, pass_thru],
            result_types=[pass_thru.type],
        )

    def verify_(self) -> None:
        _verify_lanes(self, self.offsets, self.mask, self.result)
        memref = cast(MemRefType[Attribute], self.base.type)
        if memref.get_num_dims() != len(self.indices):
            raise VerifyException(
                f"'{self.name}' needs {memref.get_num_dims()} indices for {memref}, "
                f"got {len(self.indices)}"
            )
        if memref.element_type != vector_of(self.result).element_type:
            raise VerifyException(
                f"'{self.name}' gathers {vector_of(self.result).element_type} from a "
                f"memref of {memref.element_type}"
            )


class CastOp(IRDLOperation, ABC):
    """Base of the casts; a subclass says which element types it takes."""

    input = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, input: SSAValue, result_type: VectorType[Attribute]):
        super().__init__(operands=[input], result_types=[result_type])

    def verify_(self) -> None:
        _verify_lanes(self, self.input, self.result)
        source = vector_of(self.input).element_type
        target = vector_of(self.result).element_type
        if not self.accepts(source, target):
            raise VerifyException(f"'{self.name}' cannot cast {source} to {target}")

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        """Whether the op casts between these element types."""
        raise NotImplementedError


def _width(element: Attribute) -> int | None:
    """Bits of a sized integer; None for any other type."""
    return element.width.data if isinstance(element, IntegerType) else None


def _is_wider(target: Attribute, source: Attribute) -> bool:
    wide, narrow = _width(target), _width(source)
    return wide is not None and narrow is not None and wide > narrow


class IntegerToFloatOp(CastOp, ABC):
    """A cast from integers to floats."""

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return _width(source) is not None and type(target) in FLOAT_BITS


class FloatToIntegerOp(CastOp, ABC):
    """A cast from floats to integers, towards zero; out of range is undefined."""

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return type(source) in FLOAT_BITS and _width(target) is not None


class ExtendOp(CastOp, ABC):
    """A cast to wider integers."""

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return _is_wider(target, source)


@irdl_op_definition
class ExtSIOp(ExtendOp):
    """Widen signed integers: `simd.extsi %x : vector<16xi8> to vector<16xi32>`."""

    name = "simd.extsi"


@irdl_op_definition
class ExtUIOp(ExtendOp):
    """Widen unsigned integers: `simd.extui %x : vector<16xi8> to vector<16xi32>`."""

    name = "simd.extui"


@irdl_op_definition
class TruncIOp(CastOp):
    """Keep the low bits: `simd.trunci %x : vector<16xi32> to vector<16xi8>`."""

    name = "simd.trunci"

    @staticmethod
    def accepts(source: Attribute, target: Attribute) -> bool:
        return _is_wider(source, target)


@irdl_op_definition
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
        } and (_width(source) or _width(target)) is not None


@irdl_op_definition
class SIToFPOp(IntegerToFloatOp):
    """Signed integers to floats: `simd.sitofp %x : vector<8xi32> to vector<8xf32>`."""

    name = "simd.sitofp"


@irdl_op_definition
class UIToFPOp(IntegerToFloatOp):
    """Unsigned integers to floats: `simd.uitofp %x : vector<8xi8> to vector<8xf32>`."""

    name = "simd.uitofp"


@irdl_op_definition
class FPToSIOp(FloatToIntegerOp):
    """Floats to signed integers: `simd.fptosi %x : vector<8xf32> to vector<8xi32>`."""

    name = "simd.fptosi"


@irdl_op_definition
class FPToUIOp(FloatToIntegerOp):
    """Floats to unsigned integers: `simd.fptoui %x : vector<8xf32> to vector<8xi8>`."""

    name = "simd.fptoui"


SIMD = Dialect(
    "simd",
    [
        CmpfOp,
        CmpiOp,
        ExtSIOp,
        ExtUIOp,
        FPToSIOp,
        FPToUIOp,
        GatherOp,
        IndexCastOp,
        SelectOp,
        SIToFPOp,
        StepOp,
        TruncIOp,
        UIToFPOp,
    ],
    [FloatPredicateAttr, IntegerPredicateAttr],
)
