"""Indexed loads from gathers behind a view, instead of reads of the view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import device_of
from devproc.dialects.plan import ViewOp
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    CHAIN,
    Generic,
    is_parallel,
    is_pointwise,
    loop_sizes,
    make_generic,
    maps_of,
    reads_captured,
    shape_of,
)
from devproc.ir.text.location import copy_location
from devproc.transforms.kernels.fusion.strides import (
    Offset,
    flattened,
    indices_of,
    offsets_of,
)


def pick_behind_view(op: Generic, can_take: Callable[[Generic], bool]) -> Generic:
    """Let a pointwise op of a GPU load from the gather that one of its operands is a view
    of, so that the gather can become a part of it: the windows of a rolled image (Swin)
    are then one copy. An op of other loop results may join the kernels that make those.

    `can_take`: whether a gather can become a part of its reader. Returns the op, or the
    one in its place.
    """
    if not is_pointwise(op) or CHAIN in op.attributes:
        return op
    made = [number for number, value in enumerate(op.inputs) if is_made(value)]
    if len(made) != 1:
        return op
    gather = gather_behind(op.inputs[made[0]])
    if gather is None or not can_take(gather):
        return op
    indices = indices_behind(op, made[0], gather.results[0])
    return op if indices is None else load_from(op, made[0], gather, indices)


def is_made(value: SSAValue) -> bool:
    """Whether a value is a loop result, or a view of one."""
    source = value.owner.source if isinstance(value.owner, ViewOp) else value
    return isinstance(source.owner, Generic)


def gather_behind(value: SSAValue) -> Generic | None:
    """The gather on a GPU whose result a view shows to one reader."""
    view = value.owner
    if not isinstance(view, ViewOp) or not value.has_one_use():
        return None
    source = view.source
    gather = source.owner
    if not isinstance(gather, Generic) or not source.has_one_use():
        return None
    is_loaded = all(is_parallel(gather)) and reads_captured(gather)
    return gather if is_loaded and device_of(source.type) not in (HOST, None) else None


def indices_behind(op: Generic, number: int, gather: SSAValue) -> list[Offset] | None:
    """Where an op reads a value through a view, if the innermost loop walks rows of it."""
    sizes, read = loop_sizes(op), offsets_of(maps_of(op)[number])
    if read is None:
        return None
    offset = flattened(read, shape_of(op.inputs[number]), sizes)
    indices = indices_of(offset, shape_of(gather), sizes)
    innermost = {len(sizes) - 1: 1}
    return indices if indices and indices[-1].terms == innermost else None


def load_from(
    op: Generic, number: int, gather: Generic, indices: Sequence[Offset]
) -> Generic:
    """An op that loads one of its operands from a gather, at these indices."""
    (source,), view = gather.results, op.inputs[number].owner
    assert isinstance(view, ViewOp)
    body, sizes, maps = op.body.block, loop_sizes(op), maps_of(op)
    made: list[Operation] = []

    def add(new: Operation) -> SSAValue:
        copy_location(op, new)
        made.append(new)
        return new.results[0]

    def constant(value: int) -> SSAValue:
        return add(arith.ConstantOp(IntegerAttr(value, IndexType())))

    def place(index: Offset) -> SSAValue:
        total = constant(index.constant)
        for loop, factor in index.terms.items():
            term = add(arith.MuliOp(add(IndexOp(loop)), constant(factor)))
            total = add(arith.AddiOp(total, term))
        return total

    argument = body.args[number]
    loaded = add(tensor.ExtractOp(source, [*map(place, indices)], argument.type))
    first = body.first_op
    assert first is not None
    Rewriter.insert_op(made, InsertPoint.before(first))
    argument.replace_all_uses_with(loaded)
    body.erase_arg(argument)
    inputs = [value for i, value in enumerate(op.inputs) if i != number]
    op.body.detach_block(body)
    del maps[number]
    new = make_generic(inputs, op.outputs, maps, is_parallel(op), body, sizes)
    new.attributes |= op.attributes
    copy_location(op, new)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
    Rewriter.replace_op(op, new)
    Rewriter.erase_op(view)
    return new
