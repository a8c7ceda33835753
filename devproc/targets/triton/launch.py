"""The kernels of a program on a device: loaded once, prepared once, replayed as graphs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from devproc.ir.cache_folder import warn_once
from devproc.targets.triton.kernel import as_signed, check_arguments

if TYPE_CHECKING:
    import torch

    from devproc.targets.triton.code import GPUCode
    from devproc.targets.triton.device import Device, Launch, Stream

ALIGNMENT = 16
"""Bytes that machine code takes for granted of every pointer: those of its widest loads."""

LEAST_LAUNCHES = 2
"""A graph of fewer launches takes as long as they do."""


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

    @contextmanager
    def session(self) -> Generator[None]:
        """A context around the work of one call: it follows that of the call before, which
        used the same memory, even on another stream.

        A graph of the caller cannot wait for work outside of it: who records one, waits.
        """
        with self.device.session():
            if not self.device.is_capturing():
                stream, before = self.device.stream(), self._stream
                if before is not None and before != stream:
                    self.device.follow(stream, before)
                self._stream = stream
            yield

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

    def sequence(
        self, launches: Sequence[tuple[str, Sequence[torch.Tensor]]]
    ) -> LaunchSequence:
        """Launches that follow one another, always on the same buffers."""
        prepared = [self.prepare(symbol, buffers) for symbol, buffers in launches]
        return LaunchSequence(self.device, prepared)


class LaunchSequence:
    """Launches on fixed buffers: one by one in the first call, then as one graph."""

    def __init__(self, device: Device, launches: Sequence[Launch]):
        self._device = device
        self._launches = launches
        self._replay: Callable[[], None] | None = None
        self._wants_graph = device.has_graphs and len(launches) >= LEAST_LAUNCHES
        self._has_run = False

    def __call__(self) -> None:
        """Queues all of them on the caller's stream."""
        device = self._device
        if self._wants_graph and self._has_run and not device.is_capturing():
            self._capture()
        if self._replay is not None and not device.is_capturing():
            self._replay()
            return
        stream = device.stream()
        for launch in self._launches:
            launch(stream)
        self._has_run = True

    def _capture(self) -> None:
        """Only once: launches that cannot be captured are launched one by one, and the user
        is told why."""
        self._wants_graph = False
        try:
            self._replay = self._device.capture(self._launches)
        except RuntimeError as error:
            warn_once(
                "no graph",
                f"{len(self._launches)} kernels are launched one by one instead of as one "
                f"graph, which costs some microseconds for each of them: {error}",
            )
