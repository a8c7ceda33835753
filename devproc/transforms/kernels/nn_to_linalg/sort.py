"""Order: merges on the CPU, and where threads must not wait for each other, ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, StringAttr, i1, i64
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.linalg_sequential import SortOp
from devproc.dialects.nn import sort as nn
from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.shape import SliceOp
from devproc.ir.structured import FAMILY, dims
from devproc.ir.types import is_bool, is_float, is_unsigned
from devproc.transforms.kernels.nn_to_linalg.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.scalars import Scalars

MOST_INSERTED = 64
"""Elements up to which insertion, whose cost grows with their number, beats merging."""


def comes_before(
    s: Scalars, a: SSAValue, b: SSAValue, dtype: Attribute, descending: bool
) -> SSAValue:
    """Whether `a` must stand before `b`; NaN is larger than every number."""
    small, large = (b, a) if descending else (a, b)
    if is_bool(dtype):
        return s.both(s.invert(small), large)
    if not is_float(dtype):
        return s.compare("ult" if is_unsigned(dtype) else "slt", small, large)
    small, large = s.widen(small), s.widen(large)
    number = s.emit(arith.CmpfOp(small, small, "ord"))
    return s.both(s.emit(arith.CmpfOp(small, large, "ult")), number)


def lower_sort(op: Operation, lowering: Lowering) -> Sequence[SSAValue]:
    """`linalg.sort` on the CPU, of as many elements as are read from the beginning of
    each row; elsewhere each element counts those before it."""
    assert isinstance(op, nn.SortOp)
    if not lowering.on_cpu:
        return lower_by_rank(op, lowering)
    type_, dtype = lowering.result_type, lowering.dtype(op.operand)
    block = Block(arg_types=[type_.element_type] * 2)
    first, second = block.args
    before = comes_before(
        Scalars(block), first, second, dtype, bool(int_of(op.descending))
    )
    block.add_op(YieldOp(before))
    *rows, size = type_.get_shape()
    count = wanted_of(op, size)
    copies = 1 if count < size else 2
    room = [
        lowering.empty((*rows, count), e)
        for _ in range(copies)
        for e in (type_.element_type, i64)
    ]
    sort = SortOp(op.operand, room, Region(block))
    sort.attributes[FAMILY] = StringAttr("sort")
    lowering.append(sort)
    return sort.results[:2]


def wanted_of(op: nn.SortOp, size: int) -> int:
    """How many elements of a row all readers together take from its beginning, where
    they are few enough to be found without sorting the others."""
    ends = [0]
    for use in (use for result in op.results for use in result.uses):
        reader = use.operation
        if not isinstance(reader, SliceOp):
            return size
        start, count, step = (
            ints(a)[-1] for a in (reader.start, reader.size, reader.step)
        )
        ends.append(max(start, start + (count - 1) * step) + 1 if count else 0)
    count = max(ends)
    return count if 0 < count <= MOST_INSERTED and count < size else size


def lower_by_rank(op: nn.SortOp, lowering: Lowering) -> Sequence[SSAValue]:
    """rank[i] = how many elements come before element i; then the element of each rank.

    Costs the square of the axis, but no element waits for another.
    """
    type_, dtype = lowering.result_type, lowering.dtype(op.operand)
    shape, descending = type_.get_shape(), bool(int_of(op.descending))
    last = len(shape) - 1
    loops, rows = last + 2, tuple(range(last))
    here = AffineMap(loops, 0, dims(*rows, last))
    other = AffineMap(loops, 0, dims(*rows, last + 1))
    parallel = [True] * (last + 1) + [False]

    def count(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        mine, theirs, total = args
        i, j = s.loop_index(last), s.loop_index(last + 1)
        before = comes_before(s, theirs, mine, dtype, descending)
        after = comes_before(s, mine, theirs, dtype, descending)
        earlier = s.emit(arith.CmpiOp(j, i, "slt"))
        tie = s.both(earlier, s.emit(arith.CmpiOp(before, after, "eq")))
        return [s.add(total, s.cast(s.either(before, tie), i1, i64))]

    def find(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        rank, total = args
        place = s.emit(arith.IndexCastOp(s.loop_index(last), i64))
        j = s.emit(arith.IndexCastOp(s.loop_index(last + 1), i64))
        hit = s.emit(arith.CmpiOp(rank, place, "eq"))
        return [s.add(total, s.select(hit, j, s.constant(0, i64)))]

    zero = lowering.fill(0, shape, i64)
    pair = [(op.operand, here), (op.operand, other)]
    ranks = lowering.generic(pair, [(zero, here)], parallel, count)[0]
    zero = lowering.fill(0, shape, i64)
    places = lowering.generic([(ranks, other)], [(zero, here)], parallel, find)[0]

    def pick(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        place = s.emit(arith.IndexCastOp(args[0], IndexType()))
        return [s.extract(op.operand, [*(s.loop_index(d) for d in rows), place])]

    return [lowering.pointwise([places], type_, pick), places]


LOWERINGS = {nn.SortOp: lower_sort}

NO_LOWERING: Mapping[type[Operation], str] = {}
