"""Cost: the work of an op, and how well a device does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Operation

from devproc.ir.types import tensor_of

Flops = Callable[[Operation], int]


@dataclass(frozen=True)
class Cost:
    """How the time of an op is estimated; without arguments, one operation for each
    element of the result, which fuses with its neighbours.
    """

    per_element: int = 1
    """Operations for each element of the result."""
    flops: Flops | None = None
    """All operations, where that is not their number."""
    device_flops: Flops | None = None
    """The same on a GPU, where no element waits for another."""
    efficiency: Mapping[str, float] = field(
        default_factory=dict[str, float], hash=False
    )
    """Device -> share of its rate that this kind of op reaches; 1/2 where not listed."""
    is_anchor: bool = False
    """Whether it always begins a kernel of its own."""
    is_free: bool = False
    """Whether it is only another view of the same bytes."""

    def flops_of(self, op: Operation, device: str) -> int:
        """The operations of an op on a device."""
        if self.device_flops is not None and device != "cpu":
            return self.device_flops(op)
        if self.flops is not None:
            return self.flops(op)
        return self.per_element * results(op)


def results(op: Operation) -> int:
    """How many elements the results have."""
    return sum(prod(tensor_of(result).get_shape()) for result in op.results)


def size(op: Operation, operand: int = 0) -> int:
    """How many elements an operand has."""
    return prod(tensor_of(op.operands[operand]).get_shape())


def products(op: Operation) -> int:
    """FLOPs of a sum of products: two for each result and summed element."""
    shape = tensor_of(op.operands[1]).get_shape()
    summed = {"nn.linear": shape[-1:], "nn.matmul": shape[-2:-1]}
    return 2 * results(op) * prod(summed.get(op.name, shape[1:]))


def pairs(op: Operation) -> int:
    """Of comparing all elements of a row with all."""
    return 8 * size(op) * tensor_of(op.operands[0]).get_shape()[-1]
