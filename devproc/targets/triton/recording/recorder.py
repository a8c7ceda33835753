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
from dataclasses import dataclass, field, replace
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
from devproc.targets.triton.recording.order import Access, Clock, Order
from devproc.targets.triton.recording.tensor import RecordedTensor

ELF = b"\x7fELF"

OWN_STREAMS = 100
"""The first stream that is made for a program."""

CAPTURED = -1
"""The stream of the caller during a capture."""

LARGEST_GRID = ((1 << 31) - 1, 65535, 65535)


class RecorderError(DevProcError):
    """A program asked for something that a card refuses, or does wrong."""


@dataclass(frozen=True)
class Record:
    """Something that was queued, or that the host did."""

    kind: str
    """"launch", "upload", "download", "copy" within the device, "graph", "capture",
    "record", "wait", "finish" of an event, "sync", or "host trip": a tensor that left the
    device by itself."""
    name: str = ""
    stream: Stream = 0


@dataclass
class _Work:
    run: Callable[[], object]
    after: tuple[Stream, int] | None = None
    """A stream, and how much of its work is done before this."""


@dataclass(eq=False)
class RecordedEvent:
    """A point in the work of a stream."""

    clock: Clock = field(default_factory=dict[int, int])
    """What is done when it is passed."""
    work: tuple[Stream, int] | None = None
    """A stream, and how much of its work is before."""


