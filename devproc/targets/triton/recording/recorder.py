# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportPrivateUsage=false
"""A device that is none: it checks everything a program asks of a card, and can compute.

Work waits in its stream until something waits for it, as on a card, so that a value which
is read too early is wrong. Its memory is memory of the host behind tensors that say they are
on a GPU. For tests, and for dry runs of measurements.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from devproc.errors import DevProcError
from devproc.targets.triton.code import Compiled
from devproc.targets.triton.device import Launch, Stream
from devproc.targets.triton.interpret import launch as interpret
from devproc.targets.triton.kernel import (
    SIGNATURES,
    TritonKernel,
    written_arguments,
)
from devproc.targets.triton.recording.order import Access, Order
from devproc.targets.triton.recording.tensor import RecordedTensor

ELF = b"\x7fELF"

LARGEST_GRID = ((1 << 31) - 1, 65535, 65535)


class RecorderError(DevProcError):
    """A program asked for something that a card refuses, or does wrong."""


@dataclass(frozen=True)
class Record:
    """Something that was queued, or that the host did."""

    kind: str
    """"launch", "upload", "download", "copy" within the device, "graph", "capture",
    "follow", "sync", or "host trip": a tensor that left the device by itself."""
    name: str = ""
    stream: Stream = 0


@dataclass
class _Work:
    run: Callable[[], object]
    after: tuple[Stream, int] | None = None
    """A stream, and how much of its work is done before this."""


@dataclass(frozen=True)
class _Function:
    kernel: TritonKernel
    writes: frozenset[int]


@dataclass
class Recorder:
    """See `devproc.targets.triton.device.Device`.

    `arch`: empty, or a card's, for which kernels come compiled. Without `computes`, kernels
    leave their outputs as they are.
    """

    arch: str = ""
    computes: bool = True
    has_graphs: bool = True
    log: list[Record] = field(default_factory=list[Record])
    current: Stream = 0
    """The stream of the caller, to be changed at will."""
    _done: dict[Stream, int] = field(default_factory=dict[Stream, int])
    _queues: dict[Stream, list[_Work]] = field(
        default_factory=dict[Stream, list[_Work]]
    )
    _order: Order = field(default_factory=Order)
    _inside: int = 0
    _captured: list[Launch] | None = None

    def count(self, kind: str) -> int:
        """How often something was recorded."""
        return sum(record.kind == kind for record in self.log)

    def tensor(self, value: torch.Tensor) -> RecordedTensor:
        """A copy of a tensor in the memory of the device."""
        return RecordedTensor(value.clone(), self)

    # As a device.

    @contextmanager
    def session(self) -> Generator[None]:
        """In which the device is the current one."""
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    def allocate(self, byte_count: int) -> torch.Tensor:
        """Memory with a marker in it: NaN as floats."""
        self._require(self._captured is None, "memory is allocated during a capture")
        memory = torch.full((byte_count,), 0xFF, dtype=torch.uint8)
        return RecordedTensor(memory, self)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor lies in memory of this device."""
        return isinstance(tensor, RecordedTensor)

    def load(self, kernel: TritonKernel, compiled: Compiled | None) -> _Function:
        """The kernel; for a card, its machine code is looked at."""
        if self.arch:
            self._require(compiled is not None, f"'{kernel.name}' is not compiled")
            assert compiled is not None
            binary, cubin = compiled
            self._require(
                cubin.startswith(ELF) and binary.symbol.encode() in cubin,
                f"the cubin of '{kernel.name}' has no entry '{binary.symbol}'",
            )
        return _Function(kernel, written_arguments(kernel))

    def prepare(self, function: _Function, arguments: Sequence[torch.Tensor]) -> Launch:
        """Checks arguments and grid; the memory is not kept alive."""
        kernel = function.kernel
        given = [self._argument(kernel, i, a) for i, a in enumerate(arguments)]
        fits = all(0 <= n <= most for n, most in zip(kernel.grid, LARGEST_GRID))
        self._require(fits, f"'{kernel.name}' has the grid {kernel.grid}")
        count = len(kernel.arg_types)
        self._require(
            len(given) == count, f"'{kernel.name}' takes {count}, not {len(given)}"
        )
        access = [
            Access.of(tensor, i in function.writes) for i, tensor in enumerate(given)
        ]
        # A view of its own keeps no memory alive.
        memory = [StorageWeakRef(tensor.untyped_storage()) for tensor in given]
        places = [(t.storage_offset(), t.dtype, t.shape, t.stride()) for t in given]
        del given, arguments

        def run() -> None:
            tensors = [_view(ref, *place) for ref, place in zip(memory, places)]
            if None in tensors:
                raise RecorderError(f"'{kernel.name}' uses memory that was freed")
            if self.computes:
                interpret(kernel, *tensors)

        def launch(stream: Stream) -> None:
            self._require(self._inside > 0, f"'{kernel.name}' is launched elsewhere")
            if self._captured is not None:
                self._captured.append(launch)
                return
            self.queue(Record("launch", kernel.name, stream), access, run)

        return launch

    def stream(self) -> Stream:
        """That of the caller."""
        return self.current

    def is_capturing(self) -> bool:
        """The caller has no graphs of its own."""
        return False

    def follow(self, stream: Stream, other: Stream) -> None:
        """An event of one stream, awaited by the other."""
        self._require(self._captured is None, "streams are joined during a capture")
        self.log.append(Record("follow", stream=stream))
        queued = self._done.get(other, 0) + len(self._queues.get(other, ()))
        waiting = _Work(lambda: None, (other, queued))
        self._queues.setdefault(stream, []).append(waiting)
        self._order.follow(stream, other)

    def synchronize(self, stream: Stream) -> None:
        """Does what waits in a stream."""
        self._require(self._captured is None, "the host waits during a capture")
        self.log.append(Record("sync", stream=stream))
        self.finish(stream)

    def capture(self, launches: Sequence[Launch]) -> Callable[[], None]:
        """The launches as one record; nothing else may happen meanwhile."""
        self._captured = []
        try:
            for launch in launches:
                launch(-1)
            nodes = self._captured
        finally:
            self._captured = None
        self.log.append(Record("capture", f"{len(nodes)} launches"))

        def replay() -> None:
            self.log.append(Record("graph", f"{len(nodes)} launches", self.current))
            for node in nodes:
                node(self.current)

        return replay

    # What tensors and records need.

    def queue(
        self, record: Record, access: Sequence[Access], run: Callable[[], object]
    ) -> None:
        """Adds work to a stream; raises RecorderError if that of another may interfere."""
        self._require(self._captured is None, f"a {record.kind} is part of a capture")
        conflict = self._order.conflict(record.stream, record.name, access)
        self._require(conflict is None, f"{record.kind} '{record.name}' and {conflict}")
        self.log.append(record)
        self._queues.setdefault(record.stream, []).append(_Work(run))

    def queue_copy(
        self, kind: str, access: Sequence[Access], run: Callable[[], object]
    ) -> None:
        """Adds a copy of a tensor to the caller's stream."""
        self.queue(Record(kind, stream=self.current), access, run)

    def trip(self, name: str) -> None:
        """Records that an operation of PyTorch moved a tensor to the host."""
        self.log.append(Record("host trip", name))

    def finish(self, stream: Stream, count: int | None = None) -> None:
        """Does the first works of a stream, by default all."""
        queue = self._queues.setdefault(stream, [])
        while queue and (count is None or self._done.get(stream, 0) < count):
            work = queue.pop(0)
            self._done[stream] = self._done.get(stream, 0) + 1
            if work.after is not None:
                self.finish(*work.after)
            work.run()
        if count is None:
            self._order.synchronize(stream)

    def finish_all(self) -> None:
        """Does everything that waits."""
        for stream in list(self._queues):
            self.finish(stream)

    def _argument(
        self, kernel: TritonKernel, index: int, tensor: torch.Tensor
    ) -> torch.Tensor:
        where = f"argument {index} of '{kernel.name}'"
        if not isinstance(tensor, RecordedTensor):
            raise RecorderError(f"{where} is not in the memory of the device")
        wanted = kernel.arg_types[index] if index < len(kernel.arg_types) else "none"
        given = f"*{SIGNATURES.get(str(tensor.dtype).removeprefix('torch.'))}"
        self._require(given == wanted, f"{where} is {given}, not {wanted}")
        self._require(tensor.host.is_contiguous(), f"{where} has gaps")
        return tensor.host

    def _require(self, holds: bool, message: str) -> None:
        if not holds:
            raise RecorderError(message)


def _view(ref: StorageWeakRef, *place: Any) -> torch.Tensor | None:
    if ref.expired():
        return None
    offset, dtype, shape, stride = place
    storage = torch.UntypedStorage._new_with_weak_ptr(ref.cdata)
    return torch.empty(0, dtype=dtype).set_(storage, offset, shape, stride)
