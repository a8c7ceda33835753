"""Casts, comparisons, selects and addresses, on scalars and vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    I1,
    I32,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import FastMathAttr, FCmpPredicateFlag, LLVMPointerType
from xdsl.dialects.utils import (
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
)
from xdsl.ir import Attribute, Operation, SSAValue
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
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from devproc.ir.op_definition import op_definition
from devproc.targets.cpu.dialects.llvm_ext.intrinsics import (
    FloatLike,
    IntegerLike,
    MaskLike,
)


def _lanes(type_: Attribute) -> int | None:
    """Lanes of a one-dimensional vector; None for a scalar."""
    if isinstance(type_, VectorType):
        return cast(VectorType[Attribute], type_).get_shape()[0]
    return None


@op_definition
class UIToFPOp(llvm.GenericCastOp):
    """Unsigned integer to float."""

    name = "llvm_ext.uitofp"


@op_definition
class FPToSIOp(llvm.GenericCastOp):
    """Float to signed integer, towards zero; out of range gives poison."""

    name = "llvm_ext.fptosi"


@op_definition
class FPToUIOp(llvm.GenericCastOp):
    """Float to unsigned integer, towards zero; out of range gives poison."""

    name = "llvm_ext.fptoui"


@op_definition
class PoisonOp(IRDLOperation):
    """A poison value: `llvm_ext.mlir.poison : vector<16xf32>`."""

    name = "llvm_ext.mlir.poison"

    res = result_def()

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"


@op_definition
class ExtractElementOp(IRDLOperation):
    """One lane of a vector: `llvm_ext.extractelement %v[%i : i64] : vector<16xf32>`."""

    name = "llvm_ext.extractelement"

    T: ClassVar = VarConstraint("T", AnyAttr())
    vector = operand_def(VectorType.constr(T))
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(T)

    traits = traits_def(Pure())
    assembly_format = (
        "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"
    )

    def __init__(self, vector: SSAValue, position: SSAValue):
        element = cast(VectorType[Attribute], vector.type).element_type
        super().__init__(operands=[vector, position], result_types=[element])


@op_definition
class FCmpOp(IRDLOperation):
    """Compare floats or vectors of floats: `llvm_ext.fcmp "olt" %a, %b : vector<4xf32>`.

    xDSL's class takes scalars only.
    """

    name = "llvm_ext.fcmp"

    T: ClassVar = VarConstraint("T", FloatLike)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(I1 | MaskLike)
    predicate = prop_def(IntegerAttr[IntegerType])
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, predicate: str):
        lanes = _lanes(lhs.type)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[i1 if lanes is None else VectorType(i1, [lanes])],
            properties={
                "predicate": IntegerAttr(FCmpPredicateFlag(predicate).to_int(), i64),
                "fastmathFlags": FastMathAttr(None),
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> FCmpOp:
        predicate = parser.parse_str_literal()
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        lhs, rhs = parser.resolve_operands([lhs, rhs], [type_, type_], parser.pos)
        op = cls(lhs, rhs, predicate)
        if "fastmathFlags" in attributes:
            op.properties["fastmathFlags"] = attributes.pop("fastmathFlags")
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        flag = FCmpPredicateFlag.from_int(self.predicate.value.data)
        printer.print_string(f' "{flag}" ')
        printer.print_ssa_value(self.lhs)
        printer.print_string(", ")
        printer.print_ssa_value(self.rhs)
        attributes = dict(self.attributes)
        if self.fastmathFlags.data:
            attributes["fastmathFlags"] = self.fastmathFlags
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)

    def verify_(self) -> None:
        if _lanes(self.lhs.type) != _lanes(self.res.type):
            raise VerifyException(
                f"'{self.name}' of {self.lhs.type} cannot give {self.res.type}"
            )


@op_definition
class SelectOp(IRDLOperation):
    """Select one of two values by a condition bit, or lane by lane by a mask.

    xDSL's class takes a scalar condition only.
    """

    name = "llvm_ext.select"

    T: ClassVar = VarConstraint("T", AnyAttr())
    cond = operand_def(I1 | MaskLike)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    def __init__(self, cond: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[cond, lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        lanes = _lanes(self.cond.type)
        if lanes is not None and lanes != _lanes(self.res.type):
            raise VerifyException(
                f"'{self.name}' by {self.cond.type} cannot choose between "
                f"{self.res.type}"
            )


@op_definition
class GEPOp(IRDLOperation):
    """Address of an element: `llvm_ext.getelementptr inbounds %p[%i, 2] : ..., f32`.

    As xDSL's op, but an index may be a vector, which yields one pointer per lane.
    """

    name = "llvm_ext.getelementptr"

    ptr = operand_def(LLVMPointerType)
    ssa_indices = var_operand_def(IntegerLike)
    result = result_def(LLVMPointerType | VectorType[LLVMPointerType])
    elem_type = prop_def()
    noWrapFlags = prop_def(IntegerAttr[I32])
    rawConstantIndices = prop_def(DenseArrayBase.constr(i32))
    inbounds = opt_prop_def(UnitAttr)

    traits = traits_def(NoMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        inbounds = parser.parse_optional_keyword("inbounds") is not None
        ptr = parser.parse_unresolved_operand()
        dynamic, static = parse_dynamic_index_list_without_types(
            parser, llvm.GEP_USE_SSA_VAL
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        parser.parse_punctuation(",")
        properties: dict[str, Attribute] = {
            "elem_type": parser.parse_type(),
            "noWrapFlags": IntegerAttr(0, 32),
            "rawConstantIndices": DenseArrayBase.from_list(i32, static),
        }
        if inbounds:
            properties["inbounds"] = UnitAttr()
        return cls.create(
            operands=parser.resolve_operands(
                [ptr, *dynamic], signature.inputs.data, parser.pos
            ),
            result_types=signature.outputs.data,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" inbounds " if self.inbounds is not None else " ")
        printer.print_ssa_value(self.ptr)
        print_dynamic_index_list(
            printer,
            llvm.GEP_USE_SSA_VAL,
            self.ssa_indices,
            self.rawConstantIndices.iter_values(),
        )
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(", ")
        printer.print_attribute(self.elem_type)

    def verify_(self) -> None:
        _verify_path(self.elem_type, self.rawConstantIndices.get_values()[1:])


def _verify_path(type_: Attribute, indices: Iterable[int]) -> None:
    """The indices after the first lead through nested arrays and structs."""
    for index in indices:
        if isinstance(type_, llvm.LLVMArrayType):
            type_ = type_.type
        elif isinstance(type_, llvm.LLVMStructType):
            fields = type_.types.data
            if not 0 <= index < len(fields):
                raise VerifyException(
                    f"'llvm_ext.getelementptr' field {index} of a struct of {len(fields)}; "
                    "a field must be a constant in range"
                )
            type_ = fields[index]
        else:
            raise VerifyException(f"'llvm_ext.getelementptr' cannot index into {type_}")


OPS: tuple[type[Operation], ...] = (
    ExtractElementOp,
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    GEPOp,
    PoisonOp,
    SelectOp,
    UIToFPOp,
)
"""All ops of this module."""
