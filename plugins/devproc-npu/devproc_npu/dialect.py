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

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Dialect
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

from devproc.dialects.nn.base import NNOp, Properties, ints, require
from devproc.dialects.sched.base import Record, record_definition
from devproc.dialects.sched.fields import count, counts, word
from devproc.ir.directives import Int, Ints
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, item_size, tensor, tensor_of
from devproc_npu.isa import Type
from devproc_npu.machine import MACHINE
from devproc_npu.tiling import Convolution, Tiling, fits, scratchpad_bytes

I8, I32, BF16 = DTYPES["int8"], DTYPES["int32"], DTYPES["bfloat16"]
ONE = (1 << 30, 30)
"""The multiplier and shift of a scale of 1."""
MULTIPLIED = {I8: Type.INT8, BF16: Type.BF16}
"""Element type -> the type of a program of the machine."""


@record_definition
class TilesAttr(Record):
    """The tiles of a product: sizes of a part of the results and of the sum.

    ```mlir
    #npu.tiles<lines = 8, width = 56, columns = 64, channels = 64, keeps = right>
    ```
    """

    name = "npu.tiles"

    lines: int = count("Lines of pixels of a tile.")
    width: int = count("Pixels of a line of a tile.")
    columns: int = count("Results of each pixel.")
    channels: int = count("Channels of a part of the sum.")
    keeps: str = word(
        "The operand of which all parts of a sum stay in the scratchpad.",
        *("none", "left", "right"),
    )

    @property
    def tiling(self) -> Tiling:
        """The same as the emitter reads it."""
        return Tiling(*self.data)  # type: ignore[arg-type]


@record_definition
class BlockAttr(Record):
    """The part of a result that one vector instruction, or a few, compute.

    ```mlir
    #npu.block<sizes = [1, 8, 56, 64]>
    ```
    """

    name = "npu.block"

    sizes: Sequence[int] = counts("Sizes along the dimensions of the result.")


class NpuOp(NNOp):
    """An op of the machine: its operands are of one type that it computes in."""

    @property
    def type(self) -> Type:
        """The type of the program that computes it."""
        return MULTIPLIED[tensor_of(self.operands[0]).element_type]

    @property
    def out(self) -> AnyTensor:
        """The type of the result."""
        return tensor_of(self.results[0])


