"""Pairs of ops that do the same on neighbouring slices of a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import NNOp, int_of, ints, normalize_axis
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.dialects.nn.shape import ConcatOp, SliceOp, TransposeOp
from devproc.ir.types import tensor_of
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


def matched(first: NNOp, second: NNOp) -> list[Neighbours | None] | None:
    """For each operand of two ops, the neighbouring slices, or None for a value that both
    read; None for ops that cannot be one op on both slices."""
    if type(first) is not type(second) or len(first.operands) != len(second.operands):
        return None
    operands = list(zip(first.operands, second.operands, strict=True))
    pairs = [None if is_same(a, b) else neighbours(a, b) for a, b in operands]
    found = [pair for pair in pairs if pair is not None]
    shared = [a for a, b in operands if is_same(a, b)]
    if len({(pair.from_last, pair.sizes) for pair in found}) != 1:
        return None
    if len(found) + len(shared) < len(pairs):
        return None
    is_one = is_along(first, second, found[0].axis) and all(
        is_broadcast(value, found[0].from_last) for value in shared
    )
    return pairs if is_one else None


def is_same(a: SSAValue, b: SSAValue) -> bool:
    """Whether two operands are one value, or equal constants."""
    if a is b:
        return True
    first, second = a.owner, b.owner
    return (
        isinstance(first, ConstantOp)
        and isinstance(second, ConstantOp)
        and first.value == second.value
    )


def is_broadcast(value: SSAValue, place: int) -> bool:
    """Whether an operand has one element along an axis, counted from the last one."""
    shape = tensor_of(value).get_shape()
    return len(shape) < -place or shape[place] == 1


def is_along(first: NNOp, second: NNOp, axis: int) -> bool:
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


def readers(op: Operation) -> Iterator[NNOp]:
    """The ops that read what an op computes, if they only move or compute elements."""
    for result in op.results:
        for use in result.uses:
            reader = use.operation
            if isinstance(reader, PointwiseOp | TransposeOp | ConcatOp | SliceOp):
                yield reader
