"""Intrinsics that xDSL's `llvm` dialect lacks."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I1,
    I32,
    AnyFloatConstr,
    BoolAttr,
    IntegerAttr,
    SignlessIntegerConstraint,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.llvm import FastMathAttr, LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from devproc.ir.op_definition import op_definition

FloatLike = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
IntegerLike = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
MaskLike = VectorType[I1]
INTRINSIC_FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


class FloatUnaryIntrinsic(IRDLOperation, ABC):
    """Base of the intrinsics float -> float."""

    T: ClassVar = VarConstraint("T", FloatLike)
    arg = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = INTRINSIC_FORMAT

    def __init__(self, arg: SSAValue):
        super().__init__(operands=[arg], result_types=[arg.type])


class FloatBinaryIntrinsic(IRDLOperation, ABC):
    """Base of the intrinsics float, float -> float."""

    T: ClassVar = VarConstraint("T", FloatLike)
    a = operand_def(T)
    b = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = INTRINSIC_FORMAT

    def __init__(self, a: SSAValue, b: SSAValue):
        super().__init__(operands=[a, b], result_types=[a.type])


class IntegerBinaryIntrinsic(IRDLOperation, ABC):
    """Base of the intrinsics integer, integer -> integer."""

    T: ClassVar = VarConstraint("T", IntegerLike)
    a = operand_def(T)
    b = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())
    assembly_format = INTRINSIC_FORMAT

    def __init__(self, a: SSAValue, b: SSAValue):
        super().__init__(operands=[a, b], result_types=[a.type])


@op_definition
class MaximumOp(FloatBinaryIntrinsic):
    """Maximum; NaN if either is NaN, and -0 < +0."""

    name = "llvm_ext.intr.maximum"


@op_definition
class MinimumOp(FloatBinaryIntrinsic):
    """Minimum; NaN if either is NaN, and -0 < +0."""

    name = "llvm_ext.intr.minimum"


@op_definition
class RoundOp(FloatUnaryIntrinsic):
    """Nearest integer, halves away from zero."""

    name = "llvm_ext.intr.round"


@op_definition
class RoundEvenOp(FloatUnaryIntrinsic):
    """Nearest integer, halves to even."""

    name = "llvm_ext.intr.roundeven"


@op_definition
class FTruncOp(FloatUnaryIntrinsic):
    """Nearest integer towards zero."""

    name = "llvm_ext.intr.trunc"


@op_definition
class SMaxOp(IntegerBinaryIntrinsic):
    """Signed maximum."""

    name = "llvm_ext.intr.smax"


@op_definition
class SMinOp(IntegerBinaryIntrinsic):
    """Signed minimum."""

    name = "llvm_ext.intr.smin"


@op_definition
class UMaxOp(IntegerBinaryIntrinsic):
    """Unsigned maximum."""

    name = "llvm_ext.intr.umax"


@op_definition
class UMinOp(IntegerBinaryIntrinsic):
    """Unsigned minimum."""

    name = "llvm_ext.intr.umin"


class IntegerUnaryIntrinsic(IRDLOperation, ABC):
    """Base of the intrinsics integer -> integer."""

    T: ClassVar = VarConstraint("T", IntegerLike)
    arg = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = INTRINSIC_FORMAT


@op_definition
class AbsOp(IntegerUnaryIntrinsic):
    """Absolute value of a signed integer."""

    name = "llvm_ext.intr.abs"

    is_int_min_poison = prop_def(BoolAttr)


@op_definition
class CtlzOp(IntegerUnaryIntrinsic):
    """Number of leading zero bits."""

    name = "llvm_ext.intr.ctlz"

    is_zero_poison = prop_def(BoolAttr)


@op_definition
class CttzOp(IntegerUnaryIntrinsic):
    """Number of trailing zero bits."""

    name = "llvm_ext.intr.cttz"

    is_zero_poison = prop_def(BoolAttr)


@op_definition
class CtpopOp(IntegerUnaryIntrinsic):
    """Number of set bits."""

    name = "llvm_ext.intr.ctpop"


@op_definition
class MemcpyOp(IRDLOperation):
    """Copy `len` bytes between memory regions that do not overlap."""

    name = "llvm_ext.intr.memcpy"

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    len = operand_def(SignlessIntegerConstraint)
    isVolatile = prop_def(BoolAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@op_definition
class MaskedLoadOp(IRDLOperation):
    """Load the lanes that the mask sets; the others take `pass_thru`."""

    name = "llvm_ext.intr.masked.load"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))
    data = operand_def(LLVMPointerType)
    mask = operand_def(MaskLike)
    pass_thru = operand_def(T)
    res = result_def(T)
    alignment = prop_def(IntegerAttr[I32])
    nontemporal = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


@op_definition
class MaskedStoreOp(IRDLOperation):
    """Store the lanes that the mask sets. xDSL's class takes floats only."""

    name = "llvm_ext.intr.masked.store"

    value = operand_def(VectorType)
    data = operand_def(LLVMPointerType)
    mask = operand_def(MaskLike)
    alignment = prop_def(IntegerAttr[I32])

    traits = traits_def(MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$value `,` $data `,` $mask attr-dict `:`"
        " type($value) `,` type($mask) `into` type($data)"
    )


