"""Properties of kernels that all CPU schedules use: ops, work, grain.

One rule for threads applies everywhere: a nest is split if its work outweighs waking
the pool, into chunks whose work outweighs fetching them. The result of a chunk never
depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects import func, math
from xdsl.dialects.builtin import Float64Type, IndexType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.ir.affine import AffineMap

from devproc.ir.program import structured
from devproc.ir.types import item_size

StructuredOp: TypeAlias = LinalgStructuredOperation

PARALLEL_WORK = 65_536
"""Scalar operations below which a nest stays on one thread: about 5 us of vector code.

A warm parallel region costs 0.1 to 1 us, waking a sleeping pool 50 us.
"""

CHUNK_WORK = 16_384
"""Scalar operations of one chunk: about 1 us, ten times the cost of fetching it."""

MATH_WORK = 12
"""The cost of a `math` function in scalar operations."""


def structured_ops(function: func.FuncOp) -> list[StructuredOp]:
    """The `linalg` ops of a kernel, in order."""
    return [op for op in function.body.block.ops if isinstance(op, StructuredOp)]


def maps_of(op: StructuredOp) -> list[AffineMap]:
    """The indexing maps, operand by operand."""
    return [attr.data for attr in op.get_indexing_maps()]


def loop_sizes(op: StructuredOp) -> Sequence[int]:
    """The trip count of each loop."""
    if isinstance(op, GenericOp):
        return structured.loop_sizes(op)
    return op.get_static_loop_ranges()


def is_parallel(op: StructuredOp) -> list[bool]:
    """For each loop, whether its iterations are independent."""
    return [kind.data is IteratorType.PARALLEL for kind in op.get_iterator_types()]


def lanes_of(element: Attribute, vector_bits: int) -> int:
    """Elements of this type in one vector register; an index counts as 64 bits."""
    size = 8 if isinstance(element, IndexType | Float64Type) else item_size(element)
    return vector_bits // (8 * size)


def lanes_problem(lanes: int, register: int) -> str | None:
    """Why vectors cannot have `lanes` lanes if a register holds `register`."""
    most = 4 * register
    if lanes.bit_count() == 1 and 2 <= lanes <= most:
        return None
    return f"'lanes' must be a power of two, 2 to {most}, not {lanes}"


def body_work(op: StructuredOp) -> int:
    """Scalar operations of one run of the body, at least one."""
    return block_work(op.body.block)


def block_work(block: Block) -> int:
    """Scalar operations of one run of a region, at least one."""
    ops: list[Operation] = list(block.ops)[:-1]
    return max(1, sum(map(op_work, ops)))


def op_work(op: Operation) -> int:
    """Scalar operations of one op of a body."""
    return MATH_WORK if op.dialect_name() == math.Math.name else 1


def total_work(ops: Sequence[StructuredOp]) -> int:
    """Scalar operations of these ops."""
    return sum(prod(loop_sizes(op)) * body_work(op) for op in ops)


def grain_of(iterations: int, work: int, threads: int) -> int | None:
    """Iterations of one chunk if a loop with this much work is worth splitting."""
    if threads < 2 or iterations < 2 or work < PARALLEL_WORK:
        return None
    by_work = -(-CHUNK_WORK * iterations // work)
    return max(1, min(by_work, iterations // 2))
