"""Cost: the work of an op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from devproc.ir.types import tensor_of

Flops = Callable[[Operation], int]


@dataclass(frozen=True)
class Cost:
    """Parameters of an op's time estimate; by default, one operation for each element
    of the result, and fusion with its neighbours.
    """

    per_element: int = 1
    """Operations for each element of the result."""
    flops: Flops | None = None
    """The total number of operations, if not proportional to the result."""
    is_anchor: bool = False
    """Whether the op always starts a kernel of its own."""
    is_free: bool = False
    """Whether the op is only a view of the same bytes."""

    def flops_of(self, op: Operation) -> int:
        """The operations of an op."""
        if self.flops is not None:
            return self.flops(op)
        return self.per_element * results(op)


def results(op: Operation) -> int:
    """The number of elements of the results."""
    return sum(prod(tensor_of(result).get_shape()) for result in op.results)


def size(op: Operation, operand: int = 0) -> int:
    """The number of elements of an operand."""
    return prod(tensor_of(op.operands[operand]).get_shape())


def products(op: Operation) -> int:
    """FLOPs of a contraction: two for each result and reduced element."""
    shape = tensor_of(op.operands[1]).get_shape()
    summed = {"nn.linear": shape[-1:], "nn.matmul": shape[-2:-1]}
    return 2 * results(op) * prod(summed.get(op.name, shape[1:]))
