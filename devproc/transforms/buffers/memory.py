"""Helpers of bufferization: memory types, copies, constants and reuse of buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.program.structured import PARALLEL, is_parallel, maps_of, with_sizes
from devproc.ir.types import AnyMemRef, AnyTensor, signless


@cache
def memory_type(type_: Attribute) -> AnyMemRef:
    """The memref that holds a tensor: row-major, its encoding as the memory space."""
    shaped = cast(AnyTensor, type_)
    return MemRefType(
        signless(shaped.element_type),
        shaped.get_shape(),
        NoneAttr(),
        shaped.encoding,
    )


def copy_generic(
    source: SSAValue, target: SSAValue, offset: Sequence[int] | None = None
) -> GenericOp:
    """The loops that copy `source` into `target`, at `offset` in each dimension."""
    type_ = cast(AnyMemRef, source.type)
    rank = len(type_.get_shape())
    shift = offset or [0] * rank
    dims = [AffineDimExpr(i) for i in range(rank)]
    there = [d + low if low else d for d, low in zip(dims, shift, strict=True)]
    block = Block(arg_types=[type_.element_type] * 2)
    block.add_op(YieldOp(block.args[0]))
    maps = (AffineMap(rank, 0, tuple(dims)), AffineMap(rank, 0, tuple(there)))
    copy = GenericOp(
        [source],
        [target],
        Region(block),
        [AffineMapAttr(map_) for map_ in maps],
        [PARALLEL] * rank,
    )
    return with_sizes(copy, type_.get_shape())


def argument_type(type_: Attribute) -> Attribute:
    """The memref type of a tensor type; other types (scalars) unchanged."""
    if not isinstance(type_, TensorType):
        return type_
    return memory_type(cast(AnyTensor, type_))


def constant_table(
    name: str, type_: AnyMemRef, value: DenseIntOrFPElementsAttr
) -> memref.GlobalOp:
    """A constant whose elements differ, as a global of the module."""
    plain = TensorType(type_.element_type, type_.get_shape())
    return memref.GlobalOp.get(
        StringAttr(name),
        type_,
        DenseIntOrFPElementsAttr(cast(Any, plain), value.data),
        StringAttr("private"),
        UnitAttr(),
        IntegerAttr(ALIGNMENT, i64),
    )


INSIDE = "kernel.inside"
"""Attribute of a fill: the subdomain that is overwritten later, as `[first, size]` for
each dimension; only the padding around it has to be filled."""


def inside_of(map_: AffineMap, loops: Sequence[int]) -> ArrayAttr[ArrayAttr[IntAttr]]:
    """The subdomain that loops write by a map of single loops, with offsets."""
    firsts = map_.eval([0] * len(loops), [])
    lasts = map_.eval([size - 1 for size in loops], [])
    return ArrayAttr(
        ArrayAttr([IntAttr(first), IntAttr(last - first + 1)])
        for first, last in zip(firsts, lasts, strict=True)
    )


def used_up(
    op: GenericOp, index: int, position: Mapping[Operation, int]
) -> SSAValue | None:
    """A value whose buffer result `index` may overwrite, element by element.

    Its last reader is this op, which updates it, or reads each element only in the
    iteration that writes the result's. A padded result needs its own buffer, because
    the fill of the padding may cover the whole buffer.
    """
    count, maps = len(op.inputs), maps_of(op)
    candidates: list[SSAValue] = []
    if op.body.block.args[count + index].uses:
        candidates = [op.outputs[index]]
    elif all(is_parallel(op)) and not isinstance(op.outputs[index].owner, FillOp):
        candidates = [
            value
            for value, map_ in zip(op.inputs, maps, strict=False)
            if map_ == maps[count + index]
        ]
    for value in candidates:
        if (
            isinstance(value.owner, GenericOp | tensor.PadOp)
            and memory_type(value.type) == memory_type(op.results[index].type)
            and list(op.operands).count(value) == 1
            and all(_is_before(use.operation, op, position) for use in value.uses)
        ):
            return value
    return None


def _is_before(
    reader: Operation, op: Operation, position: Mapping[Operation, int]
) -> bool:
    """Whether a reader (or the ancestor of a nested one) is `op` or precedes it."""
    if reader is op:
        return True
    current: Operation | None = reader
    while current is not None and current not in position:
        current = current.parent_op()
    return current is not None and position[current] < position[op]
