"""The tables of a report that every program has: plain data (`rows`), rendered as text.

Nothing here imports xDSL: a saved program has its tables as data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devproc.errors import counted, first_few
from devproc.report.rendering import RenderedTable
from devproc.timings import StageRecord


@dataclass(frozen=True)
class PlacedOp:
    """An op, where it comes from, where it runs, and why."""

    op: str
    where: str
    device: str
    why: str


@dataclass(frozen=True, repr=False)
class PlacementTable(RenderedTable):
    """The device of each op; ops of one kind, device and reason are printed as one line."""

    columns = ("op", ">ops", "where", "device", "why")
    rows: tuple[PlacedOp, ...]

    @property
    def title(self) -> str:
        """Operations by device."""
        counts = Counter(row.device for row in self.rows)
        listed = ", ".join(f"{count} on {device}" for device, count in counts.items())
        return f"placement: {listed or 'no ops'}"

    def cells(self) -> Iterable[Sequence[object]]:
        """A line for each op, device and reason."""
        groups: dict[tuple[str, str, str], list[str]] = {}
        for row in self.rows:
            groups.setdefault((row.op, row.device, row.why), []).append(row.where)
        for (op, device, why), places in groups.items():
            where = first_few(list(dict.fromkeys(places)))
            yield op, len(places), where, device, why


@dataclass(frozen=True)
class Copy:
    """A value that moves between memories in every run."""

    value: str
    source: str
    target: str
    type: str
    byte_count: int


@dataclass(frozen=True, repr=False)
class CopyTable(RenderedTable):
    """All copies, and how often the host waits for a stream."""

    columns = ("value", "type", "from=source", "to=target", ">bytes=byte_count")
    rows: tuple[Copy, ...]
    sync_count: int

    @property
    def byte_count(self) -> int:
        """Bytes of all copies together."""
        return sum(row.byte_count for row in self.rows)

    @property
    def title(self) -> str:
        """Bytes, copies and syncs."""
        syncs = counted(self.sync_count, "sync")
        return f"copies: {self.byte_count:,} bytes in {len(self.rows)} copies, {syncs}"


@dataclass(frozen=True)
class Buffer:
    """A buffer of an arena: its offset, its lifetime in steps, the kernel that writes it."""

    number: int
    device: str
    offset: int
    byte_count: int
    first: int
    last: int
    writer: str


@dataclass(frozen=True, repr=False)
class MemoryTable(RenderedTable):
    """The memory plan, with the size of each arena, and the program's state."""

    columns = (
        "id=number",
        "device",
        ">offset",
        ">bytes=byte_count",
        ">live from=first",
        ">to=last",
        "written by=writer",
    )
    rows: tuple[Buffer, ...]
    arenas: dict[str, int]
    state_bytes: int = 0
    """Bytes kept from call to call."""
    doubled_bytes: int = 0
    """Those of them that a program has two places for."""
    parts: int = 1
    """Parts of a batch that run one after the other in the same memory."""

    @property
    def peak_bytes(self) -> int:
        """Bytes of all arenas: what a run needs besides inputs, outputs and weights."""
        return sum(self.arenas.values())

    @property
    def tensor_bytes(self) -> int:
        """Bytes if no buffer shared memory with another."""
        return sum(row.byte_count for row in self.rows)

    def live_bytes(self, device: str) -> int:
        """The largest sum of buffers that one step needs: no plan is smaller."""
        rows = [row for row in self.rows if row.device == device]
        return max(
            (
                sum(r.byte_count for r in rows if r.first <= at.first <= r.last)
                for at in rows
            ),
            default=0,
        )

    @property
    def title(self) -> str:
        """The size of each arena and a lower bound of it."""
        arenas = "; ".join(
            f"{device} {size:,} bytes (at least {self.live_bytes(device):,})"
            for device, size in self.arenas.items()
        )
        title = (
            f"memory: {self.peak_bytes:,} bytes for {self.tensor_bytes:,} bytes of"
            f" tensors: {arenas or 'no buffers'}"
        )
        in_place = self.state_bytes - self.doubled_bytes
        if in_place:
            title += f"; state {in_place:,} bytes in place"
        if self.doubled_bytes:
            title += f"; state 2 x {self.doubled_bytes:,} bytes"
        if self.parts > 1:
            title += f"; for one of {self.parts} parts of the batch"
        return title