@dataclass
class _Capture:
    """What a graph consists of, on stream `CAPTURED` in the place of the caller's."""

    nodes: list[Callable[[Stream], None]] = field(
        default_factory=list[Callable[[Stream], None]]
    )
    """Each queues a work again, with the caller's stream in the place of `CAPTURED`."""
    order: Order = field(default_factory=Order)
    streams: set[Stream] = field(default_factory=lambda: {CAPTURED})
    """Those that take part."""
    events: dict[RecordedEvent, Clock] = field(
        default_factory=dict[RecordedEvent, Clock]
    )

    def unjoined(self) -> list[Stream]:
        """The streams with work that the caller's does not wait for in the end."""
        end = self.order.record(CAPTURED)
        works = self.order.works.items()
        return [stream for stream, done in works if end.get(stream, 0) < len(done)]


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
    _staging: list[StorageWeakRef] = field(default_factory=list[StorageWeakRef])
    _captured: _Capture | None = None
    _streams: int = OWN_STREAMS

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
            self._add(Record("launch", kernel.name, stream), access, run)

        return launch

    def staging(self, byte_count: int) -> torch.Tensor:
        """Memory of the host that counts as page-locked."""
        memory = torch.empty(byte_count, dtype=torch.uint8)
        self._staging.append(StorageWeakRef(memory.untyped_storage()))
        return memory

    def prepare_copy(self, source: torch.Tensor, destination: torch.Tensor) -> Launch:
        """Checks both ends, which it keeps alive."""
        ends = (source, destination)
        on_device = [isinstance(end, RecordedTensor) for end in ends]
        self._require(sum(on_device) == 1, "a copy is not to or from the device")
        kind = "download" if on_device[0] else "upload"
        of, to = (e.host if isinstance(e, RecordedTensor) else e for e in ends)
        host = of if kind == "upload" else to
        locked = any(
            ref.cdata == host.untyped_storage()._cdata for ref in self._staging
        )
        self._require(locked, f"an {kind} is not from or to page-locked memory")
        self._require(of.nbytes == to.nbytes, f"an {kind} changes the size")
        access = [Access.of(to, True), Access.of(of, False)]

        def copy(stream: Stream) -> None:
            self._add(
                Record(kind, stream=stream), access, lambda: to.copy_(of.view(to.shape))
            )

        return copy

    def stream(self) -> Stream:
        """That of the caller."""
        return self.current

    def is_capturing(self) -> bool:
        """The caller has no graphs of its own."""
        return False

    def make_stream(self) -> Stream:
        """A new number."""
        self._streams += 1
        return self._streams

    def make_event(self) -> RecordedEvent:
        """One that is passed."""
        return RecordedEvent()

    def record(self, event: RecordedEvent, stream: Stream) -> None:
        """Notes what is queued; in a capture, the stream has to take part in it."""
        if self._captured is not None:
            capture = self._captured
            self._require(
                stream in capture.streams, f"stream {stream} is not part of the capture"
            )
            capture.events[event] = capture.order.record(stream)
            capture.nodes.append(lambda now: self.record(event, _played(stream, now)))
            return
        self.log.append(Record("record", stream=stream))
        queued = self._done.get(stream, 0) + len(self._queues.get(stream, ()))
        event.work, event.clock = (stream, queued), self._order.record(stream)

    def wait(self, event: RecordedEvent, stream: Stream) -> None:
        """The stream waits for what was noted; in a capture, it takes part from then on."""
        if self._captured is not None:
            capture = self._captured
            self._require(
                event in capture.events,
                f"stream {stream} waits for an event from outside of the capture",
            )
            capture.order.wait(stream, capture.events[event])
            capture.streams.add(stream)
            capture.nodes.append(lambda now: self.wait(event, _played(stream, now)))
            return
        self.log.append(Record("wait", stream=stream))
        waiting = _Work(lambda: None, event.work)
        self._queues.setdefault(stream, []).append(waiting)
        self._order.wait(stream, event.clock)

    def finish(self, event: RecordedEvent) -> None:
        """Does what was noted."""
        self._require(self._captured is None, "the host waits during a capture")
        self.log.append(Record("finish"))
        if event.work is not None:
            self._run_until(*event.work)
        self._order.finish(event.clock)

    def synchronize(self, stream: Stream) -> None:
        """Does what waits in a stream."""
        self._require(self._captured is None, "the host waits during a capture")
        self.log.append(Record("sync", stream=stream))
        self._run_until(stream)
        self._order.synchronize(stream)

    def capture(self, queue: Callable[[Stream], None]) -> Callable[[], None]:
        """The works as one record; nothing else may happen meanwhile."""
        capture = self._captured = _Capture()
        try:
            queue(CAPTURED)
        finally:
            self._captured = None
        unjoined = capture.unjoined()
        self._require(not unjoined, f"the streams {unjoined} are not joined in the end")
        count = sum(map(len, capture.order.works.values()))
        self.log.append(Record("capture", f"{count} works"))

        def replay() -> None:
            self._require(self._inside > 0, "a graph is replayed elsewhere")
            self.log.append(Record("graph", f"{count} works", self.current))
            for node in capture.nodes:
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

    def _add(
        self, record: Record, access: Sequence[Access], run: Callable[[], object]
    ) -> None:
        """Adds work to a stream, or to a capture."""
        if self._captured is None:
            self.queue(record, access, run)
            return
        capture, stream = self._captured, record.stream
        self._require(
            stream in capture.streams,
            f"{record.kind} '{record.name}' is on stream {stream}, which is not part of "
            "the capture",
        )
        conflict = capture.order.conflict(stream, record.name, access)
        self._require(conflict is None, f"{record.kind} '{record.name}' and {conflict}")
        capture.nodes.append(
            lambda now: self.queue(
                replace(record, stream=_played(stream, now)), access, run
            )
        )

    def _run_until(self, stream: Stream, count: int | None = None) -> None:
        """Does the first works of a stream, by default all."""
        queue = self._queues.setdefault(stream, [])
        while queue and (count is None or self._done.get(stream, 0) < count):
            work = queue.pop(0)
            self._done[stream] = self._done.get(stream, 0) + 1
            if work.after is not None:
                self._run_until(*work.after)
            work.run()

    def finish_all(self) -> None:
        """Does everything that waits."""
        for stream in list(self._queues):
            self._run_until(stream)
            self._order.synchronize(stream)

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


def _played(stream: Stream, now: Stream) -> Stream:
    """The stream of a captured work in a replay on the stream `now`."""
    return now if stream == CAPTURED else stream


def _view(ref: StorageWeakRef, *place: Any) -> torch.Tensor | None:
    if ref.expired():
        return None
    offset, dtype, shape, stride = place
    storage = torch.UntypedStorage._new_with_weak_ptr(ref.cdata)
    return torch.empty(0, dtype=dtype).set_(storage, offset, shape, stride)
