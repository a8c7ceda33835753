"""Fuses `nn` ops into ops of the NPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack, unpack

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
from xdsl.transforms.dead_code_elimination import region_dce

from devproc.dialects.nn.base import NNOp, int_array, int_attr, ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.dialects.nn.shape import PadOp, ReshapeOp, TransposeOp
from devproc.dialects.nn.window import (
    NHWC_TO_NCHW,
    Conv2dOp,
    MaxPool2dOp,
    SumPool2dOp,
)
from devproc.ir.text.location import fuse_locations
from devproc.ir.types import lowest, tensor, tensor_of
from devproc_npu import dialect as npu
from devproc_npu.groups import Group, group_of, groups_of, numbers
from devproc_npu.transforms import functions_of_npu

NCHW_TO_NHWC = (0, 2, 3, 1)


class Fusion:
    """Emits the op of a group before its last op, and what brings images to its layout."""

    def __init__(self, group: Group):
        self.group, self.last = group, group.ops[-1]
        self.location = fuse_locations(op.location for op in group.ops)

    def emit(self, op: NNOp | ConstantOp) -> SSAValue:
        """The result of an op, placed before the last of the group."""
        block = self.last.parent
        assert block is not None
        op.location = self.location
        block.insert_op_before(op, self.last)
        return op.results[0]

    def replace(self) -> None:
        """Put the op of the machine in the place of the group."""
        result = self._result()
        result.name_hint = self.last.results[0].name_hint
        self.last.results[0].replace_all_uses_with(result)
        for op in reversed(self.group.ops):
            op.detach()
            op.erase()

    def _result(self) -> SSAValue:
        anchor = self.group.anchor
        if isinstance(anchor, Conv2dOp):
            return self._convolution(anchor)
        if isinstance(anchor, LinearOp):
            return self._product(
                npu.ConvolutionOp, anchor.operands[:2], stride=int_attr(1)
            )
        if isinstance(anchor, MatmulOp):
            return self._matmul(*anchor.operands)
        if isinstance(anchor, MaxPool2dOp):
            return self._max_pool(anchor)
        if len(self.group.inputs) == 2:
            return self._elementwise(npu.AddOp, self._scales())
        if isinstance(anchor, ReduceSumOp | SumPool2dOp):
            return self._mean(anchor)
        return self._elementwise(npu.RescaleOp, self._scales() or npu.ONE)

    # Properties.

    def _clamp(self) -> dict[str, Attribute]:
        """The bounds as words of the machine."""
        group = self.group
        low, high = max(group.low, -128), min(group.high, 127)
        if tensor_of(group.inputs[0]).element_type == npu.BF16:
            low, high = unpack("<2i", pack("<2f", group.low, group.high))
        return {"low": int_attr(int(low)), "high": int_attr(int(high))}

    def _scales(self) -> list[int]:
        """Multipliers and shifts of all scales, which are numbers."""
        pairs = [(s.multiplier, s.shift) for s in self.group.scales]
        return [int(numbers(value)[0]) for pair in pairs for value in pair]

    # Images.

    def _last(self, value: SSAValue) -> SSAValue:
        """An image with its channels last."""
        if (source := _source(value)) is not None:
            return source
        for user in (use.operation for use in value.uses):
            if (
                isinstance(user, TransposeOp)
                and ints(user.permutation) == NCHW_TO_NHWC
                and user.is_before_in_block(self.last)
            ):
                return user.result
        return self.emit(TransposeOp.by(value, NCHW_TO_NHWC))

    def _padded(self, x: SSAValue, pads: Sequence[int], value: float) -> SSAValue:
        """An image, channels last, with its border."""
        if not any(pads):
            return x
        border, fill = (0, *pads, 0), None
        if value:
            type_ = tensor_of(x)
            scalar = tensor(type_.element_type, (), type_.encoding)
            fill = self.emit(ConstantOp.of(scalar, [value]))
        return self.emit(PadOp.around(x, border, border, fill))

    def _first(self, image: SSAValue) -> SSAValue:
        return self.emit(TransposeOp.by(image, NHWC_TO_NCHW))

    # Ops.

    def _product(
        self, op: type[npu.ProductOp], operands: Sequence[SSAValue], **more: Attribute
    ) -> SSAValue:
        group = self.group
        bias = [] if group.bias is None else [group.bias]
        scale = [v for s in group.scales for v in (s.multiplier, s.shift)]
        sizes = [1, 1, len(bias), len(scale) // 2, len(scale) // 2]
        segments = DenseArrayBase.from_list(i32, sizes)
        properties = {"operandSegmentSizes": segments, **self._clamp(), **more}
        return self.emit(op.build_op([*operands, *bias, *scale], properties))

    def _convolution(self, anchor: Conv2dOp) -> SSAValue:
        x = self._padded(self._last(anchor.input), ints(anchor.padding), 0)
        stride = int_attr(ints(anchor.stride)[0])
        operands = [x, anchor.weight]
        return self._first(self._product(npu.ConvolutionOp, operands, stride=stride))

    def _matmul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The array transposes the right operand itself: rows are moved as they are."""
        owner, more = b.owner, dict[str, Attribute]()
        if isinstance(owner, TransposeOp):
            *order, rows, columns = ints(owner.permutation)
            if rows == len(order) + 1:
                b = self.emit(TransposeOp.by(owner.operand, (*order, columns, rows)))
                more["transposed"] = UnitAttr()
        return self._product(npu.MatmulOp, [a, b], **more)

    def _max_pool(self, anchor: MaxPool2dOp) -> SSAValue:
        x, element = self._last(anchor.input), tensor_of(anchor.input).element_type
        properties = {
            "kernel": anchor.kernel,
            "stride": int_attr(ints(anchor.stride)[0]),
        }
        x = self._padded(x, ints(anchor.padding), lowest(element))
        return self._first(self.emit(npu.MaxPoolOp.build_op([x], properties)))

    def _mean(self, anchor: ReduceSumOp | SumPool2dOp) -> SSAValue:
        x, stride = self._last(self.group.inputs[0]), 1
        kernel = tensor_of(x).get_shape()[1:3]
        if isinstance(anchor, SumPool2dOp):
            kernel, stride = ints(anchor.kernel), ints(anchor.stride)[0]
            x = self._padded(x, ints(anchor.padding), 0)
        scale = self._scales() or unpack("<i", pack("<f", self.group.factor))
        properties = {
            "kernel": int_array(kernel),
            "stride": int_attr(stride),
            "scale": int_array(scale),
            **self._clamp(),
        }
        image = self._first(self.emit(npu.SumPoolOp.build_op([x], properties)))
        shape = tensor_of(self.last.results[0]).get_shape()
        return self.emit(ReshapeOp.to(image, shape))

    def _elementwise(self, op: type[npu.VectorOp], scale: Sequence[int]) -> SSAValue:
        """In the layout of the operands."""
        inputs = self.group.inputs
        is_int = tensor_of(inputs[0]).element_type == npu.I8
        numbers_ = int_array(scale if is_int else ())
        properties = {"scale": numbers_, **self._clamp()}
        if all(_source(value) is None for value in inputs):
            return self.emit(op.build_op(inputs, properties))
        images = [self._last(value) for value in inputs]
        return self._first(self.emit(op.build_op(images, properties)))


