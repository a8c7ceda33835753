"""Ops that move elements: a reshape is a view, the others are loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.nn import shape as nn
from devproc.dialects.nn.base import ints
from devproc.ir.structured import dims
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.nn_to_linalg.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.scalars import Scalars


def lower_reshape(op: Operation, lowering: Lowering) -> SSAValue:
    """No work: the same bytes in another shape."""
    assert isinstance(op, nn.ReshapeOp)
    return lowering.view(op.operand, ints(op.shape))


def lower_transpose(op: Operation, lowering: Lowering) -> SSAValue:
    """A loop over the result that reads the operand in another order."""
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
    """A loop over the result: the element at a clamped index, or zero outside."""
    assert isinstance(op, nn.PadOp)
    result, low = lowering.result_type, ints(op.low)
    source, sizes = op.operand, tensor_of(op.operand).get_shape()
    padded = [d for d, size in enumerate(result.get_shape()) if size != sizes[d]]

    def body(s: Scalars, _: list[SSAValue]) -> Sequence[SSAValue]:
        zero = s.constant(0, result.element_type)
        if 0 in sizes:
            return [zero]
        indices = [s.loop_index(d) for d in range(len(sizes))]
        inside: SSAValue | None = None
        for d in padded:
            index, valid = clamp_index(s, indices[d], low[d], sizes[d])
            indices[d] = index
            inside = valid if inside is None else s.both(inside, valid)
        element = s.extract(source, indices)
        if inside is None:
            return [element]
        return [s.emit(arith.SelectOp(inside, element, zero))]

    return lowering.pointwise([], result, body)


def clamp_index(
    s: Scalars, index: SSAValue, offset: int, size: int
) -> tuple[SSAValue, SSAValue]:
    """index - offset held within 0..size-1, and whether it was inside."""
    moved = s.emit(arith.SubiOp(index, s.constant(offset, index.type)))
    last, zero = s.constant(size - 1, index.type), s.constant(0, index.type)
    low = s.emit(arith.MaxSIOp(moved, zero))
    clamped = s.emit(arith.MinSIOp(low, last))
    return clamped, s.emit(arith.CmpiOp(clamped, moved, "eq"))


LOWERINGS = {
    nn.PadOp: lower_pad,
    nn.ReshapeOp: lower_reshape,
    nn.TransposeOp: lower_transpose,
}

NO_LOWERING: Mapping[type[Operation], str] = {
    nn.PackOp: "only in @prepare, which runs at compile time"
}
