"""Elements at computed places: loops over the result that read by computed indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.nn import gather as nn
from devproc.dialects.nn.base import int_of, ints
from devproc.ir.structured import dims
from devproc.ir.types import is_float, is_unsigned, tensor_of
from devproc.transforms.kernels.nn_to_linalg.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.scalars import Scalars


def lower_gather(op: Operation, lowering: Lowering) -> SSAValue:
    """A loop over the result; each index is made positive and held within its axis."""
    assert isinstance(op, nn.GatherOp)
    source, axes, result = op.operand, ints(op.axes), lowering.result_type
    sizes = tensor_of(source).get_shape()

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        places: list[SSAValue] = []
        for d, size in enumerate(sizes):
            if d in axes:
                places.append(held_index(s, args[axes.index(d)], size))
            elif size == result.get_shape()[d]:
                places.append(s.loop_index(d))
            else:
                places.append(s.constant(0, IndexType()))
        return [s.extract(source, places)]

    return lowering.pointwise(list(op.indices), result, body)


def held_index(s: Scalars, index: SSAValue, size: int) -> SSAValue:
    """An index of an axis from 0 to size - 1: negative ones count from its end."""
    zero, last = (s.constant(v, index.type) for v in (0, size - 1))
    from_end = s.add(index, s.constant(size, index.type))
    negative = s.emit(arith.CmpiOp(index, zero, "slt"))
    index = s.emit(arith.SelectOp(negative, from_end, index))
    index = s.emit(arith.MaxSIOp(index, zero))
    index = s.emit(arith.MinSIOp(index, last))
    return s.emit(arith.IndexCastOp(index, IndexType()))


def lower_scatter(op: Operation, lowering: Lowering) -> SSAValue:
    """Loops (result..., k): each element takes the updates that name it, in order.

    The sum starts from the operand's element at k = 0.
    """
    assert isinstance(op, nn.ScatterOp)
    axis, result, updates = int_of(op.axis), lowering.result_type, op.updates
    shape, element = result.get_shape(), result.element_type
    rank, loops = len(shape), len(shape) + 1
    dtype = lowering.dtype(op.operand)

    def along_k(value: SSAValue) -> list[int | None]:
        sizes = tensor_of(value).get_shape()
        return [
            rank if d == axis else d if size == shape[d] else None
            for d, size in enumerate(sizes)
        ]

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        start, index, total = args
        k, place = s.loop_index(rank), s.loop_index(axis)
        first = s.emit(arith.CmpiOp(k, s.constant(0, k.type), "eq"))
        old = s.emit(arith.SelectOp(first, start, total))
        places = [
            s.constant(0, k.type) if loop is None else s.loop_index(loop)
            for loop in along_k(updates)
        ]
        update = s.extract(updates, places)
        place = s.emit(arith.IndexCastOp(place, index.type))
        here = s.emit(arith.CmpiOp(index, place, "eq"))
        new = combine(s, old, update)
        return [s.emit(arith.SelectOp(here, new, old))]

    def combine(s: Scalars, old: SSAValue, update: SSAValue) -> SSAValue:
        if op.mode.data == "set":
            return update
        a, b = s.widen(old), s.widen(update)
        if op.mode.data == "add":
            value = s.add(a, b)
        elif op.mode.data == "mul":
            value = s.multiply(a, b)
        elif op.mode.data == "max":
            value = s.maximum(a, b, dtype)
        elif is_float(dtype):
            value = s.emit(arith.MinimumfOp(a, b))
        else:
            least = arith.MinUIOp if is_unsigned(dtype) else arith.MinSIOp
            value = s.emit(least(a, b))
        return s.narrow(value, element)

    own = AffineMap(loops, 0, dims(*range(rank)))
    return lowering.generic(
        [
            (op.operand, own),
            (op.index, AffineMap(loops, 0, dims(*along_k(op.index)))),
        ],
        [(lowering.fill(0, shape, element), own)],
        [True] * rank + [False],
        body,
    )[0]


LOWERINGS = {nn.GatherOp: lower_gather, nn.ScatterOp: lower_scatter}

NO_LOWERING: Mapping[type[Operation], str] = {}