@dataclass(frozen=True)
class Kernel:
    """A distinct kernel, what it computes, and how often a run launches it."""

    name: str
    family: str
    device: str
    sources: tuple[str, ...]
    launches: int


@dataclass(frozen=True, repr=False)
class KernelTable(RenderedTable):
    """The kernels of a program."""

    columns = ("kernel=name", "family", "device", "computes=sources", ">launches")
    rows: tuple[Kernel, ...]

    @property
    def title(self) -> str:
        """Kernels and launches."""
        launches = sum(row.launches for row in self.rows)
        return f"kernels: {len(self.rows)} distinct, {launches} launches"


@dataclass(frozen=True)
class ScheduledNest:
    """How a loop nest of a kernel is computed, and why."""

    kernel: str
    algorithm: str
    schedule: str
    why: str


@dataclass(frozen=True, repr=False)
class ScheduleTable(RenderedTable):
    """The schedules of all kernels."""

    columns = ("kernel", "schedule", "why")
    rows: tuple[ScheduledNest, ...]

    @property
    def title(self) -> str:
        """Nests of kernels."""
        return f"schedules: {len(self.rows)} nests of kernels"


@dataclass(frozen=True, repr=False)
class TimingTable(RenderedTable):
    """Compile time by stage and pass."""

    columns = ("stage", ">ms", "of it")
    rows: tuple[StageRecord, ...]

    @property
    def total_seconds(self) -> float:
        """Seconds of all stages."""
        return sum(row.total_seconds for row in self.rows)

    @property
    def title(self) -> str:
        """The sum of all stages."""
        return f"compile time: {1000 * self.total_seconds:.0f} ms"

    def cells(self) -> Iterable[Sequence[object]]:
        """A line for each stage."""
        for row in self.rows:
            parts = [f"{name} {1000 * s:.1f}" for name, s in row.seconds.items()]
            parts += [
                f"({name} alongside {1000 * s:.1f})"
                for name, s in row.alongside.items()
            ]
            yield row.name, f"{1000 * row.total_seconds:.1f}", ", ".join(parts)


@dataclass(frozen=True)
class Passed:
    """A value passed from kernel to kernel in memory, and why the two are not fused."""

    value: str
    maker: str
    reader: str
    byte_count: int
    why: str


@dataclass(frozen=True, repr=False)
class FusionTable(RenderedTable):
    """What fusion saved, and what still passes between kernels through memory."""

    columns = (
        "value",
        "made by=maker",
        "read by=reader",
        ">bytes=byte_count",
        "why apart=why",
    )
    rows: tuple[Passed, ...]
    op_count: int
    kernel_count: int
    saved_bytes: int
    """Bytes of the values that stay in registers."""

    @property
    def byte_count(self) -> int:
        """Bytes of the values between kernels, counted once for each reader."""
        return sum(row.byte_count for row in self.rows)

    @property
    def title(self) -> str:
        """Loops, kernels, and bytes in registers and in memory."""
        return (
            f"fusion: {self.op_count} loops in {self.kernel_count} kernels;"
            f" {self.saved_bytes:,} bytes stay in registers,"
            f" {self.byte_count:,} pass through memory"
        )


@dataclass(frozen=True)
class Move:
    """A kernel that only moves elements."""

    kernel: str
    sources: tuple[str, ...]
    byte_count: int
    launches: int


@dataclass(frozen=True, repr=False)
class MoveTable(RenderedTable):
    """The kernels that only move elements, and the transposes of the program.

    All other transposes are folded into weights or into the indexing maps of kernels.
    """

    columns = ("kernel", "moves by=sources", ">bytes=byte_count", ">launches")
    rows: tuple[Move, ...]
    transposes: int

    @property
    def byte_count(self) -> int:
        """Bytes that all of these kernels write in one run."""
        return sum(row.byte_count * row.launches for row in self.rows)

    @property
    def title(self) -> str:
        """Transposes, and the kernels left for them."""
        return (
            f"moves: {self.transposes} transposes in the program; in kernels of"
            f" their own: {len(self.rows)} moves, {self.byte_count:,} bytes"
        )
