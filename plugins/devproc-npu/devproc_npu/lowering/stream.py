"""A program being written: instructions with the fences that they need.

Every instruction says which parts of the memories it reads and writes; a queue waits for
another only where such a part demands it and no earlier fence implies it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, cast

from devproc_npu.isa import Config, Fence, Instruction, Queue, Type, encode
from devproc_npu.machine import Machine
from devproc_npu.shapes import Slot, aligned


@dataclass(eq=False)
class Part:
    """A part of a memory: its address, and the instructions that used it last, each as a
    number of completed instructions of a queue."""

    address: int = 0
    size: int = 0
    writes: Counter[Queue] = field(default_factory=Counter[Queue])
    reads: Counter[Queue] = field(default_factory=Counter[Queue])


Parts = Sequence[Part]


class Arena:
    """A memory in parts: one that takes the place of others waits for their last uses."""

    def __init__(self, size: int, alignment: int):
        self.size, self.alignment, self.next = size, alignment, 0
        self.parts: list[Part] = []

    def turns(self, *slots: Slot) -> list[Iterator[Part]]:
        """The parts of one operation, endless turns of the copies of each slot.

        They follow those of the operation before, so that its loads need not wait, or begin
        at the start. Raises MemoryError where the memory is too small.
        """
        needed = sum(s.copies * aligned(s.size, self.alignment) for s in slots)
        if self.next + needed > self.size:
            self.next = 0
        if needed > self.size:
            raise MemoryError(f"{needed} are needed, there are {self.size}")
        return [cycle([self._part(s.size) for _ in range(s.copies)]) for s in slots]

    def _part(self, size: int) -> Part:
        start, self.next = self.next, self.next + aligned(size, self.alignment)
        return self.at(start, size)

    def at(self, start: int, size: int) -> Part:
        """A part at an address."""
        part, rest = Part(start, size), list[Part]()
        for old in self.parts:
            if start < old.address + old.size and old.address < start + size:
                part.reads |= old.reads | old.writes
            if not (start <= old.address and old.address + old.size <= start + size):
                rest.append(old)
        self.parts = [*rest, part]
        return part


class Stream:
    """The instructions of a program in order, and the memories that they use."""

    def __init__(self, type: Type, machine: Machine):
        self.type = type
        self.instructions: list[Instruction] = [Config(type)]
        self.counts = dict.fromkeys(Queue, 0)
        self.known = {queue: dict.fromkeys(Queue, 0) for queue in Queue}
        self.scratchpad = Arena(machine.scratchpad, 64)
        self.accumulator = Arena(machine.accumulator_rows, 1)

    def add(self, instruction: Instruction, reads: Parts, writes: Parts = ()) -> None:
        """Append an instruction, after the fences of its queue."""
        queue = cast(Queue, cast(Any, instruction).queue)
        needed = Counter[Queue]()
        for part in (*reads, *writes):
            needed |= part.writes
        for part in writes:
            needed |= part.reads
        for other, count in needed.items():
            if other != queue and count > self.known[queue][other]:
                self.instructions.append(Fence(queue, other, count))
                self.known[queue][other] = count
        self.instructions.append(instruction)
        self.counts[queue] += 1
        for part in reads:
            part.reads[queue] = self.counts[queue]
        for part in writes:
            part.writes, part.reads = Counter({queue: self.counts[queue]}), Counter()

    def binary(self) -> bytes:
        """The program as the machine reads it."""
        return encode(self.instructions)


@dataclass
class Operand:
    """A tensor whose parts take turns in the scratchpad; the last `kept` of them stay."""

    load: Callable[..., None]
    """Loads the part with these ranges: `load(part, *ranges)`."""
    turns: Iterator[Part]
    kept: int = 0
    parts: dict[tuple[range, ...], Part] = field(default_factory=dict[Any, Part])

    def part(self, *ranges: range) -> Part:
        """The part with these ranges, which is loaded unless it is there."""
        if ranges in self.parts:
            return self.parts[ranges]
        part = self.parts[ranges] = next(self.turns)
        self.load(part, *ranges)
        while len(self.parts) > self.kept:
            del self.parts[next(iter(self.parts))]
        return part
