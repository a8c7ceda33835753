"""Whether each access comes after those that it depends on, by fences and queues alone.

Time plays no part: an access is ordered after another if a chain of queues and fences says
so, however fast either is. Each queue has a clock that counts, for every queue, the
instructions known to be complete (vector clocks).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from devproc_npu.isa import Queue


class Fault(Exception):
    """A program that the machine cannot run as written: instruction, place, reason."""


class Order:
    """For each queue, how many instructions of every queue are complete before its next."""

    def __init__(self) -> None:
        self.clocks = np.zeros((len(Queue), len(Queue)), np.int64)
        self.completed: list[list[NDArray[np.int64]]] = [[] for _ in Queue]

    def complete(self, queue: Queue) -> None:
        """One more instruction of a queue is complete."""
        self.clocks[queue, queue] += 1
        self.completed[queue].append(self.clocks[queue].copy())

    def wait(self, queue: Queue, other: Queue, count: int) -> None:
        """`queue` goes on after `count` instructions of `other`."""
        if count:
            known = self.completed[other][count - 1]
            np.maximum(self.clocks[queue], known, out=self.clocks[queue])


class Memory:
    """Cells, and for each the last write and the last reads: (queue, its instruction).

    A program begins with no cell written, unless the memory is `initialized`.
    """

    def __init__(self, name: str, cells: int, order: Order, initialized: bool = False):
        self.name, self.cells, self.order = name, cells, order
        self.initialized = initialized
        self.accesses = 0
        """How many cells were read or written."""
        self.writer = np.full(cells, -1, np.int8)
        self.written = np.zeros(cells, np.int64)
        self.read = np.zeros((len(Queue), cells), np.int64)

    def check(self, where: NDArray[np.int64]) -> None:
        """Raise Fault for a cell outside."""
        self.accesses += where.size
        if where.size and not (0 <= where.min() and where.max() < self.cells):
            raise Fault(f"{self.name} has {self.cells} cells, not {where.max()}")

    def reads(self, queue: Queue, where: NDArray[np.int64]) -> None:
        """Raise Fault unless these cells are written, and known to be."""
        self.check(where)
        if not self.initialized and (self.writer[where] < 0).any():
            cell = where[self.writer[where] < 0].flat[0]
            raise Fault(
                f"reads cell {cell} of the {self.name}, which nothing has written"
            )
        self._after(queue, where, self.writer[where], self.written[where], "written")
        self.read[queue][where] = self.order.clocks[queue, queue] + 1

    def writes(self, queue: Queue, where: NDArray[np.int64]) -> None:
        """Raise Fault unless what was written and read here before is complete."""
        self.check(where)
        is_written = self.writer[where] >= 0
        old = where[is_written]
        self._after(queue, old, self.writer[old], self.written[old], "written")
        for reader in Queue:
            self._after(
                queue,
                where,
                np.full(where.shape, reader),
                self.read[reader][where],
                "read",
            )
        self.writer[where] = queue
        self.written[where] = self.order.clocks[queue, queue] + 1
        self.read[:, where] = 0

    def _after(
        self,
        queue: Queue,
        where: NDArray[np.int64],
        other: NDArray[np.int8] | NDArray[np.int64],
        number: NDArray[np.int64],
        what: str,
    ) -> None:
        late = (other != queue) & (number > self.order.clocks[queue][other])
        if late.any():
            cell, by = where[late].flat[0], Queue(int(other[late].flat[0]))
            raise Fault(
                f"cell {cell} of the {self.name} may still be {what} by the"
                f" {by.name.lower()} queue (its instruction {number[late].flat[0] - 1});"
                f" a fence is missing"
            )
