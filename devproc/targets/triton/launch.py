"""The kernels of a program on a device: loaded once, prepared once, replayed as graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from devproc.ir.cache_folder import warn_once
from devproc.targets.triton.kernel import as_signed, check_arguments

if TYPE_CHECKING:
    import torch

    from devproc.backend import Queued
    from devproc.targets.triton.code import GPUCode
    from devproc.targets.triton.device import Device, Event, Launch, Stream

ALIGNMENT = 16
"""Bytes that machine code takes for granted of every pointer: those of its widest loads."""

LEAST_WORKS = 2
"""A graph of fewer launches and copies takes as long as they do."""


class LoadedKernels:
    """The kernels of one program; those without machine code for the card are compiled."""

    def __init__(self, device: Device, code: GPUCode):
        self.device = device
        self.kernels = code.kernels
        self._code = code
        with device.session():
            self._functions = self._load(list(code.kernels))
        self._unaligned: dict[str, Any] = {}
        self._stream: Stream | None = None
        self._others: list[Stream] = []
        self._last: Event = None

    def _load(self, names: Sequence[str], aligned: bool = True) -> dict[str, Any]:
        """By name; in a pool of threads, what is not compiled for this card."""
        device, code = self.device, self._code
        if not device.arch:
            return {name: device.load(code.kernels[name], None) for name in names}
        from devproc.targets.triton.binaries import binaries_of

        found = code.for_card(device.arch, aligned)
        missing = [name for name in names if name not in found]
        made = binaries_of(code, missing, device.arch, aligned)
        found |= {compiled[0].kernel: compiled for compiled in made}
        kernels = {
            binary.arch: code.kernels_for(binary.arch) for binary, _ in found.values()
        }
        return {n: device.load(kernels[found[n][0].arch][n], found[n]) for n in names}

    def session(self) -> Session:
        """A context around the work of one call; see `follow_last_call`."""
        return Session(self)

    def follow_last_call(self) -> None:
        """Makes the stream of the caller follow the call before, which used the same memory,
        even on another stream.

        A graph of the caller cannot wait for work outside of it: who records one, waits.
        """
        device = self.device
        if device.is_capturing():
            return
        stream, before = device.stream(), self._stream
        if before is not None and before != stream:
            self._last = self._last or device.make_event()
            device.record(self._last, before)
            device.wait(self._last, stream)
        self._stream = stream

    def streams(self, count: int) -> Sequence[Stream]:
        """The program's own streams, as many or more."""
        while len(self._others) < count:
            self._others.append(self.device.make_stream())
        return self._others

    def allocate(self, byte_count: int) -> torch.Tensor:
        """Memory of the program."""
        return self.device.allocate(byte_count)

    def finish(self) -> None:
        """Waits for the last call, whose memory the caller is about to release."""
        if self._stream is not None:
            self.device.synchronize(self._stream)

    def prepare(self, symbol: str, buffers: Sequence[torch.Tensor]) -> Launch:
        """A launch with its arguments; raises CompileError if they do not fit the kernel."""
        kernel = self.kernels[symbol]
        check_arguments(kernel, buffers)
        arguments = [as_signed(buffer) for buffer in buffers]
        function = self._functions[symbol]
        if self.device.arch and any(a.data_ptr() % ALIGNMENT for a in arguments):
            if symbol not in self._unaligned:
                self._unaligned |= self._load([symbol], aligned=False)
            function = self._unaligned[symbol]
        return self.device.prepare(function, arguments)

    def sequence(self, works: Sequence[Queued]) -> LaunchSequence:
        """Works that follow one another, always on the same buffers."""
        return LaunchSequence(self, works)


class Session:
    """The context of a call: the device is the current one."""

    def __init__(self, kernels: LoadedKernels):
        self._kernels = kernels
        self._device = kernels.device.session()

    def __enter__(self) -> None:
        self._device.__enter__()
        self._kernels.follow_last_call()

    def __exit__(self, *error: Any) -> None:
        self._device.__exit__(*error)


class StreamMarker:
    """See `devproc.backend.Marker`: an event on the stream of the caller."""

    def __init__(self, device: Device):
        self._device = device
        self._event = device.make_event()

    def set(self) -> None:
        """Records the event."""
        self._device.record(self._event, self._device.stream())

    def wait(self) -> None:
        """Waits for the event."""
        self._device.finish(self._event)


class LaunchSequence:
    """Works on fixed buffers: one by one in the first call, then as one graph.

    Stream 0 is that of the caller, the others are the program's.
    """

    def __init__(self, kernels: LoadedKernels, works: Sequence[Queued]):
        self._device = kernels.device
        self._events: dict[int, Event] = {}
        self._works = [(self._prepare(kernels, work), work.stream) for work in works]
        self._others = kernels.streams(max(work.stream for work in works))
        self._count = sum(work.kind in ("launch", "copy") for work in works)
        self._replay: Callable[[], None] | None = None
        self._wants_graph = self._device.has_graphs and self._count >= LEAST_WORKS
        self._has_run = False

    def _prepare(self, kernels: LoadedKernels, work: Queued) -> Launch:
        """A work as a function of its stream."""
        device = self._device
        if work.kind == "launch":
            return kernels.prepare(work.symbol, work.buffers)
        if work.kind == "copy":
            source, destination = work.buffers
            return device.prepare_copy(source, destination)
        if work.event not in self._events:
            self._events[work.event] = device.make_event()
        act = device.record if work.kind == "record" else device.wait
        return partial(act, self._events[work.event])

    def __call__(self) -> None:
        """Queues all of them, beginning on the caller's stream."""
        device = self._device
        if self._wants_graph and self._has_run and not device.is_capturing():
            self._capture()
        if self._replay is not None and not device.is_capturing():
            self._replay()
            return
        self._queue(device.stream())
        self._has_run = True

    def _queue(self, stream: Stream) -> None:
        streams = (stream, *self._others)
        for work, number in self._works:
            work(streams[number])

    def _capture(self) -> None:
        """Only once: works that cannot be captured are queued one by one, and the user
        is told why."""
        self._wants_graph = False
        try:
            self._replay = self._device.capture(self._queue)
        except RuntimeError as error:
            warn_once(
                "no graph",
                f"{self._count} kernels and copies are queued one by one instead of as one "
                f"graph, which costs some microseconds for each of them: {error}",
            )
