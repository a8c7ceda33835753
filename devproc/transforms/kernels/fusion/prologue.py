"""Folds copies into the products that read them, by composing indexing maps."""

from __future__ import annotations

from typing import TypeGuard

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.dialects.dev import device_of
from devproc.dialects.nn.window import FEW_CHANNELS
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    CHAIN,
    Generic,
    is_multiply_add,
    is_pointwise,
    loop_sizes,
    maps_of,
    with_sizes,
    writes_in_order,
    yields_of,
)
from devproc.ir.types import tensor_of


def read_through_copies(block: Block) -> None:
    """Let products read the sources of transposes and slices.

    On the host a copy that changes the innermost dimension stays: its elements would be
    gathered from different cache lines. Other devices read blocks of matrices, whose rows
    may run along either dimension; there convolutions keep their copies.
    """
    for op in list(block.ops):
        if not isinstance(op, Generic) or not is_multiply_add(op):
            continue
        for index in (0, 1):
            while (source := source_of(op, index)) is not None:
                op = replace_input(op, index, *source)


def is_copy(op: object) -> TypeGuard[Generic]:
    """Whether an op only copies elements of one tensor to another."""
    return (
        isinstance(op, Generic)
        and CHAIN not in op.attributes
        and is_pointwise(op)
        and len(op.inputs) == 1
        and len(op.results) == 1
        and yields_of(op)[0] is op.body.block.args[0]
        and writes_in_order(op)
    )


def source_of(op: Generic, index: int) -> tuple[SSAValue, AffineMap] | None:
    """The source of an input that is a copy, and the map to read it; None otherwise."""
    value = op.inputs[index]
    copy = value.owner
    if not is_copy(copy):
        return None
    read, written = maps_of(copy)
    if _runs_backwards(read):
        return None
    if device_of(value.type) != HOST:
        is_matrix = all(len(e.used_dims()) < 2 for m in maps_of(op) for e in m.results)
        return (copy.inputs[0], read.compose(maps_of(op)[index])) if is_matrix else None
    last = {written.num_dims - 1}
    is_image = index == 0 and tensor_of(value).get_shape()[-1] <= FEW_CHANNELS
    if not read.results or (read.results[-1].used_dims() != last and not is_image):
        return None
    return copy.inputs[0], read.compose(maps_of(op)[index])


def _runs_backwards(map_: AffineMap) -> bool:
    """Whether an index decreases with a loop; products need increasing indices."""
    count = map_.num_dims
    first = map_.eval([0] * count, [])
    return any(
        place < start
        for loop in range(count)
        for place, start in zip(
            map_.eval([int(d == loop) for d in range(count)], []), first, strict=True
        )
    )


def replace_input(
    op: Generic, index: int, source: SSAValue, map_: AffineMap
) -> Generic:
    """Replace input `index` with `source`, read by this map; returns the new op."""
    maps, sizes = maps_of(op), loop_sizes(op)
    maps[index] = map_
    op.operands[index] = source
    op.indexing_maps = ArrayAttr(AffineMapAttr(m) for m in maps)
    return with_sizes(op, sizes)
