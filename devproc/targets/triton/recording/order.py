"""Which queued works are in order, and which may run at the same time.

Vector clocks: each work knows how much of every other stream is done before it. Two works
that touch the same bytes, one of them writing, must be in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch

Clock = dict[int, int]
"""Stream -> how many of its works are done before."""


@dataclass(frozen=True)
class Access:
    """Bytes that a work reads, or writes."""

    first: int
    end: int
    writes: bool

    @staticmethod
    def of(tensor: torch.Tensor, writes: bool) -> Access:
        """That of a contiguous tensor."""
        return Access(tensor.data_ptr(), tensor.data_ptr() + tensor.nbytes, writes)

    def meets(self, other: Access) -> bool:
        """Whether their order matters."""
        overlap = self.first < other.end and other.first < self.end
        return overlap and (self.writes or other.writes)


@dataclass
class Order:
    """The works of all streams, and what each one comes after."""

    clocks: dict[int, Clock] = field(default_factory=dict[int, Clock])
    host: Clock = field(default_factory=Clock)
    """What the host has waited for: all that it queues later comes after that."""
    works: dict[int, list[tuple[str, Sequence[Access]]]] = field(
        default_factory=dict[int, list[tuple[str, Sequence[Access]]]]
    )

    def conflict(self, stream: int, name: str, access: Sequence[Access]) -> str | None:
        """Adds a work to a stream; what it may interfere with, if anything."""
        known = _joined((self.clocks.get(stream, {}), self.host))
        self.clocks[stream] = known
        self.works.setdefault(stream, []).append((name, access))
        for other, works in self.works.items():
            if other == stream:
                continue
            for number, (its_name, its) in enumerate(works[known.get(other, 0) :]):
                if any(mine.meets(theirs) for mine in access for theirs in its):
                    at = number + known.get(other, 0)
                    return (
                        f"'{its_name}', work {at} of stream {other}, are not in order"
                    )
        return None

    def record(self, stream: int) -> Clock:
        """What is done when a stream has done all that is queued."""
        own = {stream: len(self.works.get(stream, ()))}
        return _joined((self.clocks.get(stream, {}), self.host, own))

    def wait(self, stream: int, event: Clock) -> None:
        """Later works of a stream come after an event."""
        self.clocks[stream] = _joined((self.clocks.get(stream, {}), event))

    def finish(self, event: Clock) -> None:
        """The host has waited for an event."""
        self.host = _joined((self.host, event))

    def synchronize(self, stream: int) -> None:
        """The host has waited for a stream."""
        self.finish(self.record(stream))


def _joined(clocks: Iterable[Clock]) -> Clock:
    found: Clock = {}
    for clock in clocks:
        for stream, count in clock.items():
            found[stream] = max(count, found.get(stream, 0))
    return found
