"""The number of parts of a batch, by a model of traffic beyond a core's own cache.

Small parts keep the values between ops in cache, but each part reads all weights again,
which costs time if a part has too few rows to hide the loads behind arithmetic. Both
are counted in bytes of memory traffic for each item of the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt

from xdsl.ir import Operation, SSAValue

from devproc.dialects.dev import byte_size
from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.window import Conv2dOp, PoolOp, image_shape
from devproc.ir.types import tensor_of

OWN_CACHE = 1 << 20
"""Bytes of the private cache of a core (L2)."""

SHARED_CACHE = 12 << 20
"""Bytes of the shared cache that one program is assumed to get."""

SHARED_COST = 0.25
"""Cost of a byte from the shared cache, in bytes from memory."""

HIDING_ROWS = 64
"""Rows of a part from which on the loads of weights are hidden completely."""

OPERATIONS_PER_BYTE = 25
"""Float operations of a core in the time of loading one byte from memory."""

LEAST_GAIN = 0.05
"""Share of the arithmetic's time that parts must save, to cover the overhead of calls
and of less work for threads."""

PART_COST = 1 << 17
"""Fixed overhead of the call for a part, in bytes from memory."""


@dataclass(frozen=True)
class Traffic:
    """The traffic of one op: bytes of weights; rows and bytes of values per item."""

    weights: int
    rows: float
    moved: float

    @property
    def arithmetic(self) -> float:
        """The work on weights of 4 bytes for each item, in bytes from memory."""
        return 2 * self.rows * (self.weights / 4) / OPERATIONS_PER_BYTE

    def cost(self, items: int) -> float:
        """Bytes per item, in parts of so many items."""
        exposed = max(0.0, 1 - self.rows * items / HIDING_ROWS)
        read = self.weights * exposed / items
        live = self.moved * items
        if live > SHARED_CACHE:
            return read + self.moved
        return read + (self.moved * SHARED_COST if live > OWN_CACHE else 0)


def traffic_of(op: Operation, batched: Sequence[SSAValue], batch: int) -> Traffic:
    """The traffic of a contraction or window whose `batched` operands split."""
    shape = tensor_of(op.results[0]).get_shape()
    columns = shape[-1]
    if isinstance(op, Conv2dOp | PoolOp):
        columns = image_shape(shape, op.properties)[1]
    whole = [value for value in op.operands if value not in batched]
    moved = sum(byte_size(value.type) for value in (*batched, *op.results))
    rows = tensor_of(op.results[0]).element_count() / max(columns, 1)
    weights = sum(byte_size(value.type) for value in whole)
    return Traffic(weights, rows / batch, moved / batch)


def is_anchor(op: Operation) -> bool:
    """Whether an op reads values from memory; other ops are fused into its loops.

    A sum of two tensors of one shape is a residual connection.
    """
    if isinstance(op, AddOp):
        return op.lhs.type == op.rhs.type
    return isinstance(op, AttentionOp | Conv2dOp | LinearOp | MatmulOp | PoolOp)


def divisors(batch: int) -> Iterator[int]:
    """Sizes of equal parts, from the whole batch down."""
    small = [size for size in range(1, isqrt(batch) + 1) if batch % size == 0]
    large = [batch // size for size in small]
    yield from large
    yield from (size for size in reversed(small) if size < large[-1])


def best_part(traffic: Sequence[Traffic], batch: int) -> int:
    """The items of a part with the least traffic, the most of equally good choices; the
    whole batch if the gain is small.
    """

    def cost(items: int) -> float:
        return sum(row.cost(items) for row in traffic) + PART_COST / items

    best = min(divisors(batch), key=cost)
    gain = cost(batch) - cost(best)
    worth = LEAST_GAIN * sum(row.arithmetic for row in traffic)
    return best if gain > worth else batch
