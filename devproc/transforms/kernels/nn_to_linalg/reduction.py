"""Reductions: loops (kept axes..., reduced axes...).

A reduced axis that is kept with size 1 is written at index 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.nn import reduction as nn
from devproc.dialects.nn.base import int_of, ints
from devproc.ir.program.structured import dims
from devproc.ir.types import is_float, lowest, tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars, compute_type


def reduction_maps(
    rank: int, axes: Sequence[int], keep: bool
) -> tuple[AffineMap, AffineMap]:
    """How the loops (kept..., reduced...) read the operand and write the result."""
    kept = [axis for axis in range(rank) if axis not in axes]
    loop_of = {axis: loop for loop, axis in enumerate([*kept, *axes])}
    read = dims(*(loop_of[axis] for axis in range(rank)))
    written = [
        None if axis in axes else loop_of[axis]
        for axis in range(rank)
        if keep or axis not in axes
    ]
    return AffineMap(rank, 0, read), AffineMap(rank, 0, dims(*written))


def lower_reduce(op: Operation, lowering: Lowering) -> SSAValue:
    """Sum, product or maximum, from 0, 1 or the lowest value, in the compute type."""
    assert isinstance(op, nn.ReduceOp)
    axes, keep = ints(op.axes), bool(int_of(op.keep))
    rank = tensor_of(op.operand).get_num_dims()
    read, written = reduction_maps(rank, axes, keep)
    dtype = lowering.dtype(op.operand)
    starts: Mapping[type[nn.ReduceOp], float] = {
        nn.ReduceSumOp: 0,
        nn.ReduceProdOp: 1,
        nn.ReduceMaxOp: lowest(dtype),
    }

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        value, accumulator = s.widen(args[0]), args[1]
        if isinstance(op, nn.ReduceMaxOp):
            return [s.maximum(value, accumulator, dtype)]
        if isinstance(op, nn.ReduceProdOp):
            return [s.multiply(accumulator, value)]
        return [s.add(accumulator, value)]

    start = lowering.fill(
        starts[type(op)],
        lowering.result_type.get_shape(),
        compute_type(dtype),
    )
    parallel = [True] * (rank - len(axes)) + [False] * len(axes)
    total = lowering.generic([(op.operand, read)], [(start, written)], parallel, body)
    return lowering.epilogue(total[0])


def lower_argmax(op: Operation, lowering: Lowering) -> SSAValue:
    """Reduces value and index together; the first NaN wins, else the first maximum.

    Index 0 is correct if nothing exceeds the lowest value: then all are equal to it.
    """
    assert isinstance(op, nn.ArgmaxOp)
    shape = lowering.result_type.get_shape()
    rank = tensor_of(op.operand).get_num_dims()
    axis = int_of(op.axis) % rank
    read, written = reduction_maps(rank, [axis], bool(int_of(op.keep)))
    dtype = lowering.dtype(op.operand)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        value, best, best_index = s.widen(args[0]), args[1], args[2]
        better = exceeds(s, value, best, signed=dtype == value.type)
        index = s.emit(arith.IndexCastOp(s.loop_index(rank - 1), i64))
        return [
            s.emit(arith.SelectOp(better, value, best)),
            s.emit(arith.SelectOp(better, index, best_index)),
        ]

    values = lowering.fill(lowest(dtype), shape, compute_type(dtype))
    indices = lowering.fill(0, shape, i64)
    return lowering.generic(
        [(op.operand, read)],
        [(values, written), (indices, written)],
        [True] * (rank - 1) + [False],
        body,
    )[1]


def exceeds(s: Scalars, value: SSAValue, best: SSAValue, *, signed: bool) -> SSAValue:
    """Whether `value` replaces `best`: it is larger, or the first NaN."""
    if not is_float(value.type):
        return s.emit(arith.CmpiOp(value, best, "sgt" if signed else "ugt"))
    # Unordered-or-greater holds for any NaN; it must not replace an earlier NaN.
    greater = s.emit(arith.CmpfOp(value, best, "ugt"))
    return s.both(greater, s.emit(arith.CmpfOp(best, best, "ord")))


LOWERINGS = {
    nn.ReduceSumOp: lower_reduce,
    nn.ReduceProdOp: lower_reduce,
    nn.ReduceMaxOp: lower_reduce,
    nn.ArgmaxOp: lower_argmax,
}

NO_LOWERING: Mapping[type[Operation], str] = {
    nn.SoftmaxOp: "decomposed into reductions and pointwise ops"
}
