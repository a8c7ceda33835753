"""Runs a binary: its results, its cycles, and a fault where it is no program.

Written from the instruction set alone; the compiler is not imported. In each step the head
of a queue that can start first runs. Results do not depend on that order: what would is a
fault (`hazards.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from devproc_npu.arithmetic import narrow, rescale, widen
from devproc_npu.hazards import Fault, Memory, Order
from devproc_npu.isa import (
    ZEROS,
    Accumulate,
    Add,
    Compute,
    Config,
    Fence,
    Instruction,
    Load,
    Maximum,
    Preload,
    Queue,
    Requantize,
    Store,
    Type,
    decode,
)
from devproc_npu.machine import COLUMNS, ROWS, Machine

Bytes = NDArray[np.uint8]


@dataclass
class Counters:
    """What a run took; times are cycles."""

    cycles: int = 0
    busy: dict[str, int] = field(default_factory=dict[str, int])
    """Of the array, the vector unit and the DMA engine."""
    loaded: int = 0
    """Bytes from the external memory, as asked for."""
    stored: int = 0
    """Bytes to it."""
    moved: dict[str, int] = field(default_factory=dict[str, int])
    """Bytes read from and written to each memory."""
    multiplications: int = 0
    """Of elements that exist, not of the padding in the array."""

    @property
    def utilization(self) -> float:
        """Share of the multiply-accumulate units' cycles that did work."""
        return self.multiplications / max(1, self.cycles * ROWS * COLUMNS)


def simulate(
    binary: bytes, buffers: Sequence[Bytes], machine: Machine | None = None
) -> Counters:
    """Run a binary on buffers of the external memory, which stores change.

    Raises Fault for a hazard, a read of what nothing wrote, an access outside of a memory,
    a deadlock; ValueError for what is no binary.
    """
    return Simulator(decode(binary), buffers, machine or Machine()).run()


def places(move: Load | Store, start: int, block: int, row: int) -> NDArray[np.int64]:
    """The addresses of the bytes of a move, by blocks and rows with these steps."""
    blocks = np.arange(move.blocks)[:, None, None] * block
    rows = np.arange(move.rows)[:, None] * row
    return start + blocks + rows + np.arange(move.size)


def rows_of(address: int, rows: int, row: int, size: int) -> NDArray[np.int64]:
    """The addresses of `rows` rows of `size` bytes."""
    return address + np.arange(rows)[:, None] * row + np.arange(size)


