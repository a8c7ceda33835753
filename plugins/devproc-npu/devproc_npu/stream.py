"""A program being written: instructions with the fences that they need.

Every instruction says which parts of the memories it reads and writes; a queue waits for
another only where such a part demands it and no earlier fence implies it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, cast

from devproc_npu.isa import Config, Fence, Instruction, Queue, Type, encode
from devproc_npu.machine import Machine


@dataclass(eq=False)
class Part:
    """A part of a memory: its address, and the instructions that used it last."""

    address: int = 0
    size: int = 0
    writer: tuple[Queue, int] | None = None
    readers: dict[Queue, int] = field(default_factory=dict[Queue, int])


class Arena:
    """A memory in parts: one that takes the place of others waits for their last uses."""

    def __init__(self, size: int, alignment: int = 64):
        self.size, self.alignment, self.next = size, alignment, 0
        self.parts: list[Part] = []

    def reserve(self, size: int) -> None:
        """Before the parts of an operation, which must not overlap: they follow those of
        the one before, so that its loads need not wait, or begin at the start."""
        if self.next + size > self.size:
            self.next = 0

    def part(self, size: int) -> Part:
        """The next part. Raises MemoryError where the memory is full."""
        start = self.next
        self.next = start + -(-size // self.alignment) * self.alignment
        if self.next > self.size:
            raise MemoryError(f"{size} more than the {self.size - start} that are left")
        return self.at(start, size)

    def at(self, start: int, size: int) -> Part:
        """A part at an address."""
        part, rest = Part(start, size), list[Part]()
        for old in self.parts:
            if start < old.address + old.size and old.address < start + size:
                uses = [*old.readers.items(), *([old.writer] if old.writer else [])]
                for queue, count in uses:
                    part.readers[queue] = max(part.readers.get(queue, 0), count)
            if not (start <= old.address and old.address + old.size <= start + size):
                rest.append(old)
        self.parts = [*rest, part]
        return part


class Stream:
    """The instructions of a program in order, and the memories that they use."""

    def __init__(self, type: Type, machine: Machine):
        self.type, self.machine = type, machine
        self.instructions: list[Instruction] = [Config(type)]
        self.counts = dict.fromkeys(Queue, 0)
        self.known = {queue: dict.fromkeys(Queue, 0) for queue in Queue}
        self.scratchpad = Arena(machine.scratchpad)
        self.accumulator = Arena(machine.accumulator_rows, alignment=1)

    def slots(self, size: int, copies: int = 2, count: int = 1) -> Iterator[list[Part]]:
        """Generations of parts, which take turns."""
        made = [
            [self.scratchpad.part(size) for _ in range(count)] for _ in range(copies)
        ]
        return cycle(made)

    def add(
        self,
        instruction: Instruction,
        reads: Iterable[Part] = (),
        writes: Iterable[Part] = (),
    ) -> None:
        """Append an instruction, after the fences of its queue."""
        queue = cast(Queue, cast(Any, instruction).queue)
        reads, writes = list(reads), list(writes)
        needed: dict[Queue, int] = {}
        for part in (*reads, *writes):
            if part.writer is not None:
                other, count = part.writer
                needed[other] = max(needed.get(other, 0), count)
        for part in writes:
            for other, count in part.readers.items():
                needed[other] = max(needed.get(other, 0), count)
        for other, count in needed.items():
            if other != queue and count > self.known[queue][other]:
                self.instructions.append(Fence(queue, other, count))
                self.known[queue][other] = count
        self.instructions.append(instruction)
        self.counts[queue] += 1
        for part in reads:
            part.readers[queue] = self.counts[queue]
        for part in writes:
            part.writer, part.readers = (queue, self.counts[queue]), {}

    def binary(self) -> bytes:
        """The program as the machine reads it."""
        return encode(self.instructions)
