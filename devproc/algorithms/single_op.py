"""Nests of a single op: what scans, sorts, suppression, scatters and the fallback take."""

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
    """An op that makes up a nest by itself."""

    op: OpT_co

    @property
    def ops(self) -> Sequence[Operation]:
        """The op."""
        return (self.op,)


def match_each(
    kind: type[Operation] | tuple[type[Operation], ...],
    nest: Callable[..., NestT],
) -> Callable[[KernelOps], Iterator[NestT]]:
    """What matches each op of a kind, by itself, as such a nest."""

    def match(kernel: KernelOps) -> Iterator[NestT]:
        return (nest(op) for op in kernel.ops if isinstance(op, kind))

    return match


def sharing_problem(loops: Sequence[int], grain: int | None) -> str | None:
    """Why a grain is wrong where these loops are what threads share; None if it is not."""
    if grain is None or loops:
        return None
    return "'grain' must be none: there is no loop that threads could share"
