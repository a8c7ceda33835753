"""Folds a batch norm into the weights of the convolution or linear layer before it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.dev import TargetAttr
from devproc.dialects.nn.base import float_of
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.contraction import LinearOp
from devproc.dialects.nn.normalization import BatchNormOp
from devproc.dialects.nn.shape import ReshapeOp
from devproc.dialects.nn.window import Conv2dOp
from devproc.ir.text.location import copy_location_between, fuse_locations
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.attention.pattern import is_single
from devproc.transforms.tensor.decompositions.normalization import scale_and_shift
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions


class FoldBatchNorm(RewritePattern):
    """batch_norm(conv2d(x, w, b)) to conv2d(x, w * scale, b * scale + shift)."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter, /) -> None:
        between = _reshape_before(op)
        product = op.operand if between is None else between.operand
        layer = product.owner
        if not isinstance(layer, Conv2dOp | LinearOp) or not _folds(op, layer):
            return
        if not is_single(op.operand) or not is_single(product):
            return
        before, e = op.prev_op, Expressions(rewriter)
        scale, shift = scale_and_shift(op, e)
        weight = e.of(layer.weight)
        weight *= scale.reshape(-1, *[1] * (len(weight.shape) - 1))
        if layer.bias is not None:
            shift = e.of(layer.bias) * scale + shift
        operands = [layer.input, weight.ssa, shift.ssa]
        made = type(layer).build_op(operands, layer.properties)
        made.location = fuse_locations([layer.location, op.location])
        result = e.emit(made).reshape(*tensor_of(op.result).get_shape())
        copy_location_between(before, op)
        rewriter.replace(op, [], [result.ssa])
        # Erased here instead of as dead code, because its name is taken over.
        if between is not None:
            rewriter.erase(between)
        rewriter.erase(layer)


def _reshape_before(op: BatchNormOp) -> ReshapeOp | None:
    """Look through the reshape between a 1-D convolution and its batch norm."""
    owner = op.operand.owner
    if not isinstance(owner, ReshapeOp):
        return None
    old, new = (tensor_of(v).get_shape() for v in (owner.operand, owner.result))
    return owner if len(old) >= 2 and old[:2] == new[:2] else None


def _folds(op: BatchNormOp, layer: Conv2dOp | LinearOp) -> bool:
    """Whether all parameters are constant, and the channels are those of the weight.

    Not for half precision, which would round the products, nor without an epsilon,
    since a scale may then be infinite.
    """
    type_ = tensor_of(layer.result)
    if type_.element_type not in (f32, f64) or float_of(op.epsilon) <= 0:
        return False
    if isinstance(layer, LinearOp) and type_.get_num_dims() != 2:
        return False
    parameters = [op.weight, op.bias, op.mean, op.variance, layer.bias]
    if op.mean is None or not _is_own_weight(layer.weight):
        return False
    return all(p is None or isinstance(p.owner, WeightOp) for p in parameters)


def _is_own_weight(value: SSAValue) -> bool:
    """Whether a value is a weight with a single use, possibly reshaped."""
    owner = value.owner
    if not is_single(value):
        return False
    if isinstance(owner, ReshapeOp):
        return _is_own_weight(owner.operand)
    return isinstance(owner, WeightOp)


@dataclass(frozen=True)
class FoldBatchNormPass(ModulePass):
    """Multiply the scale of a batch norm into the weight of the layer before it.

    The result is one layer with a bias, whose weights are computed at compile time.
    Products round differently from PyTorch's, so nothing is folded with `precision =
    "strict"` or if the module has no precision.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
        %w = nn.weight @w hash "1f" : tensor<4x3xf32>
        %m = nn.weight @m hash "2f" : tensor<4xf32>
        %v = nn.weight @v hash "3f" : tensor<4xf32>
        %y = nn.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
        %r = nn.batch_norm %y mean %m : tensor<4xf32> variance %v : tensor<4xf32>
          epsilon 1.0e-05 : f64 : (tensor<2x4xf32>) -> tensor<2x4xf32>
        func.return %r : tensor<2x4xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
        %w = nn.weight @w hash "1f" : tensor<4x3xf32>
        %m = nn.weight @m hash "2f" : tensor<4xf32>
        %v = nn.weight @v hash "3f" : tensor<4xf32>
        %0 = nn.constant dense<1.0e-05> : tensor<f32> : tensor<f32>
        %1 = nn.add %v, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        %2 = nn.sqrt %1 : (tensor<4xf32>) -> tensor<4xf32>
        %3 = nn.constant dense<1.0> : tensor<f32> : tensor<f32>
        %4 = nn.div %3, %2 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
        %5 = nn.mul %m, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %6 = nn.constant dense<-1.0> : tensor<f32> : tensor<f32>
        %7 = nn.mul %5, %6 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        %8 = nn.reshape %4 to [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
        %9 = nn.mul %w, %8 : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
        %r = nn.linear %x, %9 bias %7
          : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
        func.return %r : tensor<2x4xf32>
      }
    }
    ```
    """

    name = "fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = op.attributes.get("devproc.target")
        if not isinstance(target, TargetAttr) or target.precision.data == "strict":
            return
        walker = PatternRewriteWalker(FoldBatchNorm(), apply_recursively=False)
        walker.rewrite_module(op)
