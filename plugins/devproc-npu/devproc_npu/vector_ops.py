"""The ops of the vector unit alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    TensorType,
)
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import Properties, int_of, ints, require
from devproc.ir.directives import Int, Ints
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor
from devproc_npu.machine import COLUMNS, MACHINE
from devproc_npu.ops import (
    I8,
    BlockAttr,
    NpuOp,
    require_type,
)
from devproc_npu.shapes import Slot, parts, scratchpad_bytes


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

    def read(self, *tile: range) -> Sequence[range]:
        """What a block of the result reads of each operand."""
        return tile

    def parameters(self, sizes: Sequence[int]) -> Sequence[Slot]:
        """What a block reads besides."""
        return ()

    def sums(self, sizes: Sequence[int]) -> int:
        """Rows of the accumulator for a block."""
        return 0

    def slots(self, sizes: Sequence[int]) -> Sequence[Slot]:
        """What a block has in the scratchpad: operands, the result, parameters."""
        read = prod(map(len, self.read(*map(range, sizes)))) * self.type.size
        result = Slot(2, prod(sizes) * self.type.size)
        return *(Slot(2, read) for _ in self.operands), result, *self.parameters(sizes)

    def fits(self, sizes: Sequence[int]) -> bool:
        """Whether blocks of a size fit the memories of the machine."""
        is_small = scratchpad_bytes(self.slots(sizes)) <= MACHINE.scratchpad
        return is_small and 2 * self.sums(sizes) <= MACHINE.accumulator_rows

    def verify_(self) -> None:
        super().verify_()
        if self.block is not None and not (
            len(self.block.sizes) == len(self.out.get_shape())
            and self.fits(self.block.sizes)
        ):
            raise VerifyException(
                f"{self.block} does not fit the machine or the result"
            )


SCALES = 24
"""Bytes of the multipliers and shifts of a sum."""
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

    def parameters(self, sizes: Sequence[int]) -> Sequence[Slot]:
        return (Slot(1, SCALES),) if ints(self.scale) else ()

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require_type(cls.name, operands)
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

    def parameters(self, sizes: Sequence[int]) -> Sequence[Slot]:
        """Scales; in bfloat16 the zeros that are added."""
        zeros = prod(sizes) * self.type.size
        return (Slot(1, SCALES if ints(self.scale) else zeros),)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require_type(cls.name, operands)
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

    def read(self, *tile: range) -> Sequence[range]:
        image, lines, pixels, channels = tile
        height, width, step = self.window
        lines = range(lines.start * step, lines[-1] * step + height)
        return (
            image,
            lines,
            range(pixels.start * step, pixels[-1] * step + width),
            channels,
        )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require_type(cls.name, operands)
        shape, step = operands[0].get_shape(), int_of(properties["stride"])
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

    def parameters(self, sizes: Sequence[int]) -> Sequence[Slot]:
        return (Slot(2, parts(sizes[-1], COLUMNS) * self.type.channel_bytes),)

    def sums(self, sizes: Sequence[int]) -> int:
        return prod(sizes[:-1]) * parts(sizes[-1], COLUMNS)


def _require_scale(
    operand: AnyTensor, properties: Properties, int8: int, bf16: int
) -> None:
    wanted = int8 if operand.element_type == I8 else bf16
    require(
        len(ints(properties["scale"])) == wanted, f"the scale has {wanted} numbers here"
    )
