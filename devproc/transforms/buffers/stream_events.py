"""Inserts the events that order the streams of a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from devproc.dialects.dev import RecordOp, WaitOp, stream_number
from devproc.dialects.plan import CopyOp, LaunchOp
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.host.streams import Moment, StreamClocks

Work = CopyOp | LaunchOp


def accesses(op: Work) -> Iterator[tuple[SSAValue, bool]]:
    """The memory that a work reads or writes, and whether it writes it."""
    if isinstance(op, LaunchOp):
        reads, writes = op.inputs, op.outputs
    else:
        reads, writes = (op.source,), (op.destination,)
    yield from ((memory_root(value), False) for value in reads)
    yield from ((memory_root(value), True) for value in writes)


@dataclass
class EventInsertion:
    """Orders works whose streams are assigned: each stream begins after stream 0, each work
    comes after those that it depends on, and in the end all are joined to stream 0."""

    device: str
    block: Block
    clocks: StreamClocks = field(default_factory=StreamClocks)
    done: dict[Work, Moment] = field(default_factory=dict[Work, Moment])
    events: dict[Work, RecordOp] = field(default_factory=dict[Work, RecordOp])
    """The event after each work that another stream waits for."""
    seen: dict[SSAValue, list[tuple[Work, bool]]] = field(
        default_factory=dict[SSAValue, list[tuple[Work, bool]]]
    )
    """The works so far on each piece of memory, and whether they write it."""

    def order(self, works: Sequence[Work]) -> None:
        """Insert the events of a section; none if it has only one stream."""
        if not any(map(stream_number, works)):
            return
        start = RecordOp(self.device, 0)
        self.block.insert_op_before(start, works[0])
        begun = self.clocks.work((self.device, 0))
        self.clocks.record(start.event, begun.stream)
        last: dict[int, Work] = {}
        for op in works:
            number = stream_number(op)
            for earlier in self._needed(op):
                self._wait_before(op, self._event_after(earlier), number)
            if not self._is_before(begun, number):
                self._wait_before(op, start, number)
            self.done[op] = self.clocks.work((self.device, number))
            last[number] = op
            for value, writes in accesses(op):
                self.seen.setdefault(value, []).append((op, writes))
        end: Operation = works[-1]
        for _, op in sorted(last.items()):
            if not self._is_before(self.done[op], 0):
                event = self._event_after(op)
                wait = WaitOp(event.event, self.device, 0)
                self.block.insert_op_after(wait, event if end is op else end)
                self.clocks.wait(event.event, (self.device, 0))
                end = wait

    def _is_before(self, moment: Moment, stream: int) -> bool:
        """Whether a work is done before the next one of a stream."""
        now = self.clocks.now((self.device, stream))
        return now.get(moment.stream, 0) >= moment.number

    def _needed(self, op: Work) -> list[Work]:
        """The last work of each other stream that has to be done before an op."""
        found: dict[int, Work] = {}
        for value, writes in accesses(op):
            for earlier, wrote in self.seen.get(value, ()):
                if not (writes or wrote):
                    continue
                number, moment = stream_number(earlier), self.done[earlier]
                if (
                    number not in found
                    or self.done[found[number]].number < moment.number
                ):
                    found[number] = earlier
        own = stream_number(op)
        return [w for w in found.values() if not self._is_before(self.done[w], own)]

    def _event_after(self, op: Work) -> RecordOp:
        if op not in self.events:
            event = RecordOp(self.device, stream_number(op))
            self.block.insert_op_after(event, op)
            self.clocks.events[event.event] = self.done[op].after
            self.events[op] = event
        return self.events[op]

    def _wait_before(self, op: Work, event: RecordOp, stream: int) -> None:
        self.block.insert_op_before(WaitOp(event.event, self.device, stream), op)
        self.clocks.wait(event.event, (self.device, stream))
