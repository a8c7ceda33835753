"""Updates of parts of parts of a state, merged into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from operator import mul
from typing import TypeVar, cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.gather import ScatterOp
from devproc.dialects.nn.shape import ReshapeOp, SliceOp, TransposeOp
from devproc.ir.program.state import state_name
from devproc.ir.text.location import copy_location_between
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)

T = TypeVar("T")


def is_of_state(value: SSAValue) -> bool:
    """Whether a value is a state, with updates, or another shape or a part of one."""
    while not isinstance(value, BlockArgument):
        op = value.owner
        if not isinstance(op, ScatterOp | SliceOp | ReshapeOp | TransposeOp):
            return False
        value = op.operand
    function = value.block.parent_op()
    if not isinstance(function, FuncOp) or function.arg_attrs is None:
        return False
    return state_name(function.arg_attrs.data[value.index]) is not None


def sliced_at(value: SSAValue, axis: int, start: int) -> SSAValue | None:
    """The value of which this is a slice of one axis, from `start` on; None if it is none."""
    op = value.owner
    if not isinstance(op, SliceOp):
        return None
    starts = [start if d == axis else 0 for d in range(len(ints(op.start)))]
    sizes = list(tensor_of(op.operand).get_shape())
    sizes[axis] = ints(op.size)[axis]
    same = (list(ints(op.start)), list(ints(op.size))) == (starts, sizes)
    return op.operand if same and set(ints(op.step)) <= {1} else None


class MergeNestedUpdates(RewritePattern):
    """A scatter into a slice of a state, which another one writes back, becomes one scatter
    into the state, whose axes from that of the slice to that of the index become one.

    `s[1].index_copy_(0, i, u)`, with a state of 2x8x4, writes to the rows 8 + i of 16x4; to
    none where i is not in 0..7.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScatterOp, rewriter: PatternRewriter, /) -> None:
        updates = op.updates
        while isinstance(updates.owner, ReshapeOp) and updates.has_one_use():
            updates = updates.owner.operand
        inner = updates.owner
        if updates.type != op.updates.type or not isinstance(inner, ScatterOp):
            return
        if not updates.has_one_use():
            return
        start = _written_back(op, inner)
        if start is None or not is_of_state(op.operand):
            return
        axes = MergedAxes(op, inner, start)
        if not axes.are_simple:
            return
        before, e = op.prev_op, Expressions(rewriter)
        shape = tensor_of(op.operand).get_shape()
        index = axes.index(e, e.of(inner.index).cast("int64"))
        updates = e.of(inner.updates).expand(*axes.written)
        updates, target = (axes.flat(v) for v in (updates, e.of(op.operand)))
        scatter = ScatterOp.into(
            target.ssa, index.ssa, updates.ssa, axes.first, inner.mode.data
        )
        replace(op, e.emit(scatter).reshape(*shape), before, rewriter)


