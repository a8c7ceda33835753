"""The user's steps become `nn` ops; the meaning of axes becomes axis numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import Rewriter

from devproc.dialects.nn import image, pointwise, reduction
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.dialects.pipe import ops as pipe
from devproc.dialects.pipe.layout import layout_of
from devproc.ir.location import replace_op
from devproc.ir.types import AnyTensor, tensor_of, with_encoding


class LowerResize(RewritePattern):
    """`pipe.resize` to `nn.resize` over the axes H and W."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: pipe.ResizeOp, rewriter: PatternRewriter, /
    ) -> None:
        properties = pipe.resize_properties(tensor_of(op.operand), op.properties)
        replace_op(rewriter, op, image.ResizeOp.build_op([op.operand], properties))


class LowerNormalize(RewritePattern):
    """`pipe.normalize` to `nn.normalize` along the axis C."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: pipe.NormalizeOp, rewriter: PatternRewriter, /
    ) -> None:
        properties = pipe.normalize_properties(tensor_of(op.operand), op.properties)
        replace_op(rewriter, op, image.NormalizeOp.build_op([op.operand], properties))


class LowerLayout(RewritePattern):
    """`pipe.layout` to a reshape that drops axes, a transpose, and one that adds them."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: pipe.LayoutOp, rewriter: PatternRewriter, /
    ) -> None:
        shape = tensor_of(op.operand).get_shape()
        kept, permutation = pipe.layout_shapes(op.source.data, op.target.data, shape)
        drop = ReshapeOp.to(op.operand, kept)
        move = TransposeOp.by(drop.result, permutation)
        add = ReshapeOp.to(move.result, tensor_of(op.result).get_shape())
        replace_op(rewriter, op, [drop, move, add])


class LowerSameOp(RewritePattern):
    """Steps whose `nn` op has the same operands and properties."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: pipe.SoftmaxOp | pipe.ArgmaxOp | pipe.CastOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        new: Operation
        if isinstance(op, pipe.ArgmaxOp):
            properties = pipe.argmax_properties(op.properties)
            new = reduction.ArgmaxOp.build_op([op.operand], properties)
        elif isinstance(op, pipe.SoftmaxOp):
            new = reduction.SoftmaxOp.build_op([op.operand], op.properties)
        else:
            new = pointwise.CastOp.build_op([op.operand], op.properties)
        replace_op(rewriter, op, new)


def _plain(type_: Attribute) -> Attribute:
    return with_encoding(cast(AnyTensor, type_), None) if layout_of(type_) else type_


def _drop_layouts(function: FuncOp) -> None:
    for argument in tuple(function.args):
        location = argument.location
        new = Rewriter.replace_value_with_new_type(argument, _plain(argument.type))
        cast(BlockArgument, new).location = location
    old = function.function_type
    function.function_type = FunctionType.from_lists(
        [_plain(t) for t in old.inputs], [_plain(t) for t in old.outputs]
    )


@dataclass(frozen=True)
class LowerPipePass(ModulePass):
    """Replace the steps of the user's program by `nn` ops and drop the layouts.

    From here on axes have numbers, and a tensor's encoding is free to say its device.

    Before:
    ```mlir
    func.func @main(
        %x: tensor<4x5xf32, #pipe.axes<"HW">>
    ) -> tensor<1x2x2xf32, #pipe.axes<"NWH">> {
      %0 = pipe.resize %x to [2, 2] mode "box" like "pillow"
        : (tensor<4x5xf32, #pipe.axes<"HW">>) -> tensor<2x2xf32, #pipe.axes<"HW">>
      %1 = pipe.layout %0 from "HW" to "NWH"
        : (tensor<2x2xf32, #pipe.axes<"HW">>) -> tensor<1x2x2xf32, #pipe.axes<"NWH">>
      func.return %1 : tensor<1x2x2xf32, #pipe.axes<"NWH">>
    }
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<4x5xf32>) -> tensor<1x2x2xf32> {
      %0 = nn.resize %x axes [0, 1] to [2, 2] mode "box" like "pillow"
        : (tensor<4x5xf32>) -> tensor<2x2xf32>
      %1 = nn.reshape %0 to [2, 2] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %2 = nn.transpose %1 by [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %3 = nn.reshape %2 to [1, 2, 2] : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
      func.return %3 : tensor<1x2x2xf32>
    }
    ```
    """

    name = "lower-pipe"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns: list[RewritePattern] = [
            LowerResize(),
            LowerNormalize(),
            LowerLayout(),
            LowerSameOp(),
        ]
        # Backwards: a step reads the layout of an operand that is not yet lowered.
        PatternRewriteWalker(
            GreedyRewritePatternApplier(patterns, dce_enabled=False),
            apply_recursively=False,
            walk_reverse=True,
        ).rewrite_module(op)
        for function in op.ops:
            if isinstance(function, FuncOp):
                _drop_layouts(function)
