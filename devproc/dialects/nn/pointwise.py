"""Elementwise ops with NumPy broadcasting. Both operands have one dtype."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    broadcast_shapes,
    require,
    require_same_dtype,
)
from devproc.ir.op_definition import op_definition
from devproc.ir.types import (
    AnyTensor,
    dtype_name,
    is_bool,
    is_float,
    item_size,
    tensor,
)


class PointwiseOp(NNOp):
    """An op that computes each element from the operand elements at the same index."""

    traits = traits_def(Pure())


class BinaryOp(PointwiseOp):
    """A pointwise op of two operands of one dtype, broadcast against each other."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require_same_dtype(cls.name, operands)
        element = operands[0].element_type
        require(not is_bool(element), f"{cls.name} does not take bool operands")
        return [tensor(element, broadcast_shapes([t.get_shape() for t in operands]))]


class FloatUnaryOp(PointwiseOp):
    """A pointwise op of one floating-point operand."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        element = operands[0].element_type
        require(
            is_float(element),
            f"{cls.name} takes a floating-point operand, got {element}",
        )
        return [tensor(element, operands[0].get_shape())]


@op_definition
class AddOp(BinaryOp):
    """Sum; integers wrap around (`aten.add.Tensor` without alpha).

    A primitive because hardware arithmetic is the basis of other ops.

    `%r = nn.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.add"


@op_definition
class SubOp(BinaryOp):
    """Difference; integers wrap around (`aten.sub.Tensor` without alpha).

    A primitive because it is one instruction; a product with -1 and a sum are two.
    """

    name = "nn.sub"


@op_definition
class MulOp(BinaryOp):
    """Product; integers wrap around (`aten.mul.Tensor`).

    A primitive because hardware arithmetic is the basis of other ops.
    """

    name = "nn.mul"


@op_definition
class DivOp(BinaryOp):
    """True quotient of floating-point operands (`aten.div.Tensor`).

    A primitive because the product with a reciprocal rounds twice.
    """

    name = "nn.div"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require(
            is_float(operands[0].element_type),
            "nn.div is true division of floating-point operands; cast integers first",
        )
        return super().infer(operands, properties)


@op_definition
class QuotientOp(BinaryOp):
    """Quotient of integers, rounded towards zero (`aten.div` with `rounding_mode`).

    A primitive because no other op divides integers without rounding them to floats.

    A quotient by 0 is 0, where PyTorch raises an error; the least integer divided by -1
    is itself.
    """

    name = "nn.quotient"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require(
            not is_float(operands[0].element_type),
            "nn.quotient takes integers; the quotient of floats is nn.div",
        )
        return super().infer(operands, properties)


@op_definition
class RemainderOp(BinaryOp):
    """Remainder of a division towards zero, with the sign of the dividend
    (`aten.fmod`). The remainder by 0 is NaN for floats and 0 for integers.

    A primitive because it is exact where x - trunc(x / y) * y is not.
    """

    name = "nn.remainder"


@op_definition
class MaximumOp(BinaryOp):
    """The larger operand; NaN if either is NaN (`aten.maximum`).

    A primitive because it is one instruction; a comparison and a select lose NaN.
    """

    name = "nn.maximum"


@op_definition
class MinimumOp(BinaryOp):
    """The smaller operand; NaN if either is NaN (`aten.minimum`).

    A primitive because it is one instruction; a comparison and a select lose NaN.
    """

    name = "nn.minimum"


@op_definition
class AbsOp(PointwiseOp):
    """Absolute value; the least integer is unchanged (`aten.abs`).

    A primitive because it clears the sign bit; a maximum of x and -x keeps the sign of
    a zero.

    `%r = nn.abs %x : (tensor<2x3xi8>) -> tensor<2x3xi8>`
    """

    name = "nn.abs"

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        element = operands[0].element_type
        require(not is_bool(element), "nn.abs does not take a bool operand")
        return [tensor(element, operands[0].get_shape())]


@op_definition
class ReluOp(PointwiseOp):
    """max(x, 0); NaN is preserved (`aten.relu`). Floating-point or signed integers.

    A primitive because fusion and reports refer to it by name; it costs one maximum.

    `%r = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.relu"

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        element = operands[0].element_type
        require(not is_bool(element), "nn.relu does not take a bool operand")
        return [tensor(element, operands[0].get_shape())]


@op_definition
class ExpOp(FloatUnaryOp):
    """e to the power of x (`aten.exp`).

    A primitive because no other op has its values: it reduces the range and evaluates a
    polynomial.
    """

    name = "nn.exp"


@op_definition
class SqrtOp(FloatUnaryOp):
    """Square root, correctly rounded; NaN below zero (`aten.sqrt`).

    A primitive because it is correctly rounded, which `nn.pow` with 0.5 is not.
    """

    name = "nn.sqrt"


@op_definition
class CastOp(PointwiseOp):
    """Conversion to another dtype with C's rules (`aten._to_copy`).

    A primitive because no arithmetic changes the dtype of a number.

    Float to integer truncates towards zero (out of range is undefined, as in PyTorch);
    to bool compares with zero; between floats rounds to nearest even.

    `%r = nn.cast %x to f32 : (tensor<2xui8>) -> tensor<2xf32>`
    """

    name = "nn.cast"

    operand = operand_def(TensorType)
    dtype = prop_def(TypeAttribute)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `to` $dtype attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        dtype = properties["dtype"]
        try:
            dtype_name(dtype)
        except KeyError:
            require(False, f"nn.cast to the unknown dtype {dtype}")
        return [tensor(dtype, operands[0].get_shape())]

    @classmethod
    def to(cls, operand: SSAValue, dtype: Attribute) -> CastOp:
        """The cast of `operand` to the element type `dtype`."""
        return cls.build_op([operand], {"dtype": dtype})


@op_definition
class BitcastOp(PointwiseOp):
    """The same bits read as another dtype of the same width (`aten.view.dtype`).

    A primitive because only its bits show the sign of zeros and NaN, the exponent and
    the adjacent floats of a float.

    `%r = nn.bitcast %x to i32 : (tensor<2xf32>) -> tensor<2xi32>`
    """

    name = "nn.bitcast"

    operand = operand_def(TensorType)
    dtype = prop_def(TypeAttribute)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `to` $dtype attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        source, dtype = operands[0].element_type, properties["dtype"]
        try:
            dtype_name(dtype)
        except KeyError:
            require(False, f"nn.bitcast to the unknown dtype {dtype}")
        require(
            not is_bool(source) and not is_bool(dtype),
            "nn.bitcast does not take or give bool",
        )
        require(
            item_size(source) == item_size(dtype),
            f"nn.bitcast from {source} to {dtype}: the widths differ",
        )
        return [tensor(dtype, operands[0].get_shape())]

    @classmethod
    def to(cls, operand: SSAValue, dtype: Attribute) -> BitcastOp:
        """The bits of `operand` as the element type `dtype`."""
        return cls.build_op([operand], {"dtype": dtype})


OPS: Sequence[type[IRDLOperation]] = (
    AbsOp,
    AddOp,
    BitcastOp,
    CastOp,
    DivOp,
    ExpOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    QuotientOp,
    ReluOp,
    RemainderOp,
    SqrtOp,
    SubOp,
)
