"""Merges equal ops on neighbouring slices of one value, such as RoPE of queries and keys."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.backend.installed import backend
from devproc.dialects.dev import target_of
from devproc.dialects.nn.base import NNOp, int_of, ints, normalize_axis
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.dialects.nn.shape import ConcatOp, SliceOp, TransposeOp
from devproc.ir.text.location import fuse_locations
from devproc.ir.types import tensor_of
from devproc.ir.verification.verify import PREPARE
from devproc.transforms.tensor.bubble_up_slices import subset_of


@dataclass(frozen=True)
class Neighbours:
    """Two slices of one value that differ along an axis alone, the second after the first."""

    first: SliceOp
    second: SliceOp
    axis: int

    @property
    def sizes(self) -> tuple[int, int]:
        """The sizes along the axis."""
        return ints(self.first.size)[self.axis], ints(self.second.size)[self.axis]

    @property
    def from_last(self) -> int:
        """The axis, counted from the last one, as in broadcasts."""
        return self.axis - len(ints(self.first.size))

    def joined(self) -> SliceOp | None:
        """The slice of both; None if that is the whole value."""
        first, size = self.first, list(ints(self.first.size))
        size[self.axis] = sum(self.sizes)
        if tuple(size) == tensor_of(first.operand).get_shape():
            return None
        return SliceOp.of(first.operand, ints(first.start), size, ints(first.step))


def neighbours(first: SSAValue, second: SSAValue) -> Neighbours | None:
    """The neighbouring slices that two values are, in this order; None for others."""
    a, b = first.owner, second.owner
    if not isinstance(a, SliceOp) or not isinstance(b, SliceOp):
        return None
    if a.operand is not b.operand:
        return None
    places = list(zip(subset_of(a), subset_of(b), strict=True))
    other = [axis for axis, (i, j) in enumerate(places) if i != j]
    if len(other) != 1:
        return None
    i, j = places[other[0]]
    is_next = i.step == j.step == 1 and i.start + i.size == j.start
    return Neighbours(a, b, other[0]) if is_next else None


def matched(first: NNOp, second: Operation) -> list[Neighbours | None] | None:
    """For each operand of two ops, the neighbouring slices, or None for a value that both
    read; None for ops that cannot be one op on both slices."""
    if type(first) is not type(second) or len(first.operands) != len(second.operands):
        return None
    operands = list(zip(first.operands, second.operands, strict=True))
    pairs = [None if a is b else neighbours(a, b) for a, b in operands]
    found = [pair for pair in pairs if pair is not None]
    shared = [a for a, b in operands if a is b]
    if len({(pair.from_last, pair.sizes) for pair in found}) != 1:
        return None
    if len(found) + len(shared) < len(pairs):
        return None
    is_one = is_along(first, second, found[0].axis) and all(
        is_broadcast(value, found[0].from_last) for value in shared
    )
    return pairs if is_one else None


def is_broadcast(value: SSAValue, place: int) -> bool:
    """Whether an operand has one element along an axis, counted from the last one."""
    shape = tensor_of(value).get_shape()
    return len(shape) < -place or shape[place] == 1


def is_along(first: NNOp, second: Operation, axis: int) -> bool:
    """Whether two ops do the same at each index of an axis of their operands, which they
    read whole."""
    if isinstance(first, SliceOp) and isinstance(second, SliceOp):
        a, b = list(subset_of(first)), list(subset_of(second))
        parts = (a.pop(axis), first), (b.pop(axis), second)
        return a == b and all(
            span.start == 0
            and span.step == 1
            and span.size == tensor_of(op.operand).get_shape()[axis]
            for span, op in parts
        )
    if first.properties != second.properties:
        return False
    if isinstance(first, ConcatOp):
        rank = len(tensor_of(first.result).get_shape())
        return normalize_axis(int_of(first.axis), rank) != axis
    return isinstance(first, PointwiseOp | TransposeOp)


def pays(first: Operation, second: Operation) -> bool:
    """Whether ops compute something, or equal ones that read them do: moving elements
    costs a GPU nothing where their readers index them."""
    return isinstance(first, PointwiseOp) or any(
        type(a) is type(b) and pays(a, b)
        for a in readers(first)
        for b in readers(second)
    )


def readers(op: Operation) -> Iterator[Operation]:
    """The ops that read what an op computes, if they only move or compute elements."""
    for result in op.results:
        for use in result.uses:
            if isinstance(
                use.operation, PointwiseOp | TransposeOp | ConcatOp | SliceOp
            ):
                yield use.operation


def partners(op: Operation) -> Iterator[Operation]:
    """The ops that read another slice of a value of which `op` reads a slice."""
    for operand in op.operands:
        if isinstance(operand.owner, SliceOp):
            for use in operand.owner.operand.uses:
                if isinstance(use.operation, SliceOp) and use.operation is not op:
                    yield from readers(use.operation)


def merge(
    first: NNOp, second: NNOp, pairs: Sequence[Neighbours | None], place: InsertPoint
) -> NNOp:
    """Replace two ops by slices of one, which is inserted at this place."""
    made: list[NNOp] = []
    operands = list(first.operands)
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
    Rewriter.insert_op(made, place)
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
        found = partner_of(op, passed) if isinstance(op, NNOp) else None
        if found is not None:
            op = merge(*found, InsertPoint.before(op))
        else:
            passed.add(op)
            op = op.next_op


def partner_of(
    op: NNOp, passed: Container[Operation]
) -> tuple[NNOp, NNOp, Sequence[Neighbours | None]] | None:
    """An op and an equal one on neighbouring slices that comes after it, in the order of
    the slices."""
    for other in partners(op):
        if other in passed:
            continue
        for first, second in ((op, other), (other, op)):
            pairs = matched(first, second)
            if pairs is not None and pays(first, second):
                return first, second, pairs
    return None


@dataclass(frozen=True)
class MergeSlicedOpsPass(ModulePass):
    """Merges equal ops on neighbouring slices of one value into one op on both, whose result
    is sliced: the rotary embedding of queries and keys, which `merge-products` computes as
    one value, is then one kernel. Only what leads to arithmetic is merged, and only for
    devices that merge products (`Backend.merges_products`).

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
        devices = target_of(op).device_names
        if not all(backend(name).merges_products for name in devices):
            return
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data != PREPARE:
                for block in function.body.blocks:
                    merge_in(block)
