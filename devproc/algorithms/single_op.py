"""Nests of a single op: scans, sorts, suppression, scatters and the fallback."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from xdsl.ir import Operation

from devproc.algorithms.base import KernelOps

OpT_co = TypeVar("OpT_co", bound=Operation, covariant=True)
NestT = TypeVar("NestT")


@dataclass(frozen=True)
class SingleOp(Generic[OpT_co]):
    """A nest that consists of one op."""

    op: OpT_co

    @property
    def ops(self) -> Sequence[Operation]:
        """The op."""
        return (self.op,)


def match_each(
    kind: type[Operation] | tuple[type[Operation], ...],
    nest: Callable[..., NestT],
) -> Callable[[KernelOps], Iterator[NestT]]:
    """A `match` function that returns a nest for each op of the given kind."""

    def match(kernel: KernelOps) -> Iterator[NestT]:
        return (nest(op) for op in kernel.ops if isinstance(op, kind))

    return match


def sharing_problem(loops: Sequence[int], grain: int | None) -> str | None:
    """Why a grain is not legal if threads share these loops; None if it is."""
    if grain is None or loops:
        return None
    return "'grain' must be none: there is no loop that threads could share"