def _require_type(name: str, operands: Sequence[AnyTensor]) -> None:
    elements = {operand.element_type for operand in operands}
    require(
        len(elements) == 1 and elements <= MULTIPLIED.keys(),
        f"{name} takes int8 or bfloat16 operands of one type",
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
    def result_element(cls, operands: Sequence[AnyTensor], properties: Properties):
        """The type of a result: int32 for int8 without a scale."""
        _require_type(cls.name, operands[:2])
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
    def shape(self) -> Convolution:
        """What the array computes."""
        raise NotImplementedError

    def verify_(self) -> None:
        super().verify_()
        if self.tiles is None:
            return
        shape, tiling = self.shape, self.tiles.tiling
        if not fits(shape, tiling, MACHINE, self.type):
            raise VerifyException(
                f"{self.tiles} takes {scratchpad_bytes(shape, tiling, self.type)} bytes"
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
        step = _int(properties["stride"])
        require(
            len(w) == 2 or (len(w) == len(x) == 4), "the weight must be (O, I) or OIHW"
        )
        require(x[-1] == w[1], f"{x[-1]} channels, the weight expects {w[1]}")
        sizes = [(size - k) // step + 1 for size, k in zip(x[1:3], w[2:], strict=False)]
        middle = sizes if len(w) == 4 else x[1:-1]
        require(min(sizes, default=1) >= 1, "the kernel does not fit the image")
        return [tensor(element, (*x[:1], *middle, w[0]) if len(x) > 1 else (w[0],))]

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


class VectorOp(NpuOp):
    """An op of the vector unit alone."""

    block = opt_prop_def(BlockAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    custom_directives = (Int, Ints)

    @property
    def window(self) -> tuple[int, int, int]:
        """Height, width and step of the windows that it reads."""
        return 1, 1, 1

    def taken(self, sizes: Sequence[int]) -> tuple[int, int]:
        """Bytes of the scratchpad for two blocks of a size, and rows of sums of one."""
        height, width, step = self.window
        *_, lines, pixels, channels = (1, 1, 1, *sizes)
        read = ((lines - 1) * step + height) * ((pixels - 1) * step + width) * channels
        if height == width == step == 1:
            read = prod(sizes)
        inputs = sum(tensor_of(v).get_shape() != () for v in self.operands) * read
        pieces = prod(sizes[:-1]) * -(-channels // 16) if self.name in SUMS else 0
        return 2 * (inputs + prod(sizes)) * self.type.size + 1024, pieces

    def fits(self, sizes: Sequence[int]) -> bool:
        """Whether blocks of a size fit the memories of the machine."""
        size, sums = self.taken(sizes)
        return size <= MACHINE.scratchpad and 2 * sums <= MACHINE.accumulator_rows

    def verify_(self) -> None:
        super().verify_()
        if self.block is not None and not (
            len(self.block.sizes) == len(self.out.get_shape())
            and self.fits(self.block.sizes)
        ):
            raise VerifyException(
                f"{self.block} does not fit the machine or the result"
            )


SUMS = frozenset({"npu.sum_pool"})
"""Ops of the vector unit that need the accumulator."""
BLOCK = (
    " `clamp` custom<Int>($low) custom<Int>($high) (`block` $block^)?"
    " attr-dict `:` functional-type(operands, results)"
)


@op_definition
class AddOp(VectorOp):
    """The sum of two tensors of one shape, both rescaled to int32, rescaled and clamped:
    multiplier and shift of the left, the right and the sum; none in bfloat16.

    ```mlir
    %r = npu.add %a, %b scale [1073741824, 30, 1073741824, 30, 1073741824, 31] clamp 0 127
       : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
    ```
    """

    name = "npu.add"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    scale = prop_def(DenseArrayBase)
    low = prop_def(IntegerAttr)
    high = prop_def(IntegerAttr)

    assembly_format = "$lhs `,` $rhs `scale` custom<Ints>($scale)" + BLOCK

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        _require_type(cls.name, operands)
        a, b = (operand.get_shape() for operand in operands)
        require(a == b, f"the shapes {a} and {b} differ")
        _require_scale(operands[0], properties, 6, 0)
        return [tensor(operands[0].element_type, a)]


@op_definition
class RescaleOp(VectorOp):
    """A tensor, rescaled (int8) and clamped.

    ```mlir
    %r = npu.rescale %x scale [1073741824, 31] clamp 0 127 : (tensor<2x3xi8>) -> tensor<2x3xi8>
    ```
    """

    name = "npu.rescale"

    input = operand_def(TensorType)
    scale = prop_def(DenseArrayBase)
    low = prop_def(IntegerAttr)
    high = prop_def(IntegerAttr)

    assembly_format = "$input `scale` custom<Ints>($scale)" + BLOCK

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        _require_type(cls.name, operands)
        _require_scale(operands[0], properties, 2, 0)
        return [tensor(operands[0].element_type, operands[0].get_shape())]


class PoolOp(VectorOp):
    """A reduction of the windows of an image (N, H, W, C)."""

    input = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    stride = prop_def(IntegerAttr)

    @property
    def window(self) -> tuple[int, int, int]:
        height, width = ints(self.kernel)
        return height, width, self.stride.value.data

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        _require_type(cls.name, operands)
        shape, step = operands[0].get_shape(), _int(properties["stride"])
        require(len(shape) == 4, f"{cls.name} takes (N, H, W, C)")
        n, *image, c = shape
        kernel = ints(properties["kernel"])
        sizes = [(s - k) // step + 1 for s, k in zip(image, kernel, strict=True)]
        require(min(sizes) >= 1, f"windows {kernel} do not fit {image}")
        if "scale" in properties:
            _require_scale(operands[0], properties, 2, 1)
        return [tensor(operands[0].element_type, (n, *sizes, c))]


@op_definition
class MaxPoolOp(PoolOp):
    """The maximum of each window.

    ```mlir
    %r = npu.max_pool %x kernel [3, 3] stride 2 : (tensor<1x9x9x4xi8>) -> tensor<1x4x4x4xi8>
    ```
    """

    name = "npu.max_pool"

    assembly_format = (
        "$input `kernel` custom<Ints>($kernel) `stride` custom<Int>($stride)"
        " (`block` $block^)? attr-dict `:` functional-type(operands, results)"
    )


@op_definition
class SumPoolOp(PoolOp):
    """The sum of each window, scaled and clamped: means.

    ```mlir
    %r = npu.sum_pool %x kernel [7, 7] stride 1 scale [1402438300, 36] clamp -128 127
       : (tensor<1x7x7x4xi8>) -> tensor<1x1x1x4xi8>
    ```
    """

    name = "npu.sum_pool"

    scale = prop_def(DenseArrayBase)
    low = prop_def(IntegerAttr)
    high = prop_def(IntegerAttr)

    assembly_format = (
        "$input `kernel` custom<Ints>($kernel) `stride` custom<Int>($stride)"
        " `scale` custom<Ints>($scale)" + BLOCK
    )


def _int(attribute: object) -> int:
    assert isinstance(attribute, IntegerAttr)
    return attribute.value.data


def _require_scale(
    operand: AnyTensor, properties: Properties, int8: int, bf16: int
) -> None:
    wanted = int8 if operand.element_type == I8 else bf16
    require(
        len(ints(properties["scale"])) == wanted, f"the scale has {wanted} numbers here"
    )


def byte_count(type_: AnyTensor) -> int:
    """Bytes of a tensor."""
    return prod(type_.get_shape()) * item_size(type_.element_type)


NPU = Dialect(
    "npu",
    [ConvolutionOp, MatmulOp, AddOp, RescaleOp, MaxPoolOp, SumPoolOp],
    [BlockAttr, TilesAttr],
)
