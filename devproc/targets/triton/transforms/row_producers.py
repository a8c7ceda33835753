"""Builds a row kernel that also computes the pointwise kernel before it; see
`fuse_row_producers`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import ShapedType, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import KernelAttr
from devproc.ir.program.kernel_modules import kernel_mark, returned_by
from devproc.ir.program.structured import (
    Generic,
    dim,
    is_parallel,
    is_pointwise,
    loop_sizes,
    make_generic,
    maps_of,
    shape_of,
)
from devproc.ir.text.location import copy_location, fuse_locations
from devproc.ir.types import item_size, tensor_of
from devproc.targets.triton import GPU
from devproc.targets.triton.algorithms.block_rows.argmax import match_arg_extreme
from devproc.targets.triton.algorithms.block_rows.combiners import combiners
from devproc.targets.triton.algorithms.block_rows.plan import LONGEST_ROW
from devproc.targets.triton.transforms.product_parts import is_row_major_argument
from devproc.targets.triton.transforms.row_launches import Link
from devproc.targets.triton.transforms.to_triton.generic import generic_of

Loops = Sequence[Sequence[int]]
"""For each loop of a pointwise op, the loops over rows that it is split into."""


def pointwise_in(kernel: FuncOp) -> Generic | None:
    """The only op of a pointwise kernel that reads its arguments in the order of its
    results, so that rows of contiguous results read contiguous operands; else None."""
    generics = [op for op in kernel.body.block.ops if isinstance(op, Generic)]
    if len(generics) != 1 or not is_pointwise(generics[0]):
        return None
    (generic,) = generics
    reads = reads_of(generic)
    forms = {
        (v, tuple(isinstance(e, AffineDimExpr) for e in m.results)) for m, v in reads
    }
    is_plain = (
        all(map(is_identity, maps_of(generic)[len(reads) :]))
        and all(isinstance(value.owner, tensor.EmptyOp) for value in generic.outputs)
        and all(value.owner is generic for value in returned_by(kernel))
        and all(
            not isinstance(value.type, ShapedType) or is_row_major_argument(value)
            for value in generic.inputs
        )
        and all(walks_in_order(generic, m, v) for m, v in reads)
        # All reads of an argument split its dimensions alike.
        and len(forms) == len(set(generic.inputs))
    )
    return generic if is_plain else None


def reads_of(generic: Generic) -> list[tuple[AffineMap, SSAValue]]:
    """The inputs of an op, each with its indexing map."""
    return list(zip(maps_of(generic), generic.inputs, strict=False))


def is_identity(map_: AffineMap) -> bool:
    """Whether a map is the identity of its loops."""
    return map_ == AffineMap.identity(map_.num_dims)


def walks_in_order(generic: Generic, map_: AffineMap, value: SSAValue) -> bool:
    """Whether an op walks the dimensions of an operand in order: each one whole, or a
    single index of it."""
    sizes, found = loop_sizes(generic), list[int]()
    for expr, size in zip(map_.results, shape_of(value), strict=True):
        if isinstance(expr, AffineDimExpr) and sizes[expr.position] == size:
            found.append(expr.position)
        elif not isinstance(expr, AffineConstantExpr):
            return False
    return found == sorted(set(found))


def row_length(kernel: FuncOp, number: int) -> int | None:
    """The length of the rows that a kernel reduces in the registers of a program, if it
    reads an argument only as these rows; else None."""
    generics = [op for op in kernel.body.block.ops if isinstance(op, Generic)]
    reductions = [op for op in generics if not all(is_parallel(op))]
    if not reductions:
        return None
    first, value = reductions[0], kernel.body.block.args[number]
    kinds, sizes = is_parallel(first), loop_sizes(first)
    columns = prod(sizes[kinds.count(True) :])
    width = max(4, item_size(tensor_of(value).element_type))
    are_rows = (
        kinds == sorted(kinds, reverse=True)
        and 0 < columns * width <= LONGEST_ROW
        and all(loop_sizes(op) == sizes for op in reductions)
        and all(is_parallel(op) == kinds for op in reductions)
        and all(map(is_reduction, reductions))
        and all(walks_in_order(first, m, v) for m, v in reads_of(first))
    )
    is_read_so = (
        shape_of(value) == sizes
        and is_row_major_argument(value)
        and all(
            isinstance(use.operation, Generic)
            and loop_sizes(use.operation) == sizes
            and is_identity(maps_of(use.operation)[use.index])
            for use in value.uses
        )
    )
    return columns if are_rows and is_read_so else None


def is_reduction(generic: Generic) -> bool:
    """Whether the body of an op is a reduction that Triton has."""
    found = generic_of(generic)
    return (
        not isinstance(combiners(found), Refusal)
        or match_arg_extreme(found) is not None
    )


def reads_index(generic: Generic) -> bool:
    """Whether the body of an op reads the index of a loop."""
    return any(isinstance(op, IndexOp) for op in generic.body.walk())


def element_bytes(generic: Generic) -> int:
    """The bytes that a pointwise op reads for each element of a row; what the elements of a
    row share is not counted."""
    last = dim(len(is_parallel(generic)) - 1)
    return sum(
        item_size(tensor_of(value).element_type)
        for map_, value in reads_of(generic)
        if last in map_.results
    )


def loops_within(sizes: Sequence[int], shape: Sequence[int]) -> Loops | None:
    """The dimensions of a shape, in order, that split each of some loops; None if a
    dimension spans several loops."""
    left, found = list(range(len(shape))), list[list[int]]()
    for size in sizes:
        taken = list[int]()
        while left and prod(shape[d] for d in taken) < size:
            taken.append(left.pop(0))
        if prod(shape[d] for d in taken) != size:
            return None
        found.append(taken)
    if not found or prod(shape[d] for d in left) != 1:
        return None
    found[-1] += left
    return found


def type_in(
    value: SSAValue, map_: AffineMap, loops: Loops, shape: Sequence[int]
) -> Attribute:
    """The type of an operand with its dimensions split as its loops are."""
    type_: Attribute = value.type
    if not isinstance(type_, TensorType):
        return type_
    sizes = list[int]()
    for expr, size in zip(map_.results, shape_of(value), strict=True):
        is_walked = isinstance(expr, AffineDimExpr)
        sizes += [shape[d] for d in loops[expr.position]] if is_walked else [size]
    return TensorType(tensor_of(value).element_type, sizes, tensor_of(value).encoding)


def map_in(map_: AffineMap, loops: Loops, count: int) -> AffineMap:
    """The indexing map of an operand with its dimensions split as its loops are."""
    places = list[AffineExpr]()
    for expr in map_.results:
        is_walked = isinstance(expr, AffineDimExpr)
        places += [dim(d) for d in loops[expr.position]] if is_walked else [expr]
    return AffineMap(count, 0, tuple(places))


def fused_kernel(
    producer: FuncOp, generic: Generic, rows: FuncOp, link: Link, name: str
) -> FuncOp | None:
    """A row kernel that computes a pointwise kernel too.

    It takes the arguments of the pointwise kernel, in the shape of the rows, then the other
    arguments of the row kernel; it returns the results of the row kernel, then those that
    are kept. None if the shape of the rows does not split the loops of the pointwise kernel,
    or if a body would read the index of a loop that it splits.
    """
    read = dict(link.read)
    shape = shape_of(rows.body.block.args[min(read)])
    loops = loops_within(loop_sizes(generic), shape)
    if loops is None or (shape != loop_sizes(generic) and reads_index(generic)):
        return None
    block = Block()
    made = copy_pointwise(producer, generic, block, loops, shape)
    local: dict[SSAValue, SSAValue] = {}
    for number, argument in enumerate(rows.body.block.args):
        if number in read:
            local[argument] = made[read[number]]
            continue
        local[argument] = block.insert_arg(argument.type, len(block.args))
        local[argument].name_hint = argument.name_hint
    *ops, _ = rows.body.block.ops
    block.add_ops([op.clone(local) for op in ops])
    results = [local[value] for value in returned_by(rows)]
    results += [made[number] for number in link.kept]
    block.add_op(ReturnOp(*results))
    types = list(block.arg_types), [value.type for value in results]
    kernel = FuncOp(name, types, Region(block), "private")
    marks = [kernel_mark(producer), kernel_mark(rows)]
    sources = [source.data for mark in marks if mark for source in mark.sources]
    kernel.attributes["dev.kernel"] = KernelAttr.get(
        GPU, "reduction", list(dict.fromkeys(sources))
    )
    kernel.location = fuse_locations([producer.location, rows.location])
    return kernel


def copy_pointwise(
    producer: FuncOp, generic: Generic, block: Block, loops: Loops, shape: Sequence[int]
) -> list[SSAValue]:
    """Add a pointwise kernel to a block, in the shape of rows, with its arguments; returns
    its results."""
    maps = maps_of(generic)
    types = {
        value: type_in(value, map_, loops, shape)
        for map_, value in zip(maps, generic.operands, strict=True)
    }
    local: dict[SSAValue, SSAValue] = {}
    for argument in producer.body.block.args:
        type_ = types.get(argument, argument.type)
        local[argument] = block.insert_arg(type_, len(block.args))
        local[argument].name_hint = argument.name_hint
    for value in generic.outputs:
        empty = tensor.EmptyOp([], types[value])
        block.add_op(empty)
        local[value] = empty.tensor
    ops = list(producer.body.block.ops)
    block.add_ops(
        op.clone(local)
        for op in ops[: ops.index(generic)]
        if not isinstance(op, tensor.EmptyOp)
    )
    copy = generic.clone(local)
    operands, body = list(copy.operands), copy.body.detach_block(0)
    copy.drop_all_references()
    count = len(generic.inputs)
    whole = make_generic(
        operands[:count],
        operands[count:],
        [map_in(map_, loops, len(shape)) for map_ in maps],
        [True] * len(shape),
        body,
        shape,
    )
    copy_location(generic, whole)
    block.add_op(whole)
    return [
        whole.results[generic.results.index(value)] for value in returned_by(producer)
    ]
