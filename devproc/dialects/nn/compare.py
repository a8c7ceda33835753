"""Comparisons, selection and bitwise ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.irdl import IRDLOperation, operand_def, result_def

from devproc.dialects.nn.base import (
    Properties,
    broadcast_shapes,
    require,
    require_same_dtype,
)
from devproc.dialects.nn.pointwise import BinaryOp, PointwiseOp
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, is_bool, is_float, tensor


class CompareOp(BinaryOp):
    """A pointwise comparison of two operands of one dtype; false if either is NaN."""

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (type_,) = super().infer(operands, properties)
        return [tensor(DTYPES["bool"], type_.get_shape())]


@op_definition
class EqOp(CompareOp):
    """Whether the operands are equal (`aten.eq`); its negation is `aten.ne`.

    A primitive because it is one instruction; `nn.le` in both directions is three ops.

    `%r = nn.eq %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>`
    """

    name = "nn.eq"


@op_definition
class LtOp(CompareOp):
    """Whether the first is less (`aten.lt`; with swapped operands, `aten.gt`).

    A primitive because a comparison is one instruction, and the only op from numbers
    to bools.
    """

    name = "nn.lt"


@op_definition
class LeOp(CompareOp):
    """Whether the first is less or equal (`aten.le`; with swapped operands, `aten.ge`).

    A primitive because the negation of `nn.lt` is true for NaN.
    """

    name = "nn.le"


@op_definition
class WhereOp(PointwiseOp):
    """The first value where the condition is true, else the second (`aten.where`).

    A primitive because a sum of masked values would propagate NaN from the value that
    is not selected.

    `%r = nn.where %c, %a, %b : (tensor<3xi1>, tensor<f32>, tensor<f32>) -> tensor<3xf32>`
    """

    name = "nn.where"

    condition = operand_def(TensorType)
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$condition `,` $lhs `,` $rhs attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        condition, *values = operands
        require(
            is_bool(condition.element_type),
            f"nn.where needs a bool condition, got {condition.element_type}",
        )
        require_same_dtype("nn.where", values)
        shape = broadcast_shapes([t.get_shape() for t in operands])
        return [tensor(values[0].element_type, shape)]


class BitwiseOp(BinaryOp):
    """A pointwise op on the bits of integers or on bools."""

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require_same_dtype(cls.name, operands)
        element = operands[0].element_type
        require(not is_float(element), f"{cls.name} takes integers or bool")
        return [tensor(element, broadcast_shapes([t.get_shape() for t in operands]))]


@op_definition
class AndOp(BitwiseOp):
    """Bitwise and; logical and of bools (`aten.bitwise_and`).

    A primitive because no arithmetic works on single bits.
    """

    name = "nn.and"


@op_definition
class OrOp(BitwiseOp):
    """Bitwise or; logical or of bools (`aten.bitwise_or`).

    A primitive because no arithmetic works on single bits.
    """

    name = "nn.or"


@op_definition
class XorOp(BitwiseOp):
    """Bitwise exclusive or; with ones, `aten.bitwise_not` (`aten.bitwise_xor`).

    A primitive because no arithmetic works on single bits.
    """

    name = "nn.xor"


class ShiftOp(BinaryOp):
    """A shift of integers; a negative count or one of all bits shifts out every bit."""

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require(
            not is_float(operands[0].element_type),
            f"{cls.name} takes integers, got {operands[0].element_type}",
        )
        return super().infer(operands, properties)


@op_definition
class ShiftLeftOp(ShiftOp):
    """Left shift (`aten.bitwise_left_shift`).

    A primitive because a product with a power of two rounds or traps where this wraps.
    """

    name = "nn.shift_left"


@op_definition
class ShiftRightOp(ShiftOp):
    """Arithmetic right shift (`aten.bitwise_right_shift`).

    A primitive because a quotient by a power of two rounds towards zero, a shift down.
    """

    name = "nn.shift_right"


OPS: Sequence[type[IRDLOperation]] = (
    AndOp,
    EqOp,
    LeOp,
    LtOp,
    OrOp,
    ShiftLeftOp,
    ShiftRightOp,
    WhereOp,
    XorOp,
)