class Simulator:
    """The state of the machine during a program."""

    def __init__(
        self, program: Sequence[Instruction], buffers: Sequence[Bytes], machine: Machine
    ):
        if not program or not isinstance(program[0], Config):
            raise Fault("a program begins with a config instruction")
        self.machine, self.buffers = machine, buffers
        self.type = Type(program[0].type)
        self.queues: dict[Queue, deque[tuple[int, Instruction]]] = {
            queue: deque() for queue in Queue
        }
        for number, instruction in enumerate(program[1:], 1):
            self.queues[Queue(cast(Any, instruction).queue)].append(
                (number, instruction)
            )
        self.order = Order()
        self.scratchpad = np.zeros(machine.scratchpad, np.uint8)
        dtype = np.int32 if self.type is Type.INT8 else np.float32
        self.sums = np.zeros((machine.accumulator_rows, COLUMNS), dtype)
        self.cells = Memory("scratchpad", machine.scratchpad, self.order)
        self.rows = Memory("accumulator", machine.accumulator_rows, self.order)
        self.stored = {
            n: Memory(f"buffer {n}", buffers[n].size, self.order, initialized=True)
            for n in {op.buffer for op in program if isinstance(op, Store)}
            if 0 <= n < len(buffers)
        }
        """Buffers that the program changes, where the order of accesses matters."""
        self.weights = np.zeros((ROWS, COLUMNS), dtype)
        self.depth = self.columns = 0
        self.ready = dict.fromkeys(Queue, 0)
        """When the next instruction of a queue may start."""
        self.ends: dict[Queue, list[int]] = {queue: [] for queue in Queue}
        self.engine = self.loader = self.loaded = self.array = self.vector = 0
        """When the DMA engine and the loader of weights are free, the last weights loaded,
        the first row of the array and the vector unit free."""
        self.counters = Counters(busy={"array": 0, "vector": 0, "dma": 0})
        self.run_one: dict[type[Instruction], Callable[[Any], tuple[int, int]]] = {
            Load: self._load,
            Store: self._store,
            Preload: self._preload,
            Compute: self._compute,
            Requantize: self._requantize,
            Add: self._add,
            Maximum: self._maximum,
            Accumulate: self._accumulate,
        }

    def run(self) -> Counters:
        """Run to the end."""
        while any(self.queues.values()):
            self._step()
        self.counters.cycles = max((e[-1] for e in self.ends.values() if e), default=0)
        counters, row = self.counters, 4 * COLUMNS
        counters.moved = {
            "external": counters.loaded + counters.stored,
            "scratchpad": self.cells.accesses,
            "accumulator": self.rows.accesses * row,
        }
        return counters

    def _step(self) -> None:
        """One instruction: of those that can run, the one that starts first."""
        waiting = [q for q in Queue if self.queues[q] and self._can_run(q)]
        if not waiting:
            heads = [q[0][1] for q in self.queues.values() if q]
            raise Fault(f"every queue waits for another: {heads}")
        queue = min(waiting, key=lambda q: self._start(q))
        number, instruction = self.queues[queue].popleft()
        if isinstance(instruction, Fence):
            other, count = Queue(instruction.other), instruction.count
            self.order.wait(queue, other, count)
            if count:
                self.ready[queue] = max(self.ready[queue], self.ends[other][count - 1])
            return
        try:
            ready, end = self.run_one[type(instruction)](instruction)
        except Fault as fault:
            raise Fault(f"instruction {number}, {instruction}: {fault}") from None
        self.ready[queue] = ready
        ends = self.ends[queue]
        ends.append(max(end, ends[-1]) if ends else end)
        self.order.complete(queue)

    def _can_run(self, queue: Queue) -> bool:
        head = self.queues[queue][0][1]
        return not isinstance(head, Fence) or head.count <= len(
            self.ends[Queue(head.other)]
        )

    def _start(self, queue: Queue) -> int:
        moves = queue in (Queue.LOAD, Queue.STORE)
        return max(self.ready[queue], self.engine if moves else 0)

    # Moves. A queue goes on as soon as the engine has taken a move's last beat; a move is
    # complete after the latency.

    def _move(
        self, queue: Queue, move: Load | Store, steps: tuple[int, int]
    ) -> tuple[int, int]:
        machine, start = self.machine, self._start(queue)
        runs, run = move.blocks, move.size
        if steps[1] == move.size:
            run *= move.rows
        else:
            runs *= move.rows
        bus = machine.moved(runs, run)
        took = -(-bus // (machine.bandwidth * self.type.size))
        took = machine.issue + max(took, -(-move.blocks * move.rows // machine.rows))
        self.engine = start + took
        self.counters.busy["dma"] += took
        return self.engine, self.engine + machine.latency

    def _external(
        self, move: Load | Store, steps: tuple[int, int]
    ) -> tuple[Bytes, Any]:
        """The buffer of a move and the bytes in it."""
        if not 0 <= move.buffer < len(self.buffers):
            raise Fault(f"there is no buffer {move.buffer}")
        buffer, where = self.buffers[move.buffer], places(move, move.offset, *steps)
        if where.size and not (0 <= where.min() and where.max() < buffer.size):
            raise Fault(
                f"buffer {move.buffer} has {buffer.size} bytes, not {where.max()}"
            )
        if move.buffer in self.stored:
            cells = self.stored[move.buffer]
            (cells.reads if isinstance(move, Load) else cells.writes)(
                Queue(move.queue), where
            )
        return buffer, where

    def _load(self, op: Load) -> tuple[int, int]:
        to = places(op, op.address, op.block, op.row)
        self.cells.writes(Queue.LOAD, to)
        if op.buffer == ZEROS:
            self.scratchpad[to] = 0
        else:
            buffer, where = self._external(op, (op.source_block, op.source_row))
            self.scratchpad[to] = buffer[where]
            self.counters.loaded += where.size
        return self._move(Queue.LOAD, op, (op.source_block, op.source_row))

    def _store(self, op: Store) -> tuple[int, int]:
        source = places(op, op.address, op.source_block, op.source_row)
        self.cells.reads(Queue.STORE, source)
        buffer, where = self._external(op, (op.block, op.row))
        buffer[where] = self.scratchpad[source]
        self.counters.stored += where.size
        return self._move(Queue.STORE, op, (op.block, op.row))

    # The array.

    def _preload(self, op: Preload) -> tuple[int, int]:
        if not (1 <= op.rows <= ROWS and 1 <= op.columns <= COLUMNS):
            raise Fault(f"the array is {ROWS} x {COLUMNS}")
        shape = (op.columns, op.rows) if op.transposed else (op.rows, op.columns)
        values = self._elements(Queue.ARRAY, op.address, shape[0], op.row, shape[1])
        self.weights = np.zeros((ROWS, COLUMNS), self.sums.dtype)
        self.weights[: op.rows, : op.columns] = values.T if op.transposed else values
        self.depth, self.columns = op.rows, op.columns
        issued = self.ready[Queue.ARRAY]
        # With a shadow the loader is free as soon as its last weights are in use, without
        # one when the last results have left the array.
        self.loaded = max(issued, self.loader) + ROWS
        return issued, self.loaded

    def _compute(self, op: Compute) -> tuple[int, int]:
        if op.depth != self.depth:
            raise Fault(f"the weights have {self.depth} rows, not {op.depth}")
        left = self._elements(Queue.ARRAY, op.address, op.rows, op.row, op.depth)
        to = np.arange(op.to, op.to + op.rows)
        if op.add:
            self.rows.reads(Queue.ARRAY, to)
        self.rows.writes(Queue.ARRAY, to)
        old = self.sums[to] if op.add else np.zeros((op.rows, COLUMNS), self.sums.dtype)
        self.sums[to] = self._products(left, old)
        self.counters.multiplications += op.rows * op.depth * self.columns
        self.counters.busy["array"] += op.rows
        issued = self.ready[Queue.ARRAY]
        start = max(issued, self.array, self.loaded)
        self.array = start + op.rows
        end = self.array + self.machine.drain
        self.loader = start if self.machine.shadow else end
        return issued, end

    def _products(self, left: NDArray[Any], sums: NDArray[Any]) -> NDArray[Any]:
        if self.type is Type.INT8:
            # Exact: at most 16 products of 2**14.
            products = left.astype(np.float32) @ self.weights[: self.depth].astype(
                np.float32
            )
            return sums + products.astype(np.int32)
        with np.errstate(invalid="ignore", over="ignore"):
            for k in range(self.depth):
                sums = sums + left[:, k : k + 1] * self.weights[k]
        return sums

    # The vector unit.

    def _requantize(self, op: Requantize) -> tuple[int, int]:
        source = np.arange(op.source, op.source + op.rows)
        self.rows.reads(Queue.VECTOR, source)
        sums = self.sums[source, : op.columns]
        parameters = self._bytes(
            Queue.VECTOR, rows_of(op.channels, 1, 0, self.type.channel_bytes)
        )
        if self.type is Type.INT8:
            bias, multiplier = parameters[: 8 * COLUMNS].view(np.int32).reshape(2, -1)
            shift = parameters[8 * COLUMNS :].view(np.int8)
            values = (sums.astype(np.int64) + bias[: op.columns]).astype(np.int32)
            if op.wide:
                return self._write(op, values)
            scales = (a[: op.columns].astype(np.int64) for a in (multiplier, shift))
            return self._write(
                op, self._clamped(rescale(values.astype(np.int64), *scales), op)
            )
        bias, factor = parameters.view(np.float32).reshape(2, -1)[:, : op.columns]
        with np.errstate(invalid="ignore", over="ignore"):
            return self._write(op, self._clamped((sums + bias) * factor, op))

    def _add(self, op: Add) -> tuple[int, int]:
        left, right = self._pair(op)
        if self.type is Type.INT8:
            scales = self._bytes(Queue.VECTOR, rows_of(op.scales, 1, 0, 24))
            a, b, total = scales.view(np.int32).astype(np.int64).reshape(3, 2)
            wide = [
                np.clip(rescale(v.astype(np.int64), *s), -(2**31), 2**31 - 1)
                for v, s in ((left, a), (right, b))
            ]
            both = (wide[0] + wide[1]).astype(np.int32).astype(np.int64)
            return self._write(op, self._clamped(rescale(both, *total), op))
        with np.errstate(invalid="ignore", over="ignore"):
            return self._write(op, self._clamped(left + right, op))

    def _maximum(self, op: Maximum) -> tuple[int, int]:
        return self._write(op, np.maximum(*self._pair(op)))

    def _accumulate(self, op: Accumulate) -> tuple[int, int]:
        values = self._elements(Queue.VECTOR, op.address, op.rows, op.row, op.columns)
        to = np.array([op.to])
        if op.add:
            self.rows.reads(Queue.VECTOR, to)
        self.rows.writes(Queue.VECTOR, to)
        row = self.sums[op.to].copy() if op.add else np.zeros(COLUMNS, self.sums.dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            for value in values:
                row[: op.columns] += value
        self.sums[op.to] = row
        return self._vector(op.rows * op.columns)

    def _pair(self, op: Add | Maximum) -> tuple[NDArray[Any], NDArray[Any]]:
        """The two blocks that an instruction reads."""
        left = self._elements(Queue.VECTOR, op.left, op.rows, op.left_row, op.columns)
        right = self._elements(
            Queue.VECTOR, op.right, op.rows, op.right_row, op.columns
        )
        return left, right

    def _clamped(self, values: NDArray[Any], op: Requantize | Add) -> NDArray[Any]:
        """Clamped to the range of an instruction; NaN stays NaN."""
        bounds = np.array([op.low, op.high], np.int32)
        return np.clip(
            values, *(bounds if self.type is Type.INT8 else bounds.view(np.float32))
        )

    def _vector(self, elements: int) -> tuple[int, int]:
        """The times of an instruction on so many elements."""
        took = -(-elements // self.machine.lanes)
        self.vector = max(self.ready[Queue.VECTOR], self.vector) + took
        self.counters.busy["vector"] += took
        return self.ready[Queue.VECTOR], self.vector

    def _write(
        self, op: Requantize | Add | Maximum, values: NDArray[Any]
    ) -> tuple[int, int]:
        """Elements to the scratchpad."""
        small = values.astype(np.int8) if self.type is Type.INT8 else narrow(values)
        if isinstance(op, Requantize) and op.wide:
            small = values
        size = op.columns * small.itemsize
        where = rows_of(op.address, op.rows, op.row, size)
        self.cells.writes(Queue.VECTOR, where)
        self.scratchpad[where] = np.ascontiguousarray(small).view(np.uint8)
        return self._vector(values.size)

    # Reads of the scratchpad.

    def _bytes(self, queue: Queue, where: NDArray[np.int64]) -> Bytes:
        self.cells.reads(queue, where)
        return np.ascontiguousarray(self.scratchpad[where]).reshape(-1)

    def _elements(
        self, queue: Queue, address: int, rows: int, row: int, columns: int
    ) -> NDArray[Any]:
        """A block of elements, widened to the type of the sums."""
        where = rows_of(address, rows, row, columns * self.type.size)
        data = self._bytes(queue, where)
        is_int = self.type is Type.INT8
        values = data.view(np.int8) if is_int else widen(data.view(np.uint16))
        return values.reshape(rows, columns).astype(self.sums.dtype)
