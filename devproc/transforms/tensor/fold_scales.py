"""A factor for each output channel moves into the weight of the layer before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects.dev import TargetAttr
from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.contraction import LinearOp
from devproc.dialects.nn.pointwise import MulOp
from devproc.dialects.nn.shape import ReshapeOp
from devproc.dialects.nn.window import Conv2dOp, is_nhwc
from devproc.ir.location import copy_location
from devproc.ir.types import tensor_of
from devproc.ir.verify import PREPARE
from devproc.transforms.tensor.hoist_constants import constant_ops

Layer: TypeAlias = Conv2dOp | LinearOp


def channel_axes(layer: Layer) -> tuple[int, int]:
    """The axis of the output channels in the result and in the weight."""
    if isinstance(layer, LinearOp):
        return tensor_of(layer.result).get_num_dims() - 1, 0
    return (3, 3) if is_nhwc(layer.properties) else (1, 0)


def is_per_channel(scale: SSAValue, layer: Layer) -> bool:
    """Whether a factor is one number, or one for each output channel of a layer."""
    shape, result = tensor_of(scale).get_shape(), tensor_of(layer.result).get_shape()
    if len(shape) > len(result):
        return False
    axis, _ = channel_axes(layer)
    aligned = (*[1] * (len(result) - len(shape)), *shape)
    return all(
        size == 1 or (d == axis and size == result[axis])
        for d, size in enumerate(aligned)
    )


class ScaleFolder:
    """The state of one block."""

    def __init__(self, block: Block):
        self.block = block
        self.constants = constant_ops(block)

    def run(self) -> None:
        """Fold every product that allows it, in order."""
        for op in list(self.block.ops):
            if isinstance(op, MulOp) and op not in self.constants:
                for value, scale in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                    layer = value.owner
                    if isinstance(layer, Layer) and self._folds(layer, scale):
                        self._fold(op, layer, scale)
                        break

    def _folds(self, layer: Layer, scale: SSAValue) -> bool:
        parameters = (scale, *layer.operands[1:])
        # In 16 bits a weight would round once more than its result.
        element = tensor_of(layer.result).element_type
        return (
            isinstance(element, Float32Type | Float64Type)
            and layer.result.uses.get_length() == 1
            and all(value.owner in self.constants for value in parameters)
            and is_per_channel(scale, layer)
        )

    def _fold(self, product: MulOp, layer: Layer, scale: SSAValue) -> None:
        """`layer` with scaled parameters takes the place of the product."""
        _, axis = channel_axes(layer)
        x, weight, *bias = layer.operands
        operands = [x, self._scaled(product, weight, axis, scale)]
        operands += [self._scaled(product, value, 0, scale) for value in bias]
        new = type(layer).build_op(operands, layer.properties)
        self._insert(new, product, layer)
        new.result.name_hint = product.result.name_hint
        product.result.replace_all_uses_with(new.result)
        self.block.erase_op(product)
        self.block.erase_op(layer)

    def _scaled(
        self, product: MulOp, value: SSAValue, axis: int, scale: SSAValue
    ) -> SSAValue:
        """A parameter times the factors of its channels, which lie along `axis`."""
        shape = [1] * tensor_of(value).get_num_dims()
        shape[axis] = tensor_of(scale).element_count()
        factors = self._constant(ReshapeOp.to(scale, shape), product)
        return self._constant(MulOp.build_op([value, factors]), product)

    def _constant(self, op: NNOp, product: MulOp) -> SSAValue:
        self._insert(op, product, product)
        self.constants[op] = None
        return op.results[0]

    def _insert(self, op: NNOp, before: Operation, like: Operation) -> None:
        copy_location(like, op)
        self.block.insert_op_before(op, before)


@dataclass(frozen=True)
class FoldScalesPass(ModulePass):
    """Multiply the weight of a convolution or linear layer, at compile time, instead of its
    result: a batch norm behind it becomes a bias, a layer scale nothing.

    Each product of the layer is rounded as before, from a weight that was rounded once
    more. Not with `precision = "strict"`, and not below 32 bits.

    Before:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
      %w = nn.weight @w hash "1f" : tensor<4x3xf32>
      %y = nn.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
      %s = nn.weight @s hash "2f" : tensor<4xf32>
      %r = nn.mul %y, %s : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      func.return %r : tensor<2x4xf32>
    }
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
      %w = nn.weight @w hash "1f" : tensor<4x3xf32>
      %s = nn.weight @s hash "2f" : tensor<4xf32>
      %0 = nn.reshape %s to [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
      %1 = nn.mul %w, %0 : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
      %r = nn.linear %x, %1 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
      func.return %r : tensor<2x4xf32>
    }
    ```
    """

    name = "fold-scales"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = op.attributes.get("devproc.target")
        if isinstance(target, TargetAttr) and target.precision.data == "strict":
            return
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data != PREPARE:
                for block in function.body.blocks:
                    ScaleFolder(block).run()