class RaiseUpdateWithoutAxes(RewritePattern):
    """A scatter into a state without some axes of size 1, as after `s[1]`, becomes one into
    the state.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScatterOp, rewriter: PatternRewriter, /) -> None:
        reshape = op.operand.owner
        if not isinstance(reshape, ReshapeOp) or not is_of_state(reshape.operand):
            return
        shape = tensor_of(op.operand).get_shape()
        whole = tensor_of(reshape.operand).get_shape()
        kept = _kept_axes(whole, shape)
        if kept is None or len(whole) <= len(shape):
            return
        before, e = op.prev_op, Expressions(rewriter)

        def with_axes(value: SSAValue) -> Expression:
            sizes = [1] * len(whole)
            for axis, size in zip(kept, tensor_of(value).get_shape(), strict=True):
                sizes[axis] = size
            return e.of(value).reshape(*sizes)

        updates, index = map(with_axes, (op.updates, op.index))
        axis, mode = kept[int_of(op.axis)], op.mode.data
        scatter = ScatterOp.into(reshape.operand, index.ssa, updates.ssa, axis, mode)
        replace(op, e.emit(scatter).reshape(*shape), before, rewriter)


def _kept_axes(whole: Sequence[int], shape: Sequence[int]) -> list[int] | None:
    """The axes of a shape, in order, that remain without others of size 1."""
    kept: list[int] = []
    for axis, size in enumerate(whole):
        if len(kept) < len(shape) and size == shape[len(kept)]:
            kept.append(axis)
        elif size != 1:
            return None
    return kept if len(kept) == len(shape) else None


@dataclass
class MergedAxes:
    """The axes from that of one scatter to that of another, as one axis.

    The outer one writes what the inner one updates to the place it is from, which begins
    at `start`.
    """

    outer: ScatterOp
    inner: ScatterOp
    start: int

    def __post_init__(self) -> None:
        self.axis, other = int_of(self.inner.axis), int_of(self.outer.axis)
        self.first, self.last = min(self.axis, other), max(self.axis, other)
        self.shape = tensor_of(self.outer.operand).get_shape()
        part = list(tensor_of(self.inner.operand).get_shape())
        self.line = tensor_of(self.inner.index).get_shape()
        self.size = part[self.axis]
        self.starts = [self.start if d == other else 0 for d in range(len(part))]
        part[self.axis] = 1
        self.others = part
        """The sizes of all axes but that of the inner index."""
        self.written = list(part)
        self.written[self.axis] = self.line[self.axis]
        """The sizes of what is written."""

    @property
    def are_simple(self) -> bool:
        """Whether an index for each slice is all that there is, and few constants."""
        is_line = prod(self.line) == self.line[self.axis]
        return is_line and prod(self._between(self.others)) <= ConstantOp.LIMIT

    def index(self, e: Expressions, index: Expression) -> Expression:
        """The index of the axes as one; -1 for what is not in the part."""
        inside = (index >= 0) & (index < self.size)
        ends = range(self.first + 1, self.last + 2)
        strides = [prod(self.shape[end : self.last + 1]) for end in ends]
        shift = self.starts[self.axis]
        moved = (index + shift) * strides[self.axis - self.first]
        places = [
            range(0 if d == self.axis else start, size + start)
            for d, (start, size) in enumerate(zip(self.starts, self.others))
        ]
        places[self.axis] = range(1)
        numbers = [sum(map(mul, at, strides)) for at in product(*self._between(places))]
        sizes = self._between(self.others)
        line = self._between(self.line)
        total = moved.reshape(*line) + e.constant(numbers, "int64", sizes)
        masked = e.where(inside.reshape(*line), total, e.constant(-1, "int64"))
        whole = masked.expand(*self._between(self.written))
        count = prod(whole.shape)
        rank = len(self.shape) - (self.last - self.first)
        return whole.reshape(*(count if d == self.first else 1 for d in range(rank)))

    def flat(self, value: Expression) -> Expression:
        """A value with the axes as one."""
        before, after = value.shape[: self.first], value.shape[self.last + 1 :]
        return value.reshape(*before, prod(self._between(value.shape)), *after)

    def _between(self, values: Sequence[T]) -> Sequence[T]:
        return values[self.first : self.last + 1]


def _written_back(op: ScatterOp, inner: ScatterOp) -> int | None:
    """Where a part of the operand begins, which the op writes to the place that the inner
    op has it from; None otherwise.
    """
    index = constant_of(op.index)
    if index is None or op.mode.data != "set":
        return None
    start = index[0]
    is_whole = index == list(range(start, start + len(index)))
    source = sliced_at(inner.operand, int_of(op.axis), start)
    return start if is_whole and source is op.operand else None


def constant_of(index: SSAValue) -> list[int] | None:
    """The numbers of a constant index; None of another one."""
    while isinstance(index.owner, ReshapeOp):
        index = index.owner.operand
    if not isinstance(index.owner, ConstantOp):
        return None
    return list(map(int, cast("Sequence[int]", index.owner.value.get_values())))


def replace(
    op: Operation,
    value: Expression,
    before: Operation | None,
    rewriter: PatternRewriter,
) -> None:
    """Replaces an op by a value; what was made after `before` takes its location."""
    copy_location_between(before, op)
    rewriter.replace(op, [], [value.ssa])
