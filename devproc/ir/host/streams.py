"""Which work of the host program is done before which: vector clocks over its streams.

The host is a stream of its own, whose work is done when the next op is reached. What it
queues comes after all that it has done or waited for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from devproc.ir.devices import HOST

Stream = tuple[str, int]
"""A device, and the number of one of its streams."""

Clock = Mapping[Stream, int]
"""How many works of each stream are done."""

ON_HOST: Stream = (HOST, 0)


@dataclass(frozen=True)
class Moment:
    """A work: its number in its stream, and what is done before it begins."""

    stream: Stream
    number: int
    before: Clock

    def follows(self, other: Moment) -> bool:
        """Whether another work is done before this one begins."""
        return self.before.get(other.stream, 0) >= other.number

    @property
    def after(self) -> Clock:
        """What is done when this work is."""
        return {**self.before, self.stream: self.number}


@dataclass
class StreamClocks:
    """What is done before the next work of each stream, in the course of a program."""

    clocks: dict[Stream, Clock] = field(default_factory=dict[Stream, Clock])
    events: dict[SSAValue, Clock] = field(default_factory=dict[SSAValue, Clock])

    def now(self, stream: Stream) -> Clock:
        """What is done before the next work of a stream."""
        own, host = self.clocks.get(stream, {}), self.clocks.get(ON_HOST, {})
        return own if stream == ON_HOST else joined((own, host))

    def work(self, stream: Stream) -> Moment:
        """Adds a work to a stream."""
        before = self.now(stream)
        moment = Moment(stream, before.get(stream, 0) + 1, before)
        self.clocks[stream] = moment.after
        return moment

    def record(self, event: SSAValue, stream: Stream) -> None:
        """An event after all works of a stream so far."""
        self.events[event] = self.now(stream)

    def wait(self, event: SSAValue, stream: Stream) -> None:
        """Later works of a stream come after an event."""
        self.clocks[stream] = joined((self.now(stream), self.events.get(event, {})))

    def synchronize(self, device: str) -> None:
        """The host waits for stream 0 of a device."""
        self.clocks[ON_HOST] = joined((self.now(ON_HOST), self.now((device, 0))))


def joined(clocks: Iterable[Clock]) -> Clock:
    """What is done when all of these are reached."""
    found: dict[Stream, int] = {}
    for clock in clocks:
        for stream, count in clock.items():
            found[stream] = max(count, found.get(stream, 0))
    return found
