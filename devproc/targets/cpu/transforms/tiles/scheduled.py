"""The scheduled nests of a kernel, as matched by their algorithms, and their tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.base import Algorithm
from devproc.algorithms.choosing import scheduled_nest
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NestOp, Schedule
from devproc.dialects.sched.tile import PartOp


@dataclass(frozen=True)
class Scheduled:
    """A `sched.nest`, its algorithm, and the nest that this matches in its ops."""

    op: NestOp
    algorithm: Algorithm[Any, Any]
    nest: Any

    @property
    def schedule(self) -> Schedule:
        """Its schedule, which is legal."""
        return self.op.schedule


def scheduled(kernel: FuncOp, op: NestOp, target: TargetAttr) -> Scheduled:
    """A nest as matched by its algorithm.

    Raises PassFailedException for a schedule that is not legal for it.
    """
    return _found(kernel, op, op.schedule, target)


# Every pass matches the nests again; the cache holds those of a kernel.
@lru_cache(maxsize=4)
def _found(
    kernel: FuncOp, op: NestOp, schedule: Schedule, target: TargetAttr
) -> Scheduled:
    taker = algorithm(schedule.algorithm)
    return Scheduled(op, taker, scheduled_nest(op, kernel, target))


def nests(kernel: FuncOp) -> Iterator[NestOp]:
    """The scheduled nests of a kernel, in order."""
    return (op for op in list(kernel.body.block.ops) if isinstance(op, NestOp))


def tile_ops(kernel: FuncOp) -> list[PartOp]:
    """The tiles of a kernel and their parts, in order; not the bodies of nests."""
    return [
        op
        for around in kernel.body.block.ops
        if not isinstance(around, NestOp)
        for op in around.walk()
        if isinstance(op, PartOp)
    ]


def tiled_nests(
    kernel: FuncOp, target: TargetAttr
) -> tuple[dict[str, Scheduled], list[PartOp]]:
    """The nests that have tiles, by name, and these tiles.

    Raises PassFailedException for a tile of a nest that the kernel does not have.
    """
    ops = tile_ops(kernel)
    names = {op.nest_name for op in ops}
    found = {
        op.nest_name: scheduled(kernel, op, target)
        for op in (nests(kernel) if names else ())
        if op.nest_name is not None and op.nest_name in names
    }
    for name in names - found.keys():
        raise PassFailedException(
            f"there is a tile of @{name}, but the kernel @{kernel.sym_name.data} has no"
            " nest of that name"
        )
    return found, ops


def put_before(place: Operation, ops: list[Operation]) -> None:
    """Insert ops before another one."""
    assert place.parent is not None
    place.parent.insert_ops_before(ops, place)
