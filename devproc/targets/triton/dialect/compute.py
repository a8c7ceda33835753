"""Computations on blocks that `arith` and `math` lack: dot, reduce, where, casts."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
)
from xdsl.dialects.builtin import (
    AnyFloatConstr,
    IndexType,
    IntegerType,
    StringAttr,
    i1,
)
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    IRDLOperation,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.ir.op_definition import op_definition
from devproc.targets.triton.dialect.types import (
    BLOCK,
    I32,
    element_of,
    shape_of,
    verify_element,
    verify_one_of,
    verify_shape,
)

REDUCTIONS = ("sum", "max", "min")
"""Kinds of `triton.reduce`; max and min of floats ignore NaN, as on the GPU."""

CASTS = (
    "extf",
    "truncf",
    "sitofp",
    "uitofp",
    "fptosi",
    "fptoui",
    "extsi",
    "extui",
    "trunci",
    "bitcast",
)
"""Kinds of `triton.cast`, named like the arith ops, which take no blocks."""

DOT_PRECISIONS = ("ieee", "tf32", "tf32x3")
"""How `triton.dot` multiplies f32: exactly, on tensor cores, or split in three."""


@op_definition
class DotOp(IRDLOperation):
    """Block matrix product: `a @ b + acc`.

    `triton.dot %a, %b, %acc "ieee" : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>`
    """

    name = "triton.dot"

    T: ClassVar = VarConstraint("T", BLOCK)

    a = operand_def(BLOCK)
    b = operand_def(BLOCK)
    acc = operand_def(T)
    input_precision = prop_def(StringAttr)
    result = result_def(T)

    assembly_format = (
        "$a `,` $b `,` $acc $input_precision attr-dict"
        " `:` type($a) `,` type($b) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_one_of("input precision", self.input_precision, DOT_PRECISIONS)
        a, b = shape_of(self.a.type), shape_of(self.b.type)
        if len(a) != 2 or len(b) != 2 or a[1] != b[0]:
            raise VerifyException(
                f"dot of shapes {list(a)} and {list(b)}: expected [M, K] and [K, N]"
            )
        if min(*a, *b) < 16:
            raise VerifyException(
                f"dot of shapes {list(a)} and {list(b)}: M, N and K must be at least 16"
            )
        verify_shape("accumulator", self.acc.type, (a[0], b[1]))
        verify_element("b", self.b.type, element_of(self.a.type))


@op_definition
class ReduceOp(IRDLOperation):
    """Combine all elements along an axis, which is removed.

    `triton.reduce "max" %x axis 1 : tensor<4x64xf32> -> tensor<4xf32>`
    """

    name = "triton.reduce"

    kind = prop_def(StringAttr)
    axis = prop_def(I32)
    source = operand_def(BLOCK)
    result = result_def()

    assembly_format = (
        "$kind $source `axis` $axis attr-dict `:` type($source) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_one_of("reduction", self.kind, REDUCTIONS)
        shape, axis = list(shape_of(self.source.type)), self.axis.value.data
        if not 0 <= axis < len(shape):
            raise VerifyException(f"axis {axis} is not in 0..{len(shape) - 1}")
        del shape[axis]
        verify_shape("result", self.result.type, shape)
        verify_element("result", self.result.type, element_of(self.source.type))


@op_definition
class WhereOp(IRDLOperation):
    """Elementwise select: `triton.where %c, %a, %b : tensor<8xi1>, tensor<8xf32>`."""

    name = "triton.where"

    T: ClassVar = VarConstraint("T", AnyAttr())

    condition = operand_def()
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    assembly_format = (
        "$condition `,` $lhs `,` $rhs attr-dict `:` type($condition) `,` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_shape("condition", self.condition.type, shape_of(self.lhs.type))
        verify_element("condition", self.condition.type, i1)


@op_definition
class CompareOp(IRDLOperation):
    """Elementwise comparison by a predicate of arith.cmpi or arith.cmpf.

    `triton.compare "slt" %a, %b : tensor<8xi32> -> tensor<8xi1>`
    """

    name = "triton.compare"

    T: ClassVar = VarConstraint("T", AnyAttr())

    predicate = prop_def(StringAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def()

    assembly_format = (
        "$predicate $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        integers = isinstance(element_of(self.lhs.type), IntegerType | IndexType)
        names = CMPI_COMPARISON_OPERATIONS if integers else CMPF_COMPARISON_OPERATIONS
        verify_one_of("predicate", self.predicate, names)
        verify_shape("result", self.result.type, shape_of(self.lhs.type))
        verify_element("result", self.result.type, i1)


@op_definition
class CastOp(IRDLOperation):
    """Elementwise conversion: `triton.cast "sitofp" %x : tensor<8xi32> -> tensor<8xf32>`."""

    name = "triton.cast"

    SCALAR: ClassVar = AnyOf.get(IntegerType, AnyFloatConstr, BLOCK)

    kind = prop_def(StringAttr)
    source = operand_def(SCALAR)
    result = result_def(SCALAR)

    assembly_format = "$kind $source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_one_of("cast", self.kind, CASTS)
        verify_shape("result", self.result.type, shape_of(self.source.type))


OPS = [DotOp, ReduceOp, WhereOp, CompareOp, CastOp]