def _source(value: SSAValue) -> SSAValue | None:
    """What a value is a transpose of, an image with its channels last; None if of none."""
    owner = value.owner
    is_image = (
        isinstance(owner, TransposeOp) and ints(owner.permutation) == NHWC_TO_NCHW
    )
    return owner.operand if isinstance(owner, TransposeOp) and is_image else None


def fuse(function: FuncOp) -> None:
    """Fuse the ops of a function. Raises Refusal for one that the machine lacks."""
    for group in reversed(groups_of(list(function.body.block.ops))):
        if not isinstance(group.anchor, ReshapeOp | TransposeOp):
            # Again, as its operands may have been replaced.
            Fusion(group_of(group.ops[-1])).replace()
    walker = PatternRewriteWalker(CanonicalizationRewritePattern())
    walker.rewrite_region(function.body)
    region_dce(function.body)


@dataclass(frozen=True)
class NpuFusePass(ModulePass):
    """Fuse the ops of functions of the NPU: a product with its bias, scale and clamp, a sum
    with the scales of its terms, a mean.

    Images get their channels last, as the DMA engine wants them; borders of zeros become
    explicit. Transposes cancel between ops, and remain where the function begins and ends.

    Before:

    ```mlir
    !x = tensor<1x3x8x8xi8, #dev.on<"npu">>
    !w = tensor<4x3x3x3xi8, #dev.on<"npu">>
    !sums = tensor<1x4x8x8xi32, #dev.on<"npu">>
    !y = tensor<1x4x8x8xi8, #dev.on<"npu">>
    func.func private @npu_0(%x: !x) -> !y
        attributes {dev.kernel = #dev.kernel<"npu", "region", ["nn.conv2d", "nn.rescale", "nn.relu"]>} {
      %w = nn.weight @w hash "1f" : !w
      %m = nn.constant dense<1610612736> : tensor<i32> : tensor<i32, #dev.on<"npu">>
      %s = nn.constant dense<40> : tensor<i8> : tensor<i8, #dev.on<"npu">>
      %c = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1
        : (!x, !w) -> !sums
      %r = nn.rescale %c, %m, %s zero 0 to i8 zero 0 clamp -128 127
        : (!sums, tensor<i32, #dev.on<"npu">>, tensor<i8, #dev.on<"npu">>) -> !y
      %y = nn.relu %r : (!y) -> !y
      func.return %y : !y
    }
    ```

    After:

    ```mlir
    !x = tensor<1x3x8x8xi8, #dev.on<"npu">>
    !w = tensor<4x3x3x3xi8, #dev.on<"npu">>
    !last = tensor<1x8x8x3xi8, #dev.on<"npu">>
    !padded = tensor<1x10x10x3xi8, #dev.on<"npu">>
    !r = tensor<1x8x8x4xi8, #dev.on<"npu">>
    !y = tensor<1x4x8x8xi8, #dev.on<"npu">>
    func.func private @npu_0(%x: !x) -> !y
        attributes {dev.kernel = #dev.kernel<"npu", "region", ["nn.conv2d", "nn.rescale", "nn.relu"]>} {
      %w = nn.weight @w hash "1f" : !w
      %m = nn.constant dense<1610612736> : tensor<i32> : tensor<i32, #dev.on<"npu">>
      %s = nn.constant dense<40> : tensor<i8> : tensor<i8, #dev.on<"npu">>
      %0 = nn.transpose %x by [0, 2, 3, 1] : (!x) -> !last
      %1 = nn.pad %0 low [0, 1, 1, 0] high [0, 1, 1, 0] : (!last) -> !padded
      %2 = npu.convolution %1, %w stride 1
        scale %m, %s : tensor<i32, #dev.on<"npu">>, tensor<i8, #dev.on<"npu">>
        clamp 0 127 : !padded, !w -> !r
      %y = nn.transpose %2 by [0, 3, 1, 2] : (!r) -> !y
      func.return %y : !y
    }
    ```
    """

    name = "npu-fuse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of_npu(op):
            fuse(function)
