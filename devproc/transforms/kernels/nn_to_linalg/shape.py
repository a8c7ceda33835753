"""Data movement ops: a reshape is a view, the others are loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.dev import device_of
from devproc.dialects.nn import shape as nn
from devproc.dialects.nn.base import int_of, ints
from devproc.ir.devices import HOST
from devproc.ir.program.structured import dim, dims
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import (
    Lowering,
    splat_value,
)
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars


def lower_reshape(op: Operation, lowering: Lowering) -> SSAValue:
    """A view: the same elements in another shape."""
    assert isinstance(op, nn.ReshapeOp)
    return lowering.view(op.operand, ints(op.shape))


def lower_transpose(op: Operation, lowering: Lowering) -> SSAValue:
    """A loop over the result that reads the operand with permuted indices."""
    assert isinstance(op, nn.TransposeOp)
    permutation = ints(op.permutation)
    read = [permutation.index(axis) for axis in range(len(permutation))]
    return lowering.pointwise(
        [op.operand],
        lowering.result_type,
        lambda _, args: args,
        [AffineMap(len(permutation), 0, dims(*read))],
    )


def lower_pad(op: Operation, lowering: Lowering) -> SSAValue:
    """A loop over the operand that writes into a filled result, so that the producer of
    the operand can write there directly; other cases use `pad_by_choice`."""
    assert isinstance(op, nn.PadOp)
    low = ints(op.low)
    sizes = tensor_of(op.operand).get_shape()
    fill_value = 0.0 if op.value is None else splat_value(op.value)
    if fill_value is None or 0 in sizes or device_of(lowering.result_type) != HOST:
        return pad_by_choice(op, lowering)
    rank, result = len(sizes), lowering.result_type
    target = lowering.fill(fill_value, result.get_shape(), lowering.dtype(op.operand))
    inside = tuple(
        dim(d) + before if before else dim(d) for d, before in enumerate(low)
    )
    return lowering.generic(
        [(op.operand, AffineMap.identity(rank))],
        [(target, AffineMap(rank, 0, inside))],
        [True] * rank,
        lambda _, args: args[:1],
        sizes,
    )[0]


def pad_by_choice(op: nn.PadOp, lowering: Lowering) -> SSAValue:
    """A loop over the result that selects the element or the padding value."""
    result, low = lowering.result_type, ints(op.low)
    source, sizes = op.operand, tensor_of(op.operand).get_shape()
    padded = [d for d, size in enumerate(result.get_shape()) if size != sizes[d]]

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        outside = args[0] if args else s.constant(0, result.element_type)
        if 0 in sizes:
            return [outside]
        indices = [s.loop_index(d) for d in range(len(sizes))]
        inside: SSAValue | None = None
        for d in padded:
            index, valid = clamp_index(s, indices[d], low[d], sizes[d])
            indices[d] = index
            inside = valid if inside is None else s.both(inside, valid)
        element = s.extract(source, indices)
        if inside is None:
            return [element]
        return [s.emit(arith.SelectOp(inside, element, outside))]

    values = [] if op.value is None else [op.value]
    return lowering.pointwise(values, result, body)


def lower_expand(op: Operation, lowering: Lowering) -> SSAValue:
    """A loop over the result that broadcasts the operand."""
    assert isinstance(op, nn.ExpandOp)
    return lowering.pointwise([op.operand], lowering.result_type, lambda _, args: args)


def lower_slice(op: Operation, lowering: Lowering) -> SSAValue:
    """A loop over the result that reads at start + i * step."""
    assert isinstance(op, nn.SliceOp)
    source, start, step = op.operand, ints(op.start), ints(op.step)
    if 0 not in ints(op.size):
        read = tuple(
            dim(d) * by + first
            for d, (first, by) in enumerate(zip(start, step, strict=True))
        )
        map_ = AffineMap(len(start), 0, read)
        return lowering.pointwise(
            [source], lowering.result_type, lambda _, args: args, [map_]
        )

    def body(s: Scalars, _: list[SSAValue]) -> Sequence[SSAValue]:
        indices: list[SSAValue] = []
        for d, (first, by) in enumerate(zip(start, step, strict=True)):
            index = s.loop_index(d)
            if by != 1:
                index = s.multiply(index, s.constant(by, index.type))
            if first:
                index = s.add(index, s.constant(first, index.type))
            indices.append(index)
        return [s.extract(source, indices)]

    return lowering.pointwise([], lowering.result_type, body)


def lower_concat(op: Operation, lowering: Lowering) -> SSAValue:
    """A loop over the result: an element of every operand at a clamped index, then
    selects. (The importer limits the number of operands.)"""
    assert isinstance(op, nn.ConcatOp)
    result, axis = lowering.result_type, int_of(op.axis)
    parts = [v for v in op.parts if 0 not in tensor_of(v).get_shape()]
    sizes = [tensor_of(v).get_shape()[axis] for v in parts]
    starts = [0, *accumulate(sizes)][: len(parts)]

    def body(s: Scalars, _: list[SSAValue]) -> Sequence[SSAValue]:
        indices = [s.loop_index(d) for d in range(len(result.get_shape()))]
        place = indices[axis]
        value: SSAValue | None = None
        for part, start, size in zip(parts, starts, sizes, strict=True):
            indices[axis] = clamp_index(s, place, start, size)[0]
            element = s.extract(part, indices)
            if value is None:
                value = element
                continue
            here = s.emit(arith.CmpiOp(place, s.constant(start, place.type), "sge"))
            value = s.emit(arith.SelectOp(here, element, value))
        return [s.constant(0, result.element_type) if value is None else value]

    return lowering.pointwise([], result, body)


def clamp_index(
    s: Scalars, index: SSAValue, offset: int, size: int
) -> tuple[SSAValue, SSAValue]:
    """index - offset clamped to 0..size-1, and whether it was in range."""
    moved = s.emit(arith.SubiOp(index, s.constant(offset, index.type)))
    last, zero = s.constant(size - 1, index.type), s.constant(0, index.type)
    low = s.emit(arith.MaxSIOp(moved, zero))
    clamped = s.emit(arith.MinSIOp(low, last))
    return clamped, s.emit(arith.CmpiOp(clamped, moved, "eq"))


LOWERINGS = {
    nn.ConcatOp: lower_concat,
    nn.ExpandOp: lower_expand,
    nn.PadOp: lower_pad,
    nn.ReshapeOp: lower_reshape,
    nn.SliceOp: lower_slice,
    nn.TransposeOp: lower_transpose,
}

NO_LOWERING: Mapping[type[Operation], str] = {
    nn.PackOp: "only in @prepare, which runs at compile time"
}
