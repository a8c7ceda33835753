# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
"""A GPU: memory, streams and graphs of PyTorch, machine code through the driver."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

import torch

from devproc.errors import CompileError
from devproc.targets.triton.code import Binary, Compiled
from devproc.targets.triton.device import Event, Launch, Stream
from devproc.targets.triton.driver import Driver
from devproc.targets.triton.kernel import TritonKernel

WARP = 32
"""Threads of a warp."""


@cache
def card(index: int) -> Card:
    """The GPU with a number of PyTorch's."""
    return Card(index, Driver())


class Card:
    """See `devproc.targets.triton.device.Device`.

    Machine code stays loaded as long as the process lives, since launches of a program that
    is gone may still be queued.
    """

    has_graphs = True

    def __init__(self, index: int, driver: Driver):
        self.index = index
        self._driver = driver
        self._device = torch.device("cuda", index)
        self._functions: dict[str, Any] = {}
        major, minor = torch.cuda.get_device_capability(index)
        self.arch = f"sm_{major}{minor}"

    def session(self) -> AbstractContextManager[Any]:
        """Makes the GPU the current one of the thread, for PyTorch and for the driver."""
        if torch.cuda.current_device() == self.index:
            self._driver.enter(self.index)
            return nullcontext()
        return self._from_another()

    @contextmanager
    def _from_another(self) -> Generator[None]:
        with torch.cuda.device(self.index):
            self._driver.enter(self.index)
            yield

    def allocate(self, byte_count: int) -> torch.Tensor:
        """Memory of PyTorch's caching allocator."""
        return torch.empty(byte_count, dtype=torch.uint8, device=self._device)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether it lies on a GPU; PyTorch copies from another one by itself."""
        return tensor.is_cuda

    def load(
        self, kernel: TritonKernel, compiled: Compiled | None
    ) -> tuple[TritonKernel, Binary, Any]:
        """The entry point of the cubin, loaded once for all programs."""
        assert compiled is not None
        binary, cubin = compiled
        key = f"{binary.symbol} {binary.sha256}"
        if key not in self._functions:
            self._functions[key] = self._driver.function(
                cubin, binary.symbol, binary.shared_bytes
            )
        return kernel, binary, self._functions[key]

    def prepare(
        self,
        function: tuple[TritonKernel, Binary, Any],
        arguments: Sequence[torch.Tensor],
    ) -> Launch:
        """Packs the addresses, and those of scratch memory: of the kernel, of a profiler."""
        kernel, binary, entry = function
        x, y, z = kernel.grid
        scratch = self.allocate(binary.scratch_bytes * x * y * z)
        pointers = [*(a.data_ptr() for a in arguments), scratch.data_ptr(), 0]
        threads = WARP * binary.num_warps
        launch = self._driver.prepare(
            *(entry, kernel.grid, threads, binary.shared_bytes, pointers),
            is_dependent=binary.is_dependent,
        )
        launch.memory = (arguments, scratch)  # pyright: ignore[reportFunctionMemberAccess]
        return launch

    def stream(self) -> Stream:
        """PyTorch's current stream."""
        return torch._C._cuda_getCurrentRawStream(self.index)  # pyright: ignore[reportPrivateUsage]

    def is_capturing(self) -> bool:
        """Whether the caller is inside of `torch.cuda.graph`."""
        return torch.cuda.is_current_stream_capturing()

    def staging(self, byte_count: int) -> torch.Tensor:
        """Memory of PyTorch's allocator of page-locked memory."""
        return torch.empty(byte_count, dtype=torch.uint8, pin_memory=True)

    def prepare_copy(self, source: torch.Tensor, destination: torch.Tensor) -> Launch:
        """A copy by the driver, which knows where both lie."""
        places = (destination.data_ptr(), source.data_ptr())
        copy = self._driver.prepare_copy(*places, source.nbytes)
        copy.memory = (source, destination)  # pyright: ignore[reportFunctionMemberAccess]
        return copy

    def make_stream(self) -> Stream:
        """One of the driver's: those of PyTorch are shared."""
        return self._driver.make_stream()

    def make_event(self) -> Event:
        """One of the driver's."""
        return self._driver.make_event()

    def record(self, event: Event, stream: Stream) -> None:
        """In a graph, an edge."""
        self._driver.record(event, stream)

    def wait(self, event: Event, stream: Stream) -> None:
        """In a graph, an edge."""
        self._driver.wait(event, stream)

    def finish(self, event: Event) -> None:
        """Other threads of Python run meanwhile."""
        self._driver.finish(event)

    def synchronize(self, stream: Stream) -> None:
        """Waits for one stream: others of the process go on."""
        self._driver.synchronize(stream)

    def capture(self, queue: Callable[[Stream], None]) -> Callable[[], None]:
        """A CUDA graph of PyTorch, captured on a stream of its own, where nothing runs."""
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream(self._device)
        try:
            with torch.cuda.stream(stream):
                # Other threads may allocate and synchronize meanwhile.
                graph.capture_begin(capture_error_mode="thread_local")
                try:
                    queue(stream.cuda_stream)
                finally:
                    graph.capture_end()
        except CompileError as error:
            raise RuntimeError(str(error)) from error
        return graph.replay
