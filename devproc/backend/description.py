"""What a device is: its memories, rates, queues and its link to the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Memory:
    """A memory of a device."""

    name: str
    bytes_per_second: float
    byte_count: int | None = None
    """Its size; None if it is not the limit."""
    alignment: int = 64
    """Bytes, a multiple of 64; the start of each value is a multiple of it."""


@dataclass(frozen=True)
class Link:
    """The way from the host to a device and back."""

    seconds: float
    """Of a copy of no bytes, with its share of the sync."""
    bytes_per_second: float


@dataclass(frozen=True)
class Description:
    """What placement has to know of a device.

    The constants only have to rank devices; they need not be measurements.
    """

    memories: tuple[Memory, ...]
    """The first holds the values of a program; the others are shown in reports."""
    operations: Mapping[str, float] = field(hash=False)
    """dtype of a result -> operations per second at peak; a multiply-add counts two. The
    entry "" holds for all other dtypes."""
    launch_seconds: float = 0.0
    """Overhead of starting one kernel or region."""
    link: Link | None = None
    """None for the host itself."""
    queues: int = 1
    streams: int = 1
    """Streams that a program may use: from 3 on, copies to the device have stream 1 and those
    from it stream 2; from 4 on, an island of launches may have stream 3."""
    idle_seconds: float = 0.0
    """Of a kernel, in which it waits and kernels of other streams may run."""
    event_seconds: float = 0.0
    """By which a kernel starts later if it waits for an event of another stream."""
    triple: str = ""
    data_layout: str = ""

    def rate(self, dtype: str) -> float:
        """Operations per second at peak with results of a dtype."""
        return self.operations.get(dtype, self.operations[""])


@dataclass(frozen=True)
class Estimate:
    """What one function of a device costs, known without running it."""

    symbol: str
    cycles: int
    seconds: float
    operations: int
    """Additions and multiplications; a multiply-add counts two."""
    peak: float
    """Operations per second at most."""
    bytes_per_second: float
    """Of the memory that holds the values of programs: the first of `byte_counts`."""
    byte_counts: Mapping[str, int] = field(hash=False)
    """Memory -> bytes that are read from and written to it."""

    @property
    def utilisation(self) -> float:
        """The share of the peak rate that is reached."""
        return self.operations / (self.seconds * self.peak) if self.seconds else 0.0

    @property
    def intensity(self) -> float:
        """Operations per byte of the first memory: the place on the roofline's axis."""
        moved = next(iter(self.byte_counts.values()), 0)
        return self.operations / moved if moved else float("inf")

    @property
    def bound(self) -> str:
        """What limits the function on the roofline: "compute" or "memory"."""
        ridge = self.peak / self.bytes_per_second
        return "compute" if self.intensity >= ridge else "memory"
