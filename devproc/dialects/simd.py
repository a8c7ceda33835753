"""The `simd` dialect: vector ops that xDSL's `vector` and `arith` lack.

xDSL 0.74 lets `arith.cmpf`, `arith.cmpi`, `arith.select` and the casts between integers
and floats work on scalars only, and its `vector` dialect has no `step` and no `gather`,
its `memref` dialect no `prefetch`, its `llvm` dialect no `ldexp`. The CPU schedules need
all of them on vectors. The ops have the names and semantics of their MLIR counterparts
(`arith.*` on vectors, `vector.step`, `vector.gather`, `memref.prefetch`,
`llvm.intr.ldexp`, `llvm.call_intrinsic`), so that each can be removed once xDSL has it.
All vectors are one-dimensional.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    IndexType,
    MemRefType,
    StringAttr,
    VectorType,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from devproc.dialects.simd_casts import (
    CASTS,
    IntegerLike,
    integer_width,
    mask_type,
    vector_of,
    verify_lanes,
)
from devproc.ir.op_definition import op_definition
from devproc.ir.types import item_size


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


@op_definition
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
        verify_lanes(self, self.lhs, self.result)


@op_definition
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
        verify_lanes(self, self.lhs, self.result)


@op_definition
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
        verify_lanes(self, self.mask, self.result)


@op_definition
class LdexpOp(IRDLOperation):
    """Multiply floats by powers of two, rounded once: `value * 2**power`, per lane.

    ```mlir
    %r = simd.ldexp %x, %n : vector<16xf32>, vector<16xi32>
    ```
    """

    name = "simd.ldexp"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyFloatConstr))
    value = operand_def(T)
    power = operand_def(VectorType.constr(IntegerLike))
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$value `,` $power attr-dict `:` type($value) `,` type($power)"

    def __init__(self, value: SSAValue, power: SSAValue):
        super().__init__(operands=[value, power], result_types=[value.type])

    def verify_(self) -> None:
        verify_lanes(self, self.power, self.result)
        power, value = (vector_of(v).element_type for v in (self.power, self.result))
        if integer_width(power) != 8 * item_size(value):
            raise VerifyException(
                f"'{self.name}' of {value} needs powers as wide as that, got {power}"
            )


@op_definition
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
        verify_lanes(self, self.result)
        element = vector_of(self.result).element_type
        lanes = vector_of(self.result).get_shape()[0]
        width = integer_width(element)
        if width is not None and lanes > 1 << width:
            raise VerifyException(
                f"'{self.name}' cannot count to {lanes - 1} in {element}"
            )


@op_definition
class GatherOp(IRDLOperation):
    """Load one element per lane; lanes that the mask clears take `pass_thru`.

    Lane `l` loads the element `offsets[l]` elements after `base[indices...]` in memory;
    a cleared lane does not access memory.

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
        verify_lanes(self, self.offsets, self.mask, self.result)
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


@op_definition
class CallIntrinsicOp(IRDLOperation):
    """An instruction of one processor, by the name of its LLVM intrinsic. It is pure;
    targets without it are rejected (`targets/cpu/intrinsics.py`).

    ```mlir
    %r = simd.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%sum, %x, %y)
      : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
    ```
    """

    name = "simd.call_intrinsic"

    intrin = prop_def(StringAttr)
    args = var_operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())
    assembly_format = (
        "$intrin `(` $args `)` attr-dict `:` functional-type($args, results)"
    )

    def __init__(self, intrin: str, args: Sequence[SSAValue], result_type: Attribute):
        super().__init__(
            operands=[args],
            result_types=[result_type],
            properties={"intrin": StringAttr(intrin)},
        )

    def verify_(self) -> None:
        if not self.intrin.data.startswith("llvm."):
            raise VerifyException(
                f"'{self.name}' names an intrinsic 'llvm.*', not '{self.intrin.data}'"
            )


@op_definition
class PrefetchOp(IRDLOperation):
    """Prefetch the cache line of an element for a read. It has no effect on values.

    ```mlir
    simd.prefetch %x[%i, %j] : memref<8x8xf32>
    ```
    """

    name = "simd.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)

    assembly_format = "$memref `[` $indices `]` attr-dict `:` type($memref)"

    def __init__(self, memref: SSAValue, indices: Sequence[SSAValue]):
        super().__init__(operands=[memref, indices])

    def verify_(self) -> None:
        memref = cast(MemRefType[Attribute], self.memref.type)
        if memref.get_num_dims() != len(self.indices):
            raise VerifyException(
                f"'{self.name}' needs {memref.get_num_dims()} indices for {memref}, "
                f"got {len(self.indices)}"
            )


SIMD = Dialect(
    "simd",
    [
        CallIntrinsicOp,
        CmpfOp,
        CmpiOp,
        GatherOp,
        LdexpOp,
        PrefetchOp,
        SelectOp,
        StepOp,
        *CASTS,
    ],
    [FloatPredicateAttr, IntegerPredicateAttr],
)
