"""Lets attention read its operands, and write its result, in the layout of its neighbours.

Heads are slices of the rows that a linear layer writes: models transpose queries, keys
and values before attention, and the result after it. Here the loops of attention index
the memory before the transposes, and after, so that no copy is left.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.tensor import EmptyOp, ExtractOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import device_of
from devproc.dialects.plan import ViewOp
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    CHAIN,
    Generic,
    is_parallel,
    loop_sizes,
    make_generic,
    maps_of,
    shape_of,
    writes_in_order,
    yields_of,
)
from devproc.ir.text.location import copy_location
from devproc.ir.types import tensor, tensor_of
from devproc.transforms.kernels.fusion.prologue import is_copy, replace_input
from devproc.transforms.kernels.fusion.strides import (
    Offset,
    Place,
    composed,
    flattened,
    indices_of,
    offsets_of,
    place_of,
)


def lay_out_attention(block: Block) -> None:
    """Read and write through the copies around each attention of another device.

    The algorithm of the CPU reads vectors along the elements of a head, and transposes
    keys itself; copies that it can do without are folded by `prologue`.
    """
    for op in list(block.ops):
        if not isinstance(op, Generic) or CHAIN not in op.attributes:
            continue
        if device_of(op.results[0].type) in (HOST, None):
            continue
        for index in range(len(op.inputs)):
            source = source_of(op, index)
            if source is not None:
                op = read_from(op, index, *source)
        target = target_of(op)
        if target is not None:
            write_to(op, *target)


def copied(op: object) -> tuple[SSAValue, list[Offset]] | None:
    """The tensor that an op copies from, and the indices of its elements there; None for
    other ops than copies and slices, and for indices that are not linear."""
    if is_copy(op):
        read = offsets_of(maps_of(op)[0])
        return None if read is None else (op.inputs[0], read)
    if not isinstance(op, Generic):
        return None
    if op.inputs or not all(is_parallel(op)) or len(op.results) != 1:
        return None
    element = yields_of(op)[0].owner
    if not isinstance(element, ExtractOp) or not writes_in_order(op):
        return None
    indices = [computed(index) for index in element.indices]
    known = [index for index in indices if index is not None]
    return (element.tensor, known) if len(known) == len(indices) else None


def computed(index: SSAValue) -> Offset | None:
    """An index that a body computes, if it is linear in the loops."""
    match index.owner:
        case IndexOp() as op:
            return Offset({op.dim.value.data: 1})
        case arith.ConstantOp(value=IntegerAttr() as number):
            return Offset({}, number.value.data)
        case arith.AddiOp() | arith.MuliOp() as op:
            lhs, rhs = computed(op.lhs), computed(op.rhs)
            if lhs is None or rhs is None:
                return None
            return lhs.plus(rhs) if isinstance(op, arith.AddiOp) else lhs.times(rhs)
        case _:
            return None


def source_of(op: Generic, index: int) -> tuple[SSAValue, Place] | None:
    """The earliest tensor that an input is copied from; None if it is not copied."""
    value, sizes = op.inputs[index], loop_sizes(op)
    indices = offsets_of(maps_of(op)[index])
    if indices is None:
        return None
    offset = flattened(indices, shape_of(value), sizes)
    found: tuple[SSAValue, Place] | None = None
    while True:
        maker = value.owner
        if isinstance(maker, ViewOp):
            value = maker.source
            continue
        source, loops = copied(maker), indices_of(offset, shape_of(value), sizes)
        if source is None or loops is None:
            return found
        value, read = source
        offset = flattened(composed(read, loops), shape_of(value), sizes)
        place = place_of(offset, tensor_of(value).element_count(), sizes)
        if place is not None:
            found = value, place


def read_from(op: Generic, index: int, value: SSAValue, place: Place) -> Generic:
    """The op, with an input read from another tensor."""
    if shape_of(value) != place.shape:
        old = tensor_of(value)
        view = ViewOp(value, tensor(old.element_type, place.shape, old.encoding))
        copy_location(op, view)
        Rewriter.insert_op(view, InsertPoint.before(op))
        value = view.result
    count = len(loop_sizes(op))
    return replace_input(op, index, value, AffineMap(count, 0, place.indices))


def target_of(op: Generic) -> tuple[SSAValue, Place] | None:
    """The last tensor that the result is copied to whole; None if it is not copied."""
    value, sizes = op.results[0], loop_sizes(op)
    if not all(is_parallel(op)) or not writes_in_order(op):
        return None
    indices = [Offset({loop: 1}) for loop in range(len(sizes))]
    offset = flattened(indices, sizes, sizes)
    found: tuple[SSAValue, Place] | None = None
    for reader in readers(value):
        if isinstance(reader, ViewOp):
            value = reader.result
            continue
        assert isinstance(reader, Generic)
        elements = indices_of(offset, shape_of(value), sizes)
        loops = None if elements is None else written(reader, elements)
        if loops is None:
            break
        value = reader.results[0]
        offset = flattened(loops, shape_of(value), sizes)
        place = place_of(offset, tensor_of(value).element_count(), sizes)
        if place is not None and place.is_whole:
            found = value, place
    return found


def readers(value: SSAValue) -> Iterator[Operation]:
    """The views and copies of a value, and of each other, while there is just one."""
    while value.has_one_use():
        reader = next(iter(value.uses)).operation
        if not isinstance(reader, ViewOp) and not is_copy(reader):
            return
        yield reader
        value = reader.results[0]


def written(copy: Generic, elements: list[Offset]) -> list[Offset] | None:
    """Where a copy writes these elements of its input; None if it does not move each
    element to one place."""
    sizes = loop_sizes(copy)
    loops: list[Offset | None] = [Offset({}) if n == 1 else None for n in sizes]
    read = offsets_of(maps_of(copy)[0])
    for index, element in zip(read or (), elements, strict=False):
        if list(index.terms.values()) == [1] and not index.constant:
            (loop,) = index.terms
            loops[loop] = element
    is_whole = tensor_of(copy.inputs[0]).element_count() == (
        tensor_of(copy.results[0]).element_count()
    )
    known = [loop for loop in loops if loop is not None]
    return known if is_whole and len(known) == len(loops) else None


def write_to(op: Generic, target: SSAValue, place: Place) -> None:
    """Compute an op where a copy of its result is read."""
    type_ = tensor_of(target)
    empty = EmptyOp([], tensor(type_.element_type, place.shape, type_.encoding))
    sizes, maps = loop_sizes(op), maps_of(op)
    maps[-1] = AffineMap(len(sizes), 0, place.indices)
    body = op.body.block
    op.body.detach_block(body)
    new = make_generic(
        list(op.inputs), [empty.tensor], maps, is_parallel(op), body, sizes
    )
    new.attributes |= op.attributes
    made: list[Operation] = [empty, new]
    result = new.results[0]
    if place.shape != type_.get_shape():
        made.append(ViewOp(result, type_))
        result = made[-1].results[0]
    for each in made:
        copy_location(op, each)
    Rewriter.insert_op(made, InsertPoint.before(op))
    result.name_hint = target.name_hint
    target.replace_all_uses_with(result)
    # Its other readers, which are views and copies, are dead.
    todo: list[Operation] = [op]
    while todo:
        dead = todo[-1]
        users = [use.operation for r in dead.results for use in r.uses]
        if users:
            todo += users
        else:
            Rewriter.erase_op(todo.pop())
