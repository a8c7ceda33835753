"""Copies: loops that only move elements; on GPUs their readers read through them."""

from __future__ import annotations

from typing import TypeGuard

from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import Block, Operation

from devproc.dialects.dev import device_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    CHAIN,
    Generic,
    is_parallel,
    is_pointwise,
    maps_of,
    writes_in_order,
    yields_of,
)
from devproc.transforms.kernels.fusion.prologue import replace_input


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
        and all(_reads_elements(use.operation) for use in result.uses)
    )


def _forward(copy: Generic) -> None:
    """Replace a copy by its source in the operands of pointwise ops."""
    (source,), (read, _) = copy.inputs, maps_of(copy)
    # One by one: an op whose operands do not give the sizes of its loops is replaced.
    while (
        use := next(
            (use for use in copy.results[0].uses if isinstance(use.operation, Generic)),
            None,
        )
    ) is not None:
        reader = use.operation
        assert isinstance(reader, Generic)
        map_ = read.compose(maps_of(reader)[use.index])
        replace_input(reader, use.index, source, map_)


def _keeps_rows(copy: Generic) -> bool:
    """Whether the innermost loop walks the innermost dimension of the source."""
    read = maps_of(copy)[0]
    return bool(read.results) and (read.results[-1].used_dims() == {read.num_dims - 1})


def _reads_elements(reader: Operation) -> bool:
    """Whether an op reads single elements, by the loops or by computed indices."""
    if isinstance(reader, ExtractOp):
        around = reader.parent_op()
        return isinstance(around, Generic) and all(is_parallel(around))
    return (
        isinstance(reader, Generic)
        and CHAIN not in reader.attributes
        and is_pointwise(reader)
    )
