"""Merges equal ops on neighbouring slices of one value, such as RoPE of queries and keys."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.nn.base import NNOp, ints
from devproc.dialects.nn.shape import SliceOp, TransposeOp
from devproc.ir.text.location import fuse_locations
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.merge_products import mergeable_blocks
from devproc.transforms.tensor.sliced_pairs import Neighbours, matched, pays, readers


def partners(op: Operation) -> Iterator[NNOp]:
    """The ops that read another slice of a value of which `op` reads a slice."""
    for operand in op.operands:
        if isinstance(operand.owner, SliceOp):
            for use in operand.owner.operand.uses:
                if isinstance(use.operation, SliceOp) and use.operation is not op:
                    yield from readers(use.operation)


def merge(
    first: NNOp, second: NNOp, pairs: Sequence[Neighbours | None], earlier: NNOp
) -> NNOp:
    """Replace two ops by slices of one in the place of the earlier op."""
    made: list[NNOp] = []
    operands = list(earlier.operands)
    for index, pair in enumerate(pairs):
        if pair is not None:
            joined = pair.joined()
            operands[index] = pair.first.operand if joined is None else joined.result
            made += [] if joined is None else [joined]
    pair = next(pair for pair in pairs if pair is not None)
    one = on_both(first, operands, pair)
    made.append(one)
    axis, start = axis_of_result(first, pair), 0
    for op, size in zip((first, second), pair.sizes, strict=True):
        part = SliceOp.along(one.results[0], axis, start, size)
        part.result.name_hint = op.results[0].name_hint
        made.append(part)
        start += size
    for new in made:
        new.location = fuse_locations([first.location, second.location])
    Rewriter.insert_op(made, InsertPoint.before(earlier))
    for op, part in zip((first, second), made[-2:], strict=True):
        op.results[0].replace_all_uses_with(part.results[0])
        Rewriter.erase_op(op)
    slices = [
        op for pair in pairs if pair is not None for op in (pair.first, pair.second)
    ]
    for unused in dict.fromkeys(slices):
        if not unused.result.uses:
            Rewriter.erase_op(unused)
    return one


def on_both(op: NNOp, operands: Sequence[SSAValue], pair: Neighbours) -> NNOp:
    """An op on the joined slices."""
    if not isinstance(op, SliceOp):
        return type(op).build_op(operands, op.properties)
    size = list(ints(op.size))
    size[pair.axis] = sum(pair.sizes)
    return SliceOp.of(operands[0], ints(op.start), size, ints(op.step))


def axis_of_result(op: NNOp, pair: Neighbours) -> int:
    """The axis of the result along which the operands are sliced."""
    if isinstance(op, TransposeOp):
        return ints(op.permutation).index(pair.axis)
    return len(tensor_of(op.results[0]).get_shape()) + pair.from_last


def merge_in(block: Block) -> None:
    """Merge the ops of a block, in order; what was merged may merge with a third op."""
    passed: set[Operation] = set()
    op = block.first_op
    while op is not None:
        merged = merge_later(op, passed) if isinstance(op, NNOp) else None
        passed |= {op} if merged is None else set()
        op = op.next_op if merged is None else merged


def merge_later(op: NNOp, passed: Container[Operation]) -> NNOp | None:
    """Merge an op with a later one on a neighbouring slice; None if there is none."""
    for other in partners(op):
        for first, second in ((op, other), (other, op)):
            pairs = None if other in passed else matched(first, second)
            if pairs is not None and pays(first, second):
                return merge(first, second, pairs, op)
    return None


@dataclass(frozen=True)
class MergeSlicedOpsPass(ModulePass):
    """Merges equal ops on neighbouring slices of one value into one op on both, whose result
    is sliced: the rotary embedding of queries and keys, which `merge-products` computes as
    one value, is then one kernel. Only what leads to arithmetic is merged, and only for
    devices that ask for it (`Backend.merges_sliced_ops`).

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
        cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
      func.func @main(%x: tensor<5x3x4xf32>, %c: tensor<5x1x4xf32>) -> (tensor<2x5x4xf32>, tensor<1x5x4xf32>) {
        %q = nn.slice %x from [0, 0, 0] size [5, 2, 4] step [1, 1, 1]
          : (tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
        %k = nn.slice %x from [0, 2, 0] size [5, 1, 4] step [1, 1, 1]
          : (tensor<5x3x4xf32>) -> tensor<5x1x4xf32>
        %qc = nn.mul %q, %c : (tensor<5x2x4xf32>, tensor<5x1x4xf32>) -> tensor<5x2x4xf32>
        %kc = nn.mul %k, %c : (tensor<5x1x4xf32>, tensor<5x1x4xf32>) -> tensor<5x1x4xf32>
        %qt = nn.transpose %qc by [1, 0, 2] : (tensor<5x2x4xf32>) -> tensor<2x5x4xf32>
        %kt = nn.transpose %kc by [1, 0, 2] : (tensor<5x1x4xf32>) -> tensor<1x5x4xf32>
        func.return %qt, %kt : tensor<2x5x4xf32>, tensor<1x5x4xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1,
        cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
      func.func @main(%x: tensor<5x3x4xf32>, %c: tensor<5x1x4xf32>) -> (tensor<2x5x4xf32>, tensor<1x5x4xf32>) {
        %xc = nn.mul %x, %c : (tensor<5x3x4xf32>, tensor<5x1x4xf32>) -> tensor<5x3x4xf32>
        %q = nn.slice %xc from [0, 0, 0] size [5, 2, 4] step [1, 1, 1]
          : (tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
        %k = nn.slice %xc from [0, 2, 0] size [5, 1, 4] step [1, 1, 1]
          : (tensor<5x3x4xf32>) -> tensor<5x1x4xf32>
        %qt = nn.transpose %q by [1, 0, 2] : (tensor<5x2x4xf32>) -> tensor<2x5x4xf32>
        %kt = nn.transpose %k by [1, 0, 2] : (tensor<5x1x4xf32>) -> tensor<1x5x4xf32>
        func.return %qt, %kt : tensor<2x5x4xf32>, tensor<1x5x4xf32>
      }
    }
    ```
    """

    name = "merge-sliced-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in mergeable_blocks(op, lambda device: device.merges_sliced_ops):
            merge_in(block)
