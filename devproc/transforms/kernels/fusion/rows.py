"""Pointwise ops that a reduction computes rather than reads.

A norm in bf16 begins with a cast to f32, an RMS norm with a square. As epilogues of the
product before them they would write values of their own, as large as the operand or larger;
the program of a row on a GPU computes them from the operand in registers.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.dev import byte_size, device_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    Generic,
    classify,
    is_parallel,
    is_pointwise,
    loop_sizes,
    maps_of,
)
from devproc.transforms.kernels.fusion.groups import ROW_LIMIT, is_permutation


def belongs_to_rows(op: Generic) -> bool:
    """Whether a pointwise op of a GPU is best computed by the reduction that reads it.

    Its only operand is no larger than the result, and is in memory in any case if it is
    as large; its readers are reductions and pointwise ops.
    """
    if not _maps_elements(op):
        return False
    source, (result,) = op.inputs[0], op.results
    have, made = byte_size(source.type), byte_size(result.type)
    if have > made or (have == made and {use.operation for use in source.uses} == {op}):
        return False
    return _is_read_by_rows(result)


def _is_read_by_rows(value: SSAValue) -> bool:
    """Whether the readers of a value are reductions and pointwise ops, of which one leads
    to a reduction: directly, or through ops whose other operands are smaller."""
    readers = {use.operation for use in value.uses}
    pointwise = [r for r in readers if isinstance(r, Generic) and is_pointwise(r)]
    rows = [r for r in readers if r not in pointwise]
    if not all(_takes_operands(r) for r in rows):
        return False
    return bool(rows) or any(
        all(v is value or byte_size(v.type) < byte_size(value.type) for v in r.inputs)
        and _is_read_by_rows(r.results[0])
        for r in pointwise
    )


def is_widening(op: Generic) -> bool:
    """Whether a pointwise op of a GPU makes a larger value of its only operand."""
    return _maps_elements(op) and byte_size(op.inputs[0].type) < byte_size(
        op.results[0].type
    )


def _maps_elements(op: Generic) -> bool:
    """Whether a pointwise op of a GPU makes each element of one of its only operand."""
    return (
        is_pointwise(op)
        and device_of(op.results[0].type) not in (HOST, None)
        and len(set(op.inputs)) == 1
        and len(set(maps_of(op))) == 1
        and not any(isinstance(inner, IndexOp) for inner in op.body.block.ops)
    )


def _takes_operands(op: Operation) -> bool:
    """Whether an op is a reduction whose kernel computes pointwise operands."""
    if not isinstance(op, Generic) or classify(op) != "reduction":
        return False
    sizes = zip(loop_sizes(op), is_parallel(op), strict=True)
    columns = prod(size for size, parallel in sizes if not parallel)
    return columns <= ROW_LIMIT and is_permutation(maps_of(op)[0])
