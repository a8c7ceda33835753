"""Weights in another format, and the ops that widen them to float32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.quantized import DequantizeOp
from devproc.dialects.nn.shape import ReshapeOp
from devproc.ir.types import tensor_of


@dataclass(frozen=True)
class StoredWeight:
    """A float32 matrix that the program computes from weights in another format."""

    weights: tuple[WeightOp, ...]
    """The numbers, then the scales and zero points of integers."""

    chain: tuple[Operation, ...]
    """The ops that compute it, the last one first."""


@dataclass(frozen=True)
class StoredRows:
    """Rows of such a matrix: rows of its numbers, scales and zero points, then widened."""

    weight: StoredWeight
    gather: GatherOp
    """The op that reads the rows of the numbers."""
    index: SSAValue
    """The index of each row, (rows, 1)."""


def widened(value: SSAValue) -> tuple[list[Operation], Sequence[SSAValue]] | None:
    """The ops that widen stored numbers, the last one first, and what they widen; None for
    other values."""
    chain: list[Operation] = []
    owner = value.owner
    if isinstance(owner, ReshapeOp) and isinstance(owner.operand.owner, DequantizeOp):
        chain.append(owner)
        owner = owner.operand.owner
    if not isinstance(owner, CastOp | DequantizeOp):
        return None
    return [*chain, owner], owner.operands


def stored_weight(value: SSAValue) -> StoredWeight | None:
    """What a float32 matrix is computed from; None if it is not a stored weight."""
    if (found := widened(value)) is None:
        return None
    chain, parts = found
    weights = [part.owner for part in parts if isinstance(part.owner, WeightOp)]
    return (
        StoredWeight(tuple(weights), tuple(chain))
        if len(weights) == len(parts)
        else None
    )


def stored_rows(value: SSAValue) -> StoredRows | None:
    """What float32 rows are read from; None if they are not rows of a stored weight."""
    if (found := widened(value)) is None:
        return None
    chain, parts = found
    gathers = [part.owner for part in parts if isinstance(part.owner, GatherOp)]
    weights = [
        g.operand.owner for g in gathers if isinstance(g.operand.owner, WeightOp)
    ]
    if len(weights) < len(parts):
        return None
    index, *others = {_row_index(gather) for gather in gathers}
    if others or index is None:
        return None
    places = [g.indices[0].owner for g in gathers]
    reshapes = [place for place in places if isinstance(place, ReshapeOp)]
    stored = StoredWeight(tuple(weights), (*chain, *gathers, *reshapes))
    return StoredRows(stored, gathers[0], index)


def _row_index(op: GatherOp) -> SSAValue | None:
    """The index (rows, 1) of an op that gathers rows; None for other ops."""
    index, rank = op.indices[0], tensor_of(op.operand).get_num_dims()
    if ints(op.axes) != (0,):
        return None
    if rank > 2 and isinstance(index.owner, ReshapeOp):
        index = index.owner.operand
    return index if tensor_of(index).get_shape()[1:] == (1,) else None


def erase_unused(stored: StoredWeight, rewriter: PatternRewriter) -> None:
    """Erase what nothing reads any more."""
    for op in (*stored.chain, *stored.weights):
        if op.parent is not None and op.results[0].first_use is None:
            rewriter.erase(op)
