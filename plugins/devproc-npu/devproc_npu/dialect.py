"""The `npu` dialect: what the machine does as a whole, on tensors.

Images have their channels last, and borders of zeros are part of an image (`nn.pad`).
`nn.reshape`, `nn.transpose` and `nn.pad` stay what they are: the DMA engine does them. Each
op has a schedule, which the instructions follow: `tiles` or `block`.

`clamp` has two words of the machine: integers for int8, the bits of f32 for bf16. `scale`
is TOSA's RESCALE; the numbers are the multiplier and shift, or, in bf16, the bits of an f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Self

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import Properties, int_of, require
from devproc.ir.directives import Int
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor, tensor_of
from devproc_npu.machine import MACHINE
from devproc_npu.ops import (
    BF16,
    I8,
    I32,
    MULTIPLIED,
    ONE,
    BlockAttr,
    NpuOp,
    TilesAttr,
    byte_count,
    require_type,
)
from devproc_npu.shapes import Convolution, fits, scratchpad_bytes, slots
from devproc_npu.vector_ops import (
    AddOp,
    MaxPoolOp,
    PoolOp,
    RescaleOp,
    SumPoolOp,
    VectorOp,
)


class ProductOp(NpuOp):
    """Sums of products plus a bias, scaled and clamped; int32 sums without a scale."""

    bias = opt_operand_def(TensorType)
    multiplier = opt_operand_def(TensorType)
    shift = opt_operand_def(TensorType)
    low = prop_def(IntegerAttr)
    high = prop_def(IntegerAttr)
    tiles = opt_prop_def(TilesAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Int,)

    @classmethod
    def of(
        cls,
        operands: Sequence[SSAValue],
        bias: Sequence[SSAValue],
        scale: Sequence[SSAValue],
        properties: Properties,
    ) -> Self:
        """The op; `bias`: one or none, `scale`: a multiplier and a shift, or none."""
        sizes = [1, 1, len(bias), len(scale) // 2, len(scale) // 2]
        segments = DenseArrayBase.from_list(i32, sizes)
        more = {"operandSegmentSizes": segments, **properties}
        return cls.build_op([*operands, *bias, *scale], more)

    @classmethod
    def result_element(cls, operands: Sequence[AnyTensor], properties: Properties):
        """The type of a result: int32 for int8 without a scale."""
        require_type(cls.name, operands[:2])
        element = operands[0].element_type
        segments = properties["operandSegmentSizes"]
        assert isinstance(segments, DenseArrayBase)
        *_, multiplier, shift = segments.get_values()
        require(
            multiplier == shift and not (multiplier and element == BF16),
            f"{cls.name} has a multiplier and a shift, or neither, and none in bfloat16",
        )
        return I32 if element == I8 and not multiplier else element

    @property
    def is_image(self) -> bool:
        """Whether it is a convolution, of images."""
        return False

    @property
    def shape(self) -> Convolution:
        """What the array computes."""
        raise NotImplementedError

    def verify_(self) -> None:
        super().verify_()
        if self.tiles is None:
            return
        shape, tiling = self.shape, self.tiles.tiling
        if not fits(shape, tiling, MACHINE, self.type):
            size = scratchpad_bytes(slots(shape, tiling, self.type).values())
            raise VerifyException(
                f"{self.tiles} takes {size} bytes"
                f" of the scratchpad and {tiling.sum_rows} rows of the accumulator;"
                f" there are {MACHINE.scratchpad} and {MACHINE.accumulator_rows}"
            )


REST = (
    " (`bias` $bias^ `:` type($bias))?"
    " (`scale` $multiplier^ `,` $shift `:` type($multiplier) `,` type($shift))?"
    " `clamp` custom<Int>($low) custom<Int>($high) (`tiles` $tiles^)? attr-dict `:` "
)


@op_definition
class ConvolutionOp(ProductOp):
    """A convolution (N, H, W, C) by (O, C, KH, KW) -> (N, OH, OW, O), or a linear layer
    (..., K) by (N, K) -> (..., N); the weight is constant.

    ```mlir
    %r = npu.convolution %x, %w stride 1 clamp -128 127
       : tensor<1x8x8x3xi8>, tensor<4x3x3x3xi8> -> tensor<1x6x6x4xi32>
    ```
    """

    name = "npu.convolution"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    stride = prop_def(IntegerAttr)

    assembly_format = (
        "$input `,` $weight `stride` custom<Int>($stride)"
        + REST
        + "type($input) `,` type($weight) `->` type($result)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, w = (operand.get_shape() for operand in operands[:2])
        element = cls.result_element(operands, properties)
        step = int_of(properties["stride"])
        require(
            len(w) == 2 or (len(w) == len(x) == 4), "the weight must be (O, I) or OIHW"
        )
        require(x[-1] == w[1], f"{x[-1]} channels, the weight expects {w[1]}")
        sizes = [(size - k) // step + 1 for size, k in zip(x[1:3], w[2:], strict=False)]
        middle = sizes if len(w) == 4 else x[1:-1]
        require(min(sizes, default=1) >= 1, "the kernel does not fit the image")
        return [tensor(element, (*x[:1], *middle, w[0]) if len(x) > 1 else (w[0],))]

    @property
    def is_image(self) -> bool:
        return tensor_of(self.weight).get_num_dims() == 4

    @property
    def shape(self) -> Convolution:
        out, w = self.out.get_shape(), tensor_of(self.weight).get_shape()
        wide = self.out.element_type == I32
        if len(w) == 2:
            return Convolution(1, prod(out[:-1]), w[0], w[1], wide=wide)
        kernel = (w[2], w[3])
        return Convolution(
            *(out[1], out[2], w[0], w[1], kernel, self.stride.value.data),
            images=out[0],
            wide=wide,
        )


@op_definition
class MatmulOp(ProductOp):
    """A product (..., M, K) by (..., K, N), `transposed` by (..., N, K), for each index of
    the other dimensions; a product without some is the same for all.

    ```mlir
    %r = npu.matmul %a, %b transposed clamp -128 127
       : tensor<2x5x16xi8>, tensor<2x7x16xi8> -> tensor<2x5x7xi32>
    ```
    """

    name = "npu.matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    transposed = opt_prop_def(UnitAttr)

    assembly_format = (
        "$lhs `,` $rhs (`transposed` $transposed^)?"
        + REST
        + "type($lhs) `,` type($rhs) `->` type($result)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        a, b = (operand.get_shape() for operand in operands[:2])
        element = cls.result_element(operands, properties)
        depth, columns = b[-2:] if "transposed" not in properties else b[:-3:-1]
        require(a[-1] == depth, f"sums over {a[-1]} and {depth} elements")
        require(
            b[:-2] in ((), a[:-2]), f"the products are {a[:-2]} left, {b[:-2]} right"
        )
        return [tensor(element, (*a[:-1], columns))]

    @property
    def shape(self) -> Convolution:
        *images, rows, columns = self.out.get_shape()
        return Convolution(
            *(1, rows, columns, tensor_of(self.lhs).get_shape()[-1]),
            constant=False,
            transposed=self.transposed is not None,
            images=prod(images),
            wide=self.out.element_type == I32,
        )


NPU = Dialect(
    "npu",
    [ConvolutionOp, MatmulOp, AddOp, RescaleOp, MaxPoolOp, SumPoolOp],
    [BlockAttr, TilesAttr],
)

__all__ = [
    "BF16",
    "I8",
    "I32",
    "MULTIPLIED",
    "NPU",
    "ONE",
    "AddOp",
    "BlockAttr",
    "ConvolutionOp",
    "MatmulOp",
    "MaxPoolOp",
    "NpuOp",
    "PoolOp",
    "ProductOp",
    "RescaleOp",
    "SumPoolOp",
    "TilesAttr",
    "VectorOp",
    "byte_count",
]
