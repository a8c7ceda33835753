"""Copies: loops that only move elements; on GPUs their readers read through them."""

from __future__ import annotations

from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import Block, Use

from devproc.dialects.dev import device_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    CHAIN,
    Generic,
    is_parallel,
    is_pointwise,
    maps_of,
)
from devproc.transforms.kernels.fusion.prologue import is_copy, replace_input


def forward_copies(block: Block) -> None:
    """Let pointwise ops of a GPU read the sources of slices and transposes.

    A copy stays where its innermost dimension is not that of its source, whose elements
    would be gathered from different cache lines, and where other loops read it, or a view.
    """
    op = block.first_op
    while op is not None:
        if is_copy(op) and _is_forwarded(op):
            _forward(op)
        op = op.next_op


def _is_forwarded(copy: Generic) -> bool:
    """Whether all readers of a copy may read its source."""
    (result,) = copy.results
    return (
        device_of(result.type) not in (HOST, None)
        and _keeps_rows(copy)
        and all(map(_reads_elements, result.uses))
    )


def _forward(copy: Generic) -> None:
    """Replace a copy by its source in the operands of pointwise ops."""
    (source,), (read, _) = copy.inputs, maps_of(copy)
    # One by one: an op whose operands do not give the sizes of its loops is replaced.
    while users := [
        u for u in copy.results[0].uses if isinstance(u.operation, Generic)
    ]:
        reader, index = users[0].operation, users[0].index
        assert isinstance(reader, Generic)
        map_ = read.compose(maps_of(reader)[index])
        replace_input(reader, index, source, map_)


def _keeps_rows(copy: Generic) -> bool:
    """Whether the innermost loop walks the innermost dimension of the source."""
    read = maps_of(copy)[0]
    return bool(read.results) and (read.results[-1].used_dims() == {read.num_dims - 1})


def _reads_elements(use: Use) -> bool:
    """Whether an op reads single elements, by the loops or by computed indices."""
    reader = use.operation
    if isinstance(reader, ExtractOp):
        around = reader.parent_op()
        return isinstance(around, Generic) and all(is_parallel(around))
    return (
        isinstance(reader, Generic)
        and CHAIN not in reader.attributes
        and is_pointwise(reader)
        and use.index < len(reader.inputs)
    )
