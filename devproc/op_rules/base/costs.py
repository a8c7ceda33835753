"""Cost: the work of an op, and the efficiency of a device at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
    device_flops: Flops | None = None
    """The total on a GPU, where elements are independent of each other."""
    efficiency: Mapping[str, float] = field(
        default_factory=dict[str, float], hash=False
    )
    """Device -> share of its peak rate that this op reaches; default 1/2."""
    is_anchor: bool = False
    """Whether the op always starts a kernel of its own."""
    is_free: bool = False
    """Whether the op is only a view of the same bytes."""

    def flops_of(self, op: Operation, device: str) -> int:
        """The operations of an op on a device."""
        if self.device_flops is not None and device != "cpu":
            return self.device_flops(op)
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


def pairs(op: Operation) -> int:
    """Operations of comparing all pairs of elements of each row."""
    return 8 * size(op) * tensor_of(op.operands[0]).get_shape()[-1]
