"""Fuses `nn` ops into ops of the NPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack, unpack
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
from xdsl.transforms.common_subexpression_elimination import cse
from xdsl.transforms.dead_code_elimination import region_dce

from devproc.dialects.nn.base import NNOp, int_array, int_attr, ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.dialects.nn.shape import PadOp, ReshapeOp, TransposeOp
from devproc.dialects.nn.window import (
    NHWC_TO_NCHW,
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
        self.block = cast(Block, self.last.parent)
        self.location = fuse_locations(op.location for op in group.ops)

    def emit(self, op: NNOp | ConstantOp) -> SSAValue:
        """The result of an op, placed before the last of the group."""
        op.location = self.location
        self.block.insert_op_before(op, self.last)
        return op.results[0]

    def replace(self) -> None:
        """Put the op of the machine in the place of the group."""
        group, old = self.group, self.last.results[0]
        is_image = group.window is not None
        if issubclass(group.kind, npu.ProductOp):
            result = self._product()
        elif is_image:
            result = self._pool()
        else:
            is_image = any(map(_image, group.inputs))
            inputs = map(self._last, group.inputs) if is_image else group.inputs
            properties = {"scale": int_array(self._scale()), **self._clamp()}
            result = self.emit(group.kind.build_op([*inputs], properties))
        if is_image:
            result = self.emit(TransposeOp.by(result, NHWC_TO_NCHW))
        if result.type != old.type:
            result = self.emit(ReshapeOp.to(result, tensor_of(old).get_shape()))
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
        for op in reversed(group.ops):
            self.block.erase_op(op)

    def _product(self) -> SSAValue:
        group, properties = self.group, self._clamp()
        left, right = group.inputs
        if group.kind is npu.ConvolutionOp:
            step = 1 if group.window is None else ints(group.window.stride)[0]
            properties["stride"] = int_attr(step)
        if group.window is not None:
            left = self._padded(left, 0)
        source = right.owner
        if group.kind is npu.MatmulOp and isinstance(source, TransposeOp):
            # The array transposes the right operand itself: rows are moved as they are.
            *order, rows, columns = ints(source.permutation)
            if rows == len(order) + 1:
                order = (*order, columns, rows)
                right = self.emit(TransposeOp.by(source.operand, order))
                properties["transposed"] = UnitAttr()
        bias = [] if group.bias is None else [group.bias]
        scale = [v for s in group.scales for v in (s.multiplier, s.shift)]
        return self.emit(group.kind.of([left, right], bias, scale, properties))

    def _pool(self) -> SSAValue:
        group, (image,) = self.group, self.group.inputs
        if isinstance(group.window, ReduceSumOp):
            kernel, step = tensor_of(image).get_shape()[2:], 1
            image = self._last(image)
        else:
            kernel, step = ints(group.window.kernel), ints(group.window.stride)[0]
            least = lowest(tensor_of(image).element_type)
            image = self._padded(image, least if group.kind is npu.MaxPoolOp else 0)
        properties = {"kernel": int_array(kernel), "stride": int_attr(step)}
        if group.kind is npu.SumPoolOp:
            properties |= {"scale": int_array(self._scale()), **self._clamp()}
        return self.emit(group.kind.build_op([image], properties))

    # Images, with their channels last.

    def _last(self, value: SSAValue) -> SSAValue:
        return _image(value) or self.emit(TransposeOp.by(value, NCHW_TO_NHWC))

    def _padded(self, value: SSAValue, border: float) -> SSAValue:
        x, pads = self._last(value), (0, *ints(self.group.window.padding), 0)
        if not any(pads):
            return x
        fill, type_ = None, tensor_of(x)
        if border:
            scalar = tensor(type_.element_type, (), type_.encoding)
            fill = self.emit(ConstantOp.of(scalar, [border]))
        return self.emit(PadOp.around(x, pads, pads, fill))

    # Words of the machine.

    def _clamp(self) -> dict[str, Attribute]:
        group = self.group
        low, high = max(group.low, -128), min(group.high, 127)
        if tensor_of(group.inputs[0]).element_type == npu.BF16:
            low, high = unpack("<2i", pack("<2f", group.low, group.high))
        return {"low": int_attr(int(low)), "high": int_attr(int(high))}

    def _scale(self) -> Sequence[int]:
        """Multipliers and shifts of all scales; in bfloat16 the factor of a mean."""
        group = self.group
        if tensor_of(group.inputs[0]).element_type == npu.BF16:
            is_mean = group.kind is npu.SumPoolOp
            return unpack("<i", pack("<f", 1 / group.divisor)) if is_mean else ()
        values = [value for s in group.scales for value in (s.multiplier, s.shift)]
        return [int(numbers(value)[0]) for value in values] or npu.ONE


def _image(value: SSAValue) -> SSAValue | None:
    """What a value is a transpose of, an image with its channels last; None if of none."""
    owner = value.owner
    if isinstance(owner, TransposeOp) and ints(owner.permutation) == NHWC_TO_NCHW:
        return owner.operand
    return None


def fuse(function: FuncOp) -> None:
    """Fuse the ops of a function. Raises VerifyException for one that the machine lacks."""
    for group in reversed(groups_of(list(function.body.block.ops))):
        if group.kind is not None:
            # Again, as its operands may have been replaced.
            Fusion(group_of(group.ops[-1])).replace()
    PatternRewriteWalker(CanonicalizationRewritePattern()).rewrite_region(function.body)
    cse(function.body.block)
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
