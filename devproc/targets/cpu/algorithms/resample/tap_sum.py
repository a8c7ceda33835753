"""A resampling as lowered from `nn.resample`: sums of neighbours given by a tap
table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import i16, i32
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.algorithms.base import KernelOps
from devproc.ir.program.structured import dims, shape_of
from devproc.targets.cpu.transforms.loops.access import layout_of
from devproc.targets.cpu.transforms.loops.kernels import (
    StructuredOp,
    is_parallel,
    loop_sizes,
    maps_of,
)
from devproc.targets.cpu.transforms.nests.groups import match_group, start_of
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.vector_forms import can_vectorize


@dataclass(frozen=True)
class TapSum:
    """out[.., o, ..] = sum over t of taps[o, t] * source[.., first[o] + t, ..].

    `nest` is the sum with its fill, and with the epilogue if that is elementwise.
    """

    nest: Nest
    pixel: memref.LoadOp
    axis: int
    row_axis: int | None
    """The axis that a list of indices selects from; the list is the sum's last
    input."""
    has_other_epilogue: bool
    """Whether the op after it uses the sums but is not part of `nest`."""

    @property
    def ops(self) -> Sequence[StructuredOp]:
        """The ops of the nest."""
        return self.nest.ops

    @property
    def anchor(self) -> StructuredOp:
        """The sum."""
        return self.nest.anchor

    @property
    def source(self) -> SSAValue:
        """The operand that is resampled."""
        return self.pixel.memref

    @property
    def target(self) -> SSAValue:
        """The operand that the nest writes, with the shape of the sums."""
        return self.nest.results[0].origin

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the result, and the taps."""
        return tuple(loop_sizes(self.anchor))

    @property
    def inner(self) -> int:
        """Adjacent elements that share taps: with columns as the axis, the channels."""
        return prod(self.shape[self.axis + 1 : -1])

    @property
    def widened(self) -> SSAValue | None:
        """The widening of a uint8 pixel to int32, if the sum begins with it."""
        users = [use.operation for use in self.pixel.res.uses]
        if len(users) == 1 and isinstance(users[0], arith.ExtUIOp):
            result = users[0].result
            return result if result.type == i32 else None
        return None

    @property
    def in_pairs(self) -> bool:
        """Whether the terms are products of uint8 and int16, so that one instruction
        may multiply and add a pair of them."""
        block = self.anchor.body.block
        tap, total = block.args[1], block.args[-1]
        add = block.last_op and block.last_op.operands[0].owner
        if self.widened is None or not isinstance(add, arith.AddiOp):
            return False
        if add.lhs is not total or not isinstance(add.rhs.owner, arith.MuliOp):
            return False
        pixel, weight = add.rhs.owner.operands
        return (
            pixel is self.widened
            and isinstance(weight.owner, arith.ExtSIOp)
            and weight.owner.input is tap
            and tap.type == i16
        )

    def way_to(self, value: SSAValue) -> set[SSAValue]:
        """The values of the body that are only used to compute this one."""
        found: set[SSAValue] = set()
        stack = [value]
        while stack:
            owner = stack.pop().owner
            if isinstance(owner, Operation) and owner.parent is self.anchor.body.block:
                found |= set(owner.results)
                stack += owner.operands
        return found


def match(kernel: KernelOps) -> Iterator[TapSum]:
    """The resamplings of a kernel."""
    if kernel.family != "gather":
        return
    ops = [op for op in kernel.ops if isinstance(op, StructuredOp)]
    for position in range(len(ops)):
        taps = match_tap_sum(ops, position)
        if taps is not None:
            yield taps


def match_tap_sum(ops: Sequence[StructuredOp], position: int) -> TapSum | None:
    """The resampling whose sum is `ops[position]`; None if that is not one."""
    anchor = ops[position]
    if not isinstance(anchor, GenericOp) or not can_vectorize(anchor):
        return None
    parallel = is_parallel(anchor)
    loads = [o for o in anchor.body.block.ops if isinstance(o, memref.LoadOp)]
    if len(loads) != 1 or all(parallel) or not all(parallel[:-1]):
        return None
    (pixel,) = loads
    arguments = anchor.body.block.args
    axis = row_axis = None
    for d, index in enumerate(pixel.indices):
        owner = index.owner
        if isinstance(owner, arith.AddiOp) and axis is None:
            if _is_argument(owner.lhs, arguments[0]) and _is_loop(
                owner.rhs, len(parallel) - 1
            ):
                axis = d
        elif _is_argument(index, arguments[-2]) and row_axis is None:
            row_axis = d
        elif not _is_loop(index, d):
            return None
    if axis is None or len(anchor.inputs) != 2 + (row_axis is not None):
        return None
    identity = AffineMap(len(parallel), 0, dims(*range(len(parallel) - 1)))
    if layout_of(pixel.memref) is not None or maps_of(anchor)[-1] != identity:
        return None
    start = start_of(ops, position, anchor.outputs[0])
    if start is None:
        return None
    epilogue = _elementwise_epilogue(ops, position)
    members = [start, anchor, *([epilogue] if epilogue is not None else [])]
    nest = Nest(anchor, [start], epilogue, members)
    has_other = epilogue is None and match_group(ops, position).epilogue is not None
    return TapSum(nest, pixel, axis, row_axis, has_other)


def _is_argument(value: SSAValue, argument: BlockArgument) -> bool:
    """Whether an index is this argument, cast."""
    owner = value.owner
    return isinstance(owner, arith.IndexCastOp) and owner.input is argument


def _is_loop(value: SSAValue, loop: int) -> bool:
    owner = value.owner
    return isinstance(owner, IndexOp) and owner.dim.value.data == loop


def _elementwise_epilogue(
    ops: Sequence[StructuredOp], position: int
) -> StructuredOp | None:
    """The next op, if it only reads the sums and writes one tensor of their shape.

    Nothing else reads the sums then; an epilogue yields all values that others need.
    """
    if position + 1 == len(ops):
        return None
    (total,), op = ops[position].outputs, ops[position + 1]
    if list(op.inputs) != [total] or len(op.outputs) != 1 or not can_vectorize(op):
        return None
    body = op.body.block
    uses_more = body.args[-1].uses.get_length() > 0 or any(
        isinstance(o, IndexOp | memref.LoadOp) for o in body.ops
    )
    same = all(map_ == AffineMap.identity(map_.num_dims) for map_ in maps_of(op))
    same = same and shape_of(op.outputs[0]) == shape_of(total)
    return op if same and not uses_more and all(is_parallel(op)) else None
