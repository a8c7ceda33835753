"""The composites of a program that devices take as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from devproc.backend.installed import backend
from devproc.dialects.nn.constant import ConstantOp, WeightOp


@dataclass(frozen=True)
class Match:
    """A composite, and its ops in a program."""

    name: str
    device: str
    ops: tuple[Operation, ...]


def composites_of(ops: Sequence[Operation], device: str) -> Iterator[Match]:
    """The composites of a device, without overlap: the most wanted first, and among those
    of a kind the last of the program first."""
    taken: set[Operation] = set()
    available = set(ops)
    for pattern in backend(device).patterns():
        for op in reversed(ops):
            found = pattern.match(op) or ()
            members = tuple(
                o for o in found if not isinstance(o, WeightOp | ConstantOp)
            )
            if len(members) < 2 or not available.issuperset(members):
                continue
            if taken.isdisjoint(members) and not backend(device).legal(members):
                taken.update(members)
                yield Match(pattern.name, device, members)
