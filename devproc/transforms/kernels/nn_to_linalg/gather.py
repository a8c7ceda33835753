"""Gather and scatter: loops over the result with indexed loads; on devices whose programs
run independently, many updates are sorted first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp, StringAttr, f32, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects import plan
from devproc.dialects.dev import RegionOp, target_of
from devproc.dialects.linalg_ext.sequential import ScatterOp, ScatterSortedOp
from devproc.dialects.nn import gather as nn
from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.shape import ReshapeOp
from devproc.ir.program.state import state_name
from devproc.ir.program.structured import FAMILY, dims
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars
from devproc.transforms.kernels.nn_to_linalg.sort import merged_runs

LEAST_SORTED = 64
"""From this many updates along an axis on, sorting them takes less time than testing all
for each element."""

MOST_IN_PLACE = 1024
"""Up to this many updates along an axis, a device writes only the elements of a state that
have any: each program compares all indices with its own."""


def lower_gather(op: Operation, lowering: Lowering) -> SSAValue:
    """A loop over the result; negative indices count from the end, all are clamped."""
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
    """An index clamped to 0..size-1; negative ones count from the end of the axis."""
    zero, last = (s.constant(v, index.type) for v in (0, size - 1))
    from_end = s.add(index, s.constant(size, index.type))
    negative = s.emit(arith.CmpiOp(index, zero, "slt"))
    index = s.emit(arith.SelectOp(negative, from_end, index))
    index = s.emit(arith.MaxSIOp(index, zero))
    index = s.emit(arith.MinSIOp(index, last))
    return s.emit(arith.IndexCastOp(index, IndexType()))


def lower_scatter(op: Operation, lowering: Lowering) -> SSAValue:
    """`linalg_ext.scatter` on the CPU, of many updates whose order does not matter, and
    into a state; elsewhere each element searches its updates, and many are sorted for that.
    """
    assert isinstance(op, nn.ScatterOp)
    axis, shape = int_of(op.axis), lowering.result_type.get_shape()
    count = tensor_of(op.index).get_shape()[axis]
    if (
        lowering.on_host
        or (count >= LEAST_SORTED and is_unordered(op, lowering))
        or (
            lowering.updates_in_place and count <= MOST_IN_PLACE and is_kept(op.operand)
        )
    ):
        scatter = ScatterOp(
            op.updates, op.index, op.operand, axis, body_of(op, lowering)
        )
    elif count < LEAST_SORTED or shape[axis] >= 1 << 31:
        return lower_scatter_by_search(op, lowering)
    else:
        keys = sorting_keys(op, lowering)
        places, index = merged_runs(keys, count, lowering, True)
        assert index is not None
        target = lowering.empty(shape, lowering.result_type.element_type)
        inputs = op.updates, op.operand, index, places
        scatter = ScatterSortedOp(inputs, target, axis, body_of(op, lowering))
    scatter.attributes[FAMILY] = StringAttr("scatter")
    return lowering.append(scatter)


def is_kept(value: SSAValue) -> bool:
    """Whether a value is a state, or one after other scatters into it."""
    owner = value.owner
    match owner:
        case ReshapeOp() | nn.ScatterOp():
            return is_kept(owner.operand)
        case plan.ViewOp():
            return is_kept(owner.source)
        case ScatterOp():
            return is_kept(owner.target)
        case Block() if isinstance(value, BlockArgument):
            outer = owner.parent_op()
            if isinstance(outer, RegionOp):
                return is_kept(outer.inputs[value.index])
            rows = outer.arg_attrs if isinstance(outer, FuncOp) else None
            return rows is not None and state_name(rows.data[value.index]) is not None
        case _:
            return False


def is_unordered(op: nn.ScatterOp, lowering: Lowering) -> bool:
    """Whether updates may come in any order: of integers, or float32 with the precision
    `fast`, where sums may then differ in their last digits from run to run."""
    element, mode = lowering.dtype(op.operand), op.mode.data
    if element in (i32, i64):
        return mode in ("add", "max", "min")
    module = op.get_toplevel_object()
    is_fast = isinstance(module, ModuleOp) and (
        target_of(module).precision.data == "fast"
    )
    return element == f32 and mode == "add" and is_fast


def body_of(op: nn.ScatterOp, lowering: Lowering) -> Region:
    """How an update, the first argument, is combined with an element."""
    element = lowering.result_type.element_type
    block = Block(arg_types=[element] * 2)
    new, old = block.args
    dtype = lowering.dtype(op.operand)
    block.add_op(YieldOp(combine(Scalars(block), op.mode.data, old, new, dtype)))
    return Region(block)


def sorting_keys(op: nn.ScatterOp, lowering: Lowering) -> SSAValue:
    """The indices with their axis last, in 32 bits; those out of range come last."""
    axis, shape = int_of(op.axis), tensor_of(op.index).get_shape()
    size, last = lowering.result_type.get_shape()[axis], len(shape) - 1
    loops = [d if d < axis else d - 1 for d in range(len(shape))]
    loops[axis] = last
    rows = (*shape[:axis], *shape[axis + 1 :], shape[axis])

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        end = s.constant(size, args[0].type)
        is_inside = s.emit(arith.CmpiOp(args[0], end, "ult"))
        index = s.emit(arith.SelectOp(is_inside, args[0], end))
        return [index if index.type == i32 else s.emit(arith.TruncIOp(index, i32))]

    map_ = AffineMap(len(shape), 0, dims(*loops))
    return lowering.pointwise([op.index], lowering.type(rows, i32), body, [map_])


def combine(
    s: Scalars, mode: str, old: SSAValue, update: SSAValue, dtype: Attribute
) -> SSAValue:
    """An element combined with an update; `dtype` is theirs, with its signedness."""
    if mode == "set":
        return update
    element, a, b = old.type, s.widen(old), s.widen(update)
    match mode:
        case "add":
            value = s.add(a, b)
        case "mul":
            value = s.multiply(a, b)
        case "max":
            value = s.maximum(a, b, dtype)
        case _:
            value = s.minimum(a, b, dtype)
    return s.narrow(value, element)


def lower_scatter_by_search(op: nn.ScatterOp, lowering: Lowering) -> SSAValue:
    """Loops (result..., k): each element applies the updates with its index, in order.

    The accumulation starts at k = 0 with the operand's element. The cost is the size of
    the result times the length of the index along the axis, but nothing is sequential.
    """
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
        new = combine(s, op.mode.data, old, update, dtype)
        return [s.emit(arith.SelectOp(here, new, old))]

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
