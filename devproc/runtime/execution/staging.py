"""The ring of staging memory that a program owns: page-locked memory for copies of calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from devproc.backend import Marker
from devproc.backend.backend import Buffer

MOST_PENDING = 2
"""Calls whose copies a device may still be at when a call begins."""


@dataclass
class Staging:
    """The staging memory of one call."""

    values: Mapping[int, Buffer] = field(default_factory=dict[int, Buffer])
    """The values of slots by number."""
    markers: Sequence[Marker] = ()
    """One for each device; after its last work on this memory if that is `pending`."""
    pending: bool = False
    prepared: dict[object, Any] = field(default_factory=dict[object, Any])
    """Whatever was prepared for calls on this memory."""

    def mark(self) -> None:
        """Notes that devices work on the memory, up to what is queued now."""
        for marker in self.markers:
            marker.set()
        self.pending = bool(self.markers)

    def wait(self) -> None:
        """Blocks until no device works on the memory."""
        for marker in self.markers:
            marker.wait()
        self.pending = False


class StagingRing:
    """Staging memory that no call uses, the one that was given back first at the front.

    One thread at a time may take; each may give back at any time.
    """

    def __init__(self, make: Callable[[], Staging]):
        self._make = make
        self._free: list[Staging] = []

    def take(self) -> Staging:
        """Memory on which no device works: it waits for one only if `MOST_PENDING` calls are
        pending. More is made if other calls use all that there is."""
        free = self._free
        for index in range(len(free) - 1, -1, -1):
            if not free[index].pending:
                return free.pop(index)
        if len(free) < MOST_PENDING:
            return self._make()
        oldest = free.pop(0)
        oldest.wait()
        return oldest

    def give(self, staging: Staging) -> None:
        """Gives back what a call has taken."""
        self._free.append(staging)
