"""Islands of launches that do not depend on one another, and whether a second stream pays.

A kernel waits for its launch and for its first loads, and kernels of another stream may run
meanwhile; what they compute and move takes the device as long as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from devproc.backend import Description
from devproc.backend.installed import backend
from devproc.dialects.dev import byte_size, target_of
from devproc.dialects.plan import LaunchOp
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.program.kernel_work import Work, kernel_work
from devproc.ir.types import AnyMemRef, memory_dtype_name

LEAST_SHARE, LEAST_SECONDS = 0.1, 4e-6
"""Of the estimated time of a section, and at all: less is within the error of the estimate."""

MOST_BYTES = 256 << 20
"""Of the values in an island, whose memory is not reused while it runs."""

MOST_BRANCHES = 8
"""Branches of one join that are compared as the first island."""


@dataclass(frozen=True)
class IslandCosts:
    """Estimated times of the launches of one device, in seconds."""

    work: Mapping[str, Work]
    described: Description

    @staticmethod
    def of(module: ModuleOp, device: str) -> IslandCosts:
        """Those of the kernels of a module."""
        described = backend(device).describe(target_of(module))
        return IslandCosts(kernel_work(module), described)

    def busy(self, launch: LaunchOp) -> float:
        """In which a kernel computes or moves data at the rates of the device."""
        work = self.work[launch.kernel.root_reference.data]
        result = cast(AnyMemRef, launch.outputs[0].type)
        rate = self.described.rate(memory_dtype_name(result.element_type))
        bandwidth = self.described.memories[0].bytes_per_second
        return max(work.flops / rate, work.byte_count / bandwidth)


def second_island(launches: Sequence[LaunchOp], costs: IslandCosts) -> list[LaunchOp]:
    """The launches that are worth a stream of their own; none if there is no gain."""
    graph = _Graph.of(launches)
    busy = [costs.busy(launch) for launch in launches]
    idle = costs.described.idle_seconds
    serial = sum(busy) + idle * len(busy)
    best, least = 0, max(LEAST_SHARE * serial, LEAST_SECONDS)
    for first, second in graph.islands():
        one, other = (_Times.of(busy, idle, island) for island in (first, second))
        island = first if one.seconds < other.seconds else second
        edges = graph.crossings(island) * costs.described.event_seconds
        gain = one.seconds + other.seconds - one.beside(other) - edges
        if gain > least and graph.bytes_in(island, launches) <= MOST_BYTES:
            best, least = island, gain
    return [launch for i, launch in enumerate(launches) if best >> i & 1]


@dataclass(frozen=True)
class _Times:
    seconds: float
    busy: float

    @staticmethod
    def of(busy: Sequence[float], idle: float, island: int) -> _Times:
        own = sum(busy[i] for i in _members(island))
        return _Times(own + idle * island.bit_count(), own)

    def beside(self, other: _Times) -> float:
        """Both at the same time."""
        return max(self.seconds, other.seconds, self.busy + other.busy)


@dataclass(frozen=True)
class _Graph:
    """What launches depend on; a set of launches is an integer with a bit for each."""

    producers: Sequence[int]
    before: Sequence[int]
    """All that has to run before each launch, and itself."""

    @staticmethod
    def of(launches: Sequence[LaunchOp]) -> _Graph:
        writers: dict[SSAValue, int] = {}
        readers: dict[SSAValue, int] = {}
        producers, before = list[int](), list[int]()
        for number, launch in enumerate(launches):
            found = 0
            for value in map(memory_root, launch.inputs):
                found |= writers.get(value, 0)
                readers[value] = readers.get(value, 0) | 1 << number
            for value in map(memory_root, launch.outputs):
                found |= (writers.get(value, 0) | readers.get(value, 0)) & ~(
                    1 << number
                )
                writers[value] = 1 << number
            reach = 1 << number
            for producer in _members(found):
                reach |= before[producer]
            producers.append(found)
            before.append(reach)
        return _Graph(producers, before)

    def islands(self) -> Iterator[tuple[int, int]]:
        """Pairs of sets of launches that do not depend on one another, up to each launch
        that reads results of both, or up to the end."""
        read = 0
        for producers in self.producers:
            read |= producers
        ends = ((1 << len(self.producers)) - 1) & ~read
        for join in (*self.producers, ends):
            branches = [self.before[number] for number in _members(join)]
            for number, first in enumerate(branches[:MOST_BRANCHES]):
                second = 0
                for branch in branches[:number] + branches[number + 1 :]:
                    second |= branch
                if first & ~second and second & ~first:
                    yield first & ~second, second & ~first

    def crossings(self, island: int) -> int:
        """The results that cross the border of an island: at least a fork and a join."""
        inside, outside = 0, 0
        for number, producers in enumerate(self.producers):
            if island >> number & 1:
                inside |= producers & ~island
            else:
                outside |= producers & island
        return max(1, inside.bit_count()) + max(1, outside.bit_count())

    def bytes_in(self, island: int, launches: Sequence[LaunchOp]) -> int:
        """The bytes that the launches of an island write."""
        values = (v for i in _members(island) for v in launches[i].outputs)
        return sum(byte_size(value.type) for value in values)


def _members(launches: int) -> Iterator[int]:
    while launches:
        lowest = launches & -launches
        yield lowest.bit_length() - 1
        launches ^= lowest
