"""Triton's interpreter as a device: kernels run at once, on memory of the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn

import torch

from devproc.targets.triton.code import Compiled
from devproc.targets.triton.device import Event, Launch, Stream
from devproc.targets.triton.interpret import interpreting, launch
from devproc.targets.triton.kernel import TritonKernel


class Interpreter:
    """See `devproc.targets.triton.device.Device`."""

    arch = ""
    has_graphs = False

    def session(self) -> AbstractContextManager[Any]:
        """Replaces Triton's library by its interpreter."""
        return interpreting()

    def allocate(self, byte_count: int) -> torch.Tensor:
        """Memory of the host."""
        return torch.empty(byte_count, dtype=torch.uint8)

    def holds(self, tensor: torch.Tensor) -> bool:
        """No tensor: its memory is the host's."""
        return False

    def load(self, kernel: TritonKernel, compiled: Compiled | None) -> TritonKernel:
        """The kernel, which the interpreter caches."""
        return kernel

    def prepare(self, function: TritonKernel, arguments: Sequence[Any]) -> Launch:
        """Runs the kernel when it is called."""
        return lambda stream: launch(function, *arguments)

    def stream(self) -> Stream:
        """There is only one."""
        return 0

    def is_capturing(self) -> bool:
        """Never."""
        return False

    def staging(self, byte_count: int) -> torch.Tensor:
        """Memory of the host."""
        return self.allocate(byte_count)

    def prepare_copy(self, source: torch.Tensor, destination: torch.Tensor) -> Launch:
        """Copies when it is called."""

        def copy(stream: Stream) -> None:
            destination.copy_(source.view(destination.shape))

        return copy

    def make_stream(self) -> Stream:
        """There is only one."""
        return 0

    def make_event(self) -> Event:
        """Nothing is queued."""

    def record(self, event: Event, stream: Stream) -> None:
        """Nothing is queued."""

    def wait(self, event: Event, stream: Stream) -> None:
        """Nothing is queued."""

    def finish(self, event: Event) -> None:
        """Nothing is queued."""

    def synchronize(self, stream: Stream) -> None:
        """Nothing is queued."""

    def capture(self, queue: Callable[[Stream], None]) -> NoReturn:
        """There are no graphs."""
        raise RuntimeError("the interpreter has no graphs")
