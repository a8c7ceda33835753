"""Merges linear layers of one input, such as the projections of an attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.backend.backend import Backend
from devproc.backend.installed import backend
from devproc.dialects.dev import target_of
from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.contraction import LinearOp
from devproc.dialects.nn.shape import ConcatOp, ReshapeOp, SliceOp
from devproc.ir.text.location import fuse_locations
from devproc.ir.types import tensor_of
from devproc.ir.verification.verify import PREPARE


@dataclass(frozen=True)
class Projection:
    """A linear layer whose result is only read as rows of heads."""

    linear: LinearOp
    reshape: ReshapeOp

    @property
    def key(self) -> tuple[object, ...]:
        """What layers have in common that become one."""
        shape = tensor_of(self.reshape.result).get_shape()
        constants = [tensor_of(value) for value in self.linear.operands[1:]]
        elements = tuple(type_.element_type for type_ in constants)
        return self.linear.input, elements, shape[:-2], shape[-1]

    @property
    def heads(self) -> int:
        """The size of the next to last dimension that is read."""
        return tensor_of(self.reshape.result).get_shape()[-2]


def projection(linear: LinearOp) -> Projection | None:
    """A linear layer with weights of its own, whose only reader splits the last dimension
    in two; None for others."""
    uses = list(linear.result.uses)
    reader = uses[0].operation if len(uses) == 1 else None
    own = all(
        isinstance(value, OpResult)
        and isinstance(value.op, WeightOp)
        and len(list(value.uses)) == 1
        for value in linear.operands[1:]
    )
    if not own or not isinstance(reader, ReshapeOp):
        return None
    before, after = (
        tensor_of(value).get_shape() for value in (linear.result, reader.result)
    )
    splits = len(after) == len(before) + 1 and after[:-2] == before[:-1]
    return Projection(linear, reader) if splits else None


def merge(parts: Sequence[Projection]) -> None:
    """Replace layers by one in the place of the first, whose readers take their heads."""
    first = parts[0]
    place = InsertPoint.before(first.linear)
    operands: list[SSAValue] = [first.linear.input]
    made: list[Operation] = []
    for values in zip(*(part.linear.operands[1:] for part in parts), strict=True):
        for value in values:
            assert isinstance(value, OpResult)
            value.op.detach()
            made.append(value.op)
        concat = ConcatOp.build_op(values, {"axis": int_attr(0)})
        made.append(concat)
        operands.append(concat.result)
    merged = LinearOp.build_op(operands)
    shape = list(tensor_of(first.reshape.result).get_shape())
    shape[-2] = sum(part.heads for part in parts)
    rows = ReshapeOp.to(merged.result, shape)
    location = fuse_locations(part.linear.location for part in parts)
    for op in (*made, merged, rows):
        if not isinstance(op, WeightOp):
            op.location = location
        Rewriter.insert_op(op, place)
    start = [0] * len(shape)
    for part in parts:
        shape[-2] = part.heads
        taken = SliceOp.build_op(
            [rows.result],
            {
                "start": int_array(start),
                "size": int_array(shape),
                "step": int_array([1] * len(shape)),
            },
        )
        taken.location = part.reshape.location
        Rewriter.replace_op(part.reshape, taken)
        Rewriter.erase_op(part.linear)
        start[-2] += part.heads


def merge_in(block: Block) -> None:
    """Merge the layers of a block that read the same value."""
    found: dict[object, list[Projection]] = {}
    for op in block.ops:
        part = projection(op) if isinstance(op, LinearOp) else None
        if part is not None:
            found.setdefault(part.key, []).append(part)
    for parts in found.values():
        if len(parts) > 1:
            merge(parts)


def mergeable_blocks(
    module: ModuleOp, gains: Callable[[Backend], bool]
) -> Iterator[Block]:
    """The blocks of a program whose devices all gain; none otherwise.

    Weights that are prepared once stay as they are.
    """
    devices = target_of(module).device_names
    if not all(gains(backend(name)) for name in devices):
        return
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data != PREPARE:
            yield from function.body.blocks


@dataclass(frozen=True)
class MergeProductsPass(ModulePass):
    """Merges linear layers that read the same value and have constant weights, where the
    results are only read as heads of an attention: one product has more tiles for the
    processors of a GPU, and one launch; on the CPU it prepares its rows once, and reads one
    long stream of weights. The weights are concatenated at compile time; each
    reader takes a slice of the heads, which the op that reads it folds into its indices.
    Only for devices that ask for it (`Backend.merges_products`).

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
        cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
      func.func @main(%x: tensor<5x8xf32>) -> (tensor<5x2x4xf32>, tensor<5x1x4xf32>) {
        %wq = nn.weight @q hash "1f" : tensor<8x8xf32>
        %q = nn.linear %x, %wq : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
        %qh = nn.reshape %q to [5, 2, 4] : (tensor<5x8xf32>) -> tensor<5x2x4xf32>
        %wk = nn.weight @k hash "2f" : tensor<4x8xf32>
        %k = nn.linear %x, %wk : (tensor<5x8xf32>, tensor<4x8xf32>) -> tensor<5x4xf32>
        %kh = nn.reshape %k to [5, 1, 4] : (tensor<5x4xf32>) -> tensor<5x1x4xf32>
        func.return %qh, %kh : tensor<5x2x4xf32>, tensor<5x1x4xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
        cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
      func.func @main(%x: tensor<5x8xf32>) -> (tensor<5x2x4xf32>, tensor<5x1x4xf32>) {
        %wq = nn.weight @q hash "1f" : tensor<8x8xf32>
        %wk = nn.weight @k hash "2f" : tensor<4x8xf32>
        %w = nn.concat %wq, %wk axis 0
          : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
        %y = nn.linear %x, %w : (tensor<5x8xf32>, tensor<12x8xf32>) -> tensor<5x12xf32>
        %h = nn.reshape %y to [5, 3, 4] : (tensor<5x12xf32>) -> tensor<5x3x4xf32>
        %qh = nn.slice %h from [0, 0, 0] size [5, 2, 4] step [1, 1, 1]
          : (tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
        %kh = nn.slice %h from [0, 2, 0] size [5, 1, 4] step [1, 1, 1]
          : (tensor<5x3x4xf32>) -> tensor<5x1x4xf32>
        func.return %qh, %kh : tensor<5x2x4xf32>, tensor<5x1x4xf32>
      }
    }
    ```
    """

    name = "merge-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in mergeable_blocks(op, lambda device: device.merges_products):
            merge_in(block)
