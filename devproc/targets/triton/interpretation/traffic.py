# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
"""Counts what interpreted kernels read and write, in sectors of 32 bytes.

A GPU moves memory in sectors: a load of one element of each costs as much as one of all
eight. A request for a sector is counted once for each access of a block by a program, as if
the lanes of a program were served together.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SECTOR = 32


@dataclass
class Touched:
    """What one kind of access touches of one argument."""

    byte_count: int
    """The size of the argument."""
    sectors: int = 0
    """Requested, again for each access."""
    lanes: Any = field(init=False, repr=False)
    """Whether each byte has been accessed."""

    def __post_init__(self) -> None:
        self.lanes = np.zeros(self.byte_count, bool)

    @property
    def distinct_bytes(self) -> int:
        """The bytes that were accessed."""
        return int(self.lanes.sum())

    @property
    def distinct_sectors(self) -> int:
        """The sectors that were accessed, if an argument begins with one."""
        padded = np.zeros(-(-self.byte_count // SECTOR) * SECTOR, bool)
        padded[: self.byte_count] = self.lanes
        return int(padded.reshape(-1, SECTOR).any(1).sum())

    def add(self, offsets: Any, size: int) -> None:
        """Counts an access by several programs, one a row: the first byte of each lane,
        negative where it is not active."""
        for row in offsets.reshape(len(offsets), -1):
            active = row[row >= 0]
            self.sectors += len(np.unique(active // SECTOR))
            for byte in range(size):
                self.lanes[active + byte] = True


@dataclass
class Traffic:
    """What a kernel reads and writes of each of its arguments."""

    loads: list[Touched]
    stores: list[Touched]

    @staticmethod
    def of(sizes: Sequence[int]) -> Traffic:
        """Nothing yet, of arguments of these sizes."""
        return Traffic([Touched(n) for n in sizes], [Touched(n) for n in sizes])

    @property
    def least_bytes(self) -> int:
        """What must be moved: each byte that is read, and each that is written, once."""
        return sum(touched.distinct_bytes for touched in (*self.loads, *self.stores))

    @property
    def memory_bytes(self) -> int:
        """What is moved if a cache holds each sector from its first access on."""
        both = (*self.loads, *self.stores)
        return SECTOR * sum(touched.distinct_sectors for touched in both)

    @property
    def requested_bytes(self) -> int:
        """What is moved without any cache."""
        return SECTOR * sum(touched.sectors for touched in (*self.loads, *self.stores))

    @property
    def memory_ratio(self) -> float:
        """Moved over what must be, with a cache for all."""
        return self.memory_bytes / max(self.least_bytes, 1)

    @property
    def requested_ratio(self) -> float:
        """Moved over what must be, without any cache."""
        return self.requested_bytes / max(self.least_bytes, 1)


@dataclass
class Counting:
    """The kernels that ran in a `counting` block."""

    kernels: dict[str, Traffic] = field(default_factory=dict[str, Traffic])
    """Name -> its traffic, of all launches if it had several."""

    def traffic(self, kernel: str, sizes: Sequence[int]) -> Traffic:
        """Where to count a launch of a kernel with arguments of these sizes."""
        return self.kernels.setdefault(kernel, Traffic.of(sizes))


_counting: Counting | None = None


def current() -> Counting | None:
    """The innermost `counting` block; None outside."""
    return _counting


@contextmanager
def counting() -> Generator[Counting]:
    """A context in which interpreted kernels count their traffic; slow."""
    global _counting
    before, _counting = _counting, Counting()
    try:
        yield _counting
    finally:
        _counting = before
