"""What is queued on a device: launches, copies, and events between its streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True)
class Queued:
    """One work of a device.

    A "launch" has a `symbol`, and as `buffers` its operands, then its results; a "copy" has
    a source and a destination, one of which is staging memory. A "record" marks an `event`,
    a "wait" lets the later work of its `stream` wait for one.
    """

    kind: Literal["launch", "copy", "record", "wait"]
    symbol: str = ""
    buffers: Sequence[Any] = ()
    stream: int = 0
    event: int = -1


class Marker(Protocol):
    """A point in the work of a device, which can be set again and again."""

    def set(self) -> None:
        """Moves it to the end of what is queued."""
        ...

    def wait(self) -> None:
        """Blocks the host until the device has reached it."""
        ...
