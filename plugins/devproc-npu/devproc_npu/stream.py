"""A program being written: instructions with the fences that they need.

Every instruction says which parts of the memories it reads and writes; a queue waits for
another only where such a part demands it and no earlier fence implies it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from devproc_npu.isa import Config, Fence, Instruction, Queue, Type, encode


@dataclass(eq=False)
class Part:
    """A part of a memory: its address, and the instructions that used it last."""

    address: int
    writer: tuple[Queue, int] | None = None
    readers: dict[Queue, int] = field(default_factory=dict[Queue, int])


class Stream:
    """The instructions of a program in order."""

    def __init__(self, type: Type):
        self.type = type
        self.instructions: list[Instruction] = [Config(type)]
        self.counts = dict.fromkeys(Queue, 0)
        self.known = {queue: dict.fromkeys(Queue, 0) for queue in Queue}

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


class Room:
    """Addresses of a memory, handed out from the start."""

    def __init__(self, size: int, used: int = 0):
        self.size, self.used = size, used

    def part(self, size: int, alignment: int = 1) -> Part:
        """The next part. Raises MemoryError where the memory is full."""
        start = -(-self.used // alignment) * alignment
        if start + size > self.size:
            raise MemoryError(f"{size} more than the {self.size - start} that are left")
        self.used = start + size
        return Part(start)
