"""Sums of products: matrix multiplication in its forms."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.dev import BlockFloatAttr, InnerProductAttr, StrassenAttr
from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    WeightLayoutOp,
    broadcast_shapes,
    describe,
    require,
    require_same_dtype,
)
from devproc.ir.layouts.inner_product import matrix_sizes
from devproc.ir.layouts.strassen import SIDE
from devproc.ir.types import AnyTensor, dtype_name, is_bool, is_float, tensor


@irdl_op_definition
class MatmulOp(NNOp):
    """Matrix product over the last two dimensions, the others broadcast (`aten.matmul`
    for operands of rank 2 and above).

    A primitive because as products and a sum it would hold every product in memory.

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
        return [tensor(lhs.element_type, (*batch, a[-2], b[-1]))]


@irdl_op_definition
class LinearOp(NNOp):
    """x @ weight.T + bias over the last dimension (`aten.linear`).

    A primitive because it packs its weight at compile time and starts its sums at the
    bias.

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
        require_same_dtype(cls.name, operands)
        require(not is_bool(x.element_type), "nn.linear does not take bool operands")
        xs, ws = x.get_shape(), weight.get_shape()
        require(len(ws) == 2, f"the weight must have rank 2, got {describe(weight)}")
        require(len(xs) >= 1, "the input of nn.linear must have rank 1 and above")
        require(
            xs[-1] == ws[1],
            f"the input has {xs[-1]} features, the weight expects {ws[1]}",
        )
        if len(operands) == 3:
            require(
                operands[2].get_shape() == (ws[0],),
                f"the bias must have shape ({ws[0]},), got {describe(operands[2])}",
            )
        return [tensor(x.element_type, (*xs[:-1], ws[0]))]


@irdl_op_definition
class StrassenWeightOp(WeightLayoutOp):
    """A weight (N, K) as the sums of blocks of Strassen's products, in panels of columns
    of its transpose, computed in float64 (see `ir/layouts/strassen.py`).

    Only in `@prepare`: a weight is summed up once, at compile time.

    ```mlir
    %r = nn.strassen_weight %w as <16> : (tensor<64x8xf32>) -> tensor<2x7x4x16xf32>
    ```
    """

    name = "nn.strassen_weight"

    layout = prop_def(StrassenAttr)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape, layout = operands[0].get_shape(), properties["layout"]
        assert isinstance(layout, StrassenAttr)
        width = layout.width.data
        require(
            len(shape) == 2 and shape[0] % (SIDE * width) == 0 and shape[1] % SIDE == 0,
            f"{describe(operands[0])} is not an (N, K) of {SIDE} x {SIDE} blocks with"
            f" whole panels of {width}",
        )
        require(is_float(operands[0].element_type), "the weight must be floats")
        return [tensor(operands[0].element_type, layout.physical_shape(shape))]


@irdl_op_definition
class InnerProductWeightOp(WeightLayoutOp):
    """A weight (N, K), or filters (H, W, I, N), for Winograd's inner product: in panels of
    N, its numbers scaled, with the sums of its pairs, its scales and its bounds (see
    `ir/layouts/inner_product.py`).

    A panel with a column whose pairs are too uneven, or not finite, has a bound below zero.
    A column of zeros has the scale zero.

    Only in `@prepare`: a weight is paired once, at compile time.

    ```mlir
    %r = nn.inner_product_weight %w as <16, 24> : (tensor<30x64xf32>) -> tensor<2x68x16xf32>
    ```
    """

    name = "nn.inner_product_weight"

    layout = prop_def(InnerProductAttr)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (weight,) = operands
        shape, layout = weight.get_shape(), properties["layout"]
        assert isinstance(layout, InnerProductAttr)
        terms = layout.terms.data
        require(
            len(shape) in (2, 4) and matrix_sizes(shape)[1] >= terms,
            f"{describe(weight)} is not an (N, K), nor an (H, W, I, N), with a block of"
            f" {terms} terms for each N",
        )
        require(
            dtype_name(weight.element_type) == "float32", "the weight must be float32"
        )
        return [tensor(weight.element_type, layout.physical_shape(shape))]


@irdl_op_definition
class BlockFloatWeightOp(WeightLayoutOp):
    """A weight (N, K) in block floating point: its words, in panels of N, as bits of
    float32 (see `ir/layouts/block_float.py`).

    A number is `scale * mantissa * 2**-22`, with a power of two as the scale of its block
    that is finite for every finite block. A block with NaN has scale NaN; in one with
    infinities that is the scale, they are ones, and its finite numbers zeros.

    Only in `@prepare`: a weight is rounded once, at compile time.

    ```mlir
    %r = nn.block_float_weight %w as <16, 32> : (tensor<30x64xf32>) -> tensor<2x2x400xf32>
    ```
    """

    name = "nn.block_float_weight"

    layout = prop_def(BlockFloatAttr)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (weight,) = operands
        shape, layout = weight.get_shape(), properties["layout"]
        assert isinstance(layout, BlockFloatAttr)
        terms = layout.terms.data
        require(
            len(shape) == 2 and shape[1] % terms == 0,
            f"{describe(weight)} is not an (N, K) with K in blocks of {terms}",
        )
        require(
            dtype_name(weight.element_type) == "float32", "the weight must be float32"
        )
        return [tensor(weight.element_type, layout.physical_shape(shape))]


OPS: Sequence[type[IRDLOperation]] = (
    BlockFloatWeightOp,
    InnerProductWeightOp,
    LinearOp,
    MatmulOp,
    StrassenWeightOp,
)
