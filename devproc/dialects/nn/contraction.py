"""Contractions: matrix multiplication and linear layers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    broadcast_shapes,
    describe,
    require,
    require_bias,
    require_factors,
    require_same_dtype,
)
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_bool, product_type, tensor


@op_definition
class MatmulOp(NNOp):
    """Matrix product over the last two dimensions, the others broadcast (`aten.matmul`
    for operands of rank 2 and above).

    A primitive because as products and a sum it would store every product in memory.

    int8 operands give int32; the sums of other integers wrap in the operands' dtype.

    ```mlir
    %r = nn.matmul %a, %b : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
    ```
    """

    name = "nn.matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        lhs, rhs = operands
        require_same_dtype(cls.name, operands)
        require(not is_bool(lhs.element_type), "nn.matmul does not take bool operands")
        a, b = list(lhs.get_shape()), list(rhs.get_shape())
        require(
            len(a) >= 2 and len(b) >= 2,
            f"nn.matmul needs rank 2 and above, got {describe(lhs)} and {describe(rhs)}",
        )
        require(
            a[-1] == b[-2],
            f"nn.matmul sums over {a[-1]} elements on the left and {b[-2]} on the right",
        )
        batch = broadcast_shapes([a[:-2], b[:-2]])
        return [tensor(product_type(lhs.element_type), (*batch, a[-2], b[-1]))]


@op_definition
class LinearOp(NNOp):
    """x @ weight.T + bias over the last dimension (`aten.linear`).

    A primitive because its weight is packed at compile time and the bias initialises
    its sums.

    int8 operands give int32, with an int32 bias.

    ```mlir
    %r = nn.linear %x, %w bias %b : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    ```
    """

    name = "nn.linear"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$input `,` $weight (`bias` $bias^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, weight = operands[:2]
        require_factors(cls.name, operands)
        require(not is_bool(x.element_type), "nn.linear does not take bool operands")
        xs, ws = x.get_shape(), weight.get_shape()
        require(len(ws) == 2, f"the weight must have rank 2, got {describe(weight)}")
        require(len(xs) >= 1, "the input of nn.linear must have rank 1 and above")
        require(
            xs[-1] == ws[1],
            f"the input has {xs[-1]} features, the weight expects {ws[1]}",
        )
        require_bias(operands[2:], ws[0])
        return [tensor(product_type(x.element_type), (*xs[:-1], ws[0]))]


OPS: Sequence[type[IRDLOperation]] = (
    LinearOp,
    MatmulOp,
)