@op_definition
class MaskedGatherOp(IRDLOperation):
    """Load through one pointer per lane that the mask sets."""

    name = "llvm_ext.intr.masked.gather"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))
    ptrs = operand_def(VectorType[LLVMPointerType])
    mask = operand_def(MaskLike)
    pass_thru = operand_def(T)
    res = result_def(T)
    alignment = prop_def(IntegerAttr[I32])

    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


class VectorReduction(IRDLOperation, ABC):
    """Base of the reductions of a vector to its element type."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    arg = operand_def(VectorType.constr(T))
    res = result_def(T)
    fastmathFlags = opt_prop_def(FastMathAttr)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = INTRINSIC_FORMAT

    def __init__(self, arg: SSAValue):
        element = cast(VectorType[Attribute], arg.type).element_type
        super().__init__(operands=[arg], result_types=[element])


def _reduction(kind: str, what: str) -> type[VectorReduction]:
    """The op class of `llvm_ext.intr.vector.reduce.<kind>`."""
    cls = type(
        f"VectorReduce{kind.capitalize()}Op",
        (VectorReduction,),
        {
            "name": f"llvm_ext.intr.vector.reduce.{kind}",
            "__doc__": f"{what} of the lanes.",
            "__module__": __name__,
        },
    )
    return op_definition(cls)


REDUCTIONS: dict[str, type[VectorReduction]] = {
    kind: _reduction(kind, what)
    for kind, what in {
        "add": "Sum",
        "mul": "Product",
        "and": "Bitwise and",
        "or": "Bitwise or",
        "xor": "Bitwise exclusive or",
        "smax": "Signed maximum",
        "smin": "Signed minimum",
        "umax": "Unsigned maximum",
        "umin": "Unsigned minimum",
        "fmax": "Maximum (NaN is ignored)",
        "fmin": "Minimum (NaN is ignored)",
        "fmaximum": "Maximum (NaN propagates)",
        "fminimum": "Minimum (NaN propagates)",
    }.items()
}
"""The reductions without a start value, by the last word of their name."""

INTRINSICS: tuple[type[IRDLOperation], ...] = (
    AbsOp,
    CtlzOp,
    CtpopOp,
    CttzOp,
    FTruncOp,
    MaskedGatherOp,
    MaskedLoadOp,
    MaskedStoreOp,
    MaximumOp,
    MemcpyOp,
    MinimumOp,
    RoundEvenOp,
    RoundOp,
    SMaxOp,
    SMinOp,
    UMaxOp,
    UMinOp,
    *REDUCTIONS.values(),
)
"""All ops of this module."""
