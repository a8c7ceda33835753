"""`Device`: memory, streams, kernels and graphs, the same for a card and its substitutes.

Copies are PyTorch's, `destination.copy_(source, non_blocking=True)`, in the order of the
caller's stream like the launches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import torch

    from devproc.targets.triton.code import Compiled
    from devproc.targets.triton.kernel import TritonKernel

Stream = int
"""The driver's handle of a stream; 0 is the default one."""

Launch = Callable[[Stream], None]
"""One launch or copy with its arguments, queued on the stream that it is called with."""

Event = Any
"""A point in the work of a stream."""


class Device(Protocol):
    """One device; its memory is tensors of PyTorch."""

    arch: str
    """The architecture of the card; empty where kernels run from their source."""
    has_graphs: bool
    """Whether `capture` is of use."""

    def session(self) -> AbstractContextManager[Any]:
        """A context around everything below, in which the device is the current one."""
        ...

    def allocate(self, byte_count: int) -> torch.Tensor:
        """Uninitialised memory: uint8, one dimension, aligned to 64 bytes."""
        ...

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor lies in memory of this kind of device, not of the host."""
        ...

    def load(self, kernel: TritonKernel, compiled: Compiled | None) -> Any:
        """A kernel ready to be prepared; its binary is there if `arch` is not empty."""
        ...

    def prepare(self, function: Any, arguments: Sequence[torch.Tensor]) -> Launch:
        """A launch of a loaded kernel on these tensors, which it keeps alive."""
        ...

    def stream(self) -> Stream:
        """The current stream of the caller."""
        ...

    def is_capturing(self) -> bool:
        """Whether the caller records the current stream into a graph of its own."""
        ...

    def staging(self, byte_count: int) -> torch.Tensor:
        """Uninitialised memory of the host that is page-locked: uint8, one dimension."""
        ...

    def prepare_copy(self, source: torch.Tensor, destination: torch.Tensor) -> Launch:
        """A copy between this device and page-locked memory, which keeps both alive."""
        ...

    def make_stream(self) -> Stream:
        """A stream of the program's own, which lives as long as the process."""
        ...

    def make_event(self) -> Event:
        """An event, which a stream passes as soon as it is made."""
        ...

    def record(self, event: Event, stream: Stream) -> None:
        """Moves an event to the end of what a stream has queued."""
        ...

    def wait(self, event: Event, stream: Stream) -> None:
        """Makes later work of a stream wait for an event."""
        ...

    def finish(self, event: Event) -> None:
        """Blocks the host until an event is passed."""
        ...

    def synchronize(self, stream: Stream) -> None:
        """Blocks the host until a stream has done what was queued."""
        ...

    def capture(self, queue: Callable[[Stream], None]) -> Callable[[], None]:
        """What `queue` queues on a stream as one graph: what is returned replays it on the
        current stream.

        Other streams take part from an event of this one on, and are joined to it. Raises
        RuntimeError where the work cannot be captured; none of it has run then.
        """
        ...
