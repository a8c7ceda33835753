"""The tables of a report: plain data (`rows`) that renders itself with `rich`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rich.table import Table

from devproc.errors import first_few
from devproc.report.rendering import Rendered, make_table
from devproc.timings import StageRecord


@dataclass(frozen=True)
class PlacedOp:
    """An op, where it comes from, where it runs, and why."""

    op: str
    where: str
    device: str
    why: str


@dataclass(frozen=True, repr=False)
class PlacementTable(Rendered):
    """The device of each op; printed, equal ops with one device and reason are a row."""

    rows: tuple[PlacedOp, ...]

    def __rich__(self) -> Table:
        counts = Counter(row.device for row in self.rows)
        listed = ", ".join(f"{count} on {device}" for device, count in counts.items())
        table = make_table(
            f"placement: {listed or 'no ops'}", "op", ">ops", "where", "device", "why"
        )
        groups: dict[tuple[str, str, str], list[str]] = {}
        for row in self.rows:
            groups.setdefault((row.op, row.device, row.why), []).append(row.where)
        for (op, device, why), places in groups.items():
            table.add_row(
                op,
                str(len(places)),
                first_few(list(dict.fromkeys(places))),
                device,
                why,
            )
        return table


@dataclass(frozen=True)
class Copy:
    """A value that moves between memories in every run."""

    value: str
    source: str
    target: str
    type: str
    byte_count: int


@dataclass(frozen=True, repr=False)
class CopyTable(Rendered):
    """All copies, and how often the host waits for a stream."""

    rows: tuple[Copy, ...]
    sync_count: int

    @property
    def byte_count(self) -> int:
        """Bytes of all copies together."""
        return sum(row.byte_count for row in self.rows)

    def __rich__(self) -> Table:
        title = (
            f"copies: {self.byte_count:,} bytes in {len(self.rows)} copies,"
            f" {self.sync_count} sync{'' if self.sync_count == 1 else 's'}"
        )
        table = make_table(title, "value", "type", "from", "to", ">bytes")
        for row in self.rows:
            table.add_row(
                row.value, row.type, row.source, row.target, f"{row.byte_count:,}"
            )
        return table


@dataclass(frozen=True)
class Fallback:
    """An operator that PyTorch runs, and the bytes of its results copied to memory."""

    operator: str
    where: str
    why: str
    byte_count: int


@dataclass(frozen=True, repr=False)
class FallbackTable(Rendered):
    """What runs in PyTorch because it is not supported (`fallback="torch"`)."""

    rows: tuple[Fallback, ...]

    def __rich__(self) -> Table:
        total = sum(row.byte_count for row in self.rows)
        count = f"{len(self.rows)} operator{'' if len(self.rows) == 1 else 's'}"
        title = f"in PyTorch: {count}, {total:,} bytes copied"
        table = make_table(title, "operator", "where", "why", ">bytes")
        for row in self.rows:
            table.add_row(row.operator, row.where, row.why, f"{row.byte_count:,}")
        return table


@dataclass(frozen=True)
class Buffer:
    """A buffer of an arena: its place, its life in steps, the kernel that writes it."""

    number: int
    device: str
    offset: int
    byte_count: int
    first: int
    last: int
    writer: str


@dataclass(frozen=True, repr=False)
class MemoryTable(Rendered):
    """The memory plan, with its arenas' sizes by device, and the program's state."""

    rows: tuple[Buffer, ...]
    arenas: dict[str, int]
    state_bytes: int = 0
    """Bytes kept from call to call; a program holds two places for them."""
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

    def __rich__(self) -> Table:
        arenas = "; ".join(
            f"{device} {size:,} bytes (at least {self.live_bytes(device):,})"
            for device, size in self.arenas.items()
        )
        title = (
            f"memory: {self.peak_bytes:,} bytes for {self.tensor_bytes:,} bytes of"
            f" tensors: {arenas or 'no buffers'}"
        )
        if self.state_bytes:
            title += f"; state 2 x {self.state_bytes:,} bytes"
        if self.parts > 1:
            title += f"; for one of {self.parts} parts of the batch"
        columns = (
            "id",
            "device",
            ">offset",
            ">bytes",
            ">live from",
            ">to",
            "written by",
        )
        table = make_table(title, *columns)
        for row in self.rows:
            table.add_row(
                str(row.number),
                row.device,
                f"{row.offset:,}",
                f"{row.byte_count:,}",
                str(row.first),
                str(row.last),
                row.writer,
            )
        return table


@dataclass(frozen=True)
class Kernel:
    """A distinct kernel, what it computes, and how often a run launches it."""

    name: str
    family: str
    device: str
    sources: tuple[str, ...]
    launches: int


@dataclass(frozen=True, repr=False)
class KernelTable(Rendered):
    """The kernels of a program."""

    rows: tuple[Kernel, ...]

    def __rich__(self) -> Table:
        launches = sum(row.launches for row in self.rows)
        title = f"kernels: {len(self.rows)} distinct, {launches} launches"
        table = make_table(title, "kernel", "family", "device", "computes", ">launches")
        for row in self.rows:
            sources = ", ".join(row.sources)
            table.add_row(row.name, row.family, row.device, sources, str(row.launches))
        return table


@dataclass(frozen=True)
class ScheduledNest:
    """How a nest of a kernel is computed, and why."""

    kernel: str
    algorithm: str
    schedule: str
    why: str


@dataclass(frozen=True, repr=False)
class ScheduleTable(Rendered):
    """The schedules of all kernels."""

    rows: tuple[ScheduledNest, ...]

    def __rich__(self) -> Table:
        title = f"schedules: {len(self.rows)} nests of kernels"
        table = make_table(title, "kernel", "schedule", "why")
        for row in self.rows:
            table.add_row(row.kernel, row.schedule, row.why)
        return table


@dataclass(frozen=True, repr=False)
class TimingTable(Rendered):
    """Compile time by stage and pass."""

    rows: tuple[StageRecord, ...]

    @property
    def total_seconds(self) -> float:
        """Seconds of all stages."""
        return sum(row.total_seconds for row in self.rows)

    def __rich__(self) -> Table:
        table = make_table(
            f"compile time: {1000 * self.total_seconds:.0f} ms", "stage", ">ms", "of it"
        )
        for row in self.rows:
            parts = ", ".join(
                [
                    f"{name} {1000 * seconds:.1f}"
                    for name, seconds in row.seconds.items()
                ]
                + [f"({name} beside {1000 * s:.1f})" for name, s in row.beside.items()]
            )
            table.add_row(row.name, f"{1000 * row.total_seconds:.1f}", parts)
        return table


@dataclass(frozen=True)
class Passed:
    """A value that one kernel leaves in memory for another, and why they are not one."""

    value: str
    maker: str
    reader: str
    byte_count: int
    why: str


@dataclass(frozen=True, repr=False)
class FusionTable(Rendered):
    """What fusion saved, and what still passes between kernels through memory."""

    rows: tuple[Passed, ...]
    op_count: int
    kernel_count: int
    saved_bytes: int
    """Bytes of the values that stay in registers."""

    @property
    def byte_count(self) -> int:
        """Bytes of the values between kernels, each counted once for each reader."""
        return sum(row.byte_count for row in self.rows)

    def __rich__(self) -> Table:
        title = (
            f"fusion: {self.op_count} loops in {self.kernel_count} kernels;"
            f" {self.saved_bytes:,} bytes stay in registers,"
            f" {self.byte_count:,} pass through memory"
        )
        columns = ("value", "made by", "read by", ">bytes", "why apart")
        table = make_table(title, *columns)
        for row in self.rows:
            table.add_row(
                row.value, row.maker, row.reader, f"{row.byte_count:,}", row.why
            )
        return table


@dataclass(frozen=True)
class Move:
    """A kernel that computes nothing: it only puts elements elsewhere."""

    kernel: str
    sources: tuple[str, ...]
    byte_count: int
    launches: int


@dataclass(frozen=True, repr=False)
class MoveTable(Rendered):
    """What became of the transposes of a program: the kernels that are left for moves.

    The others are folded: into weights, into the maps by which kernels read or write.
    """

    rows: tuple[Move, ...]
    transposes: int

    @property
    def byte_count(self) -> int:
        """Bytes that all of these kernels write in one run."""
        return sum(row.byte_count * row.launches for row in self.rows)

    def __rich__(self) -> Table:
        title = (
            f"moves: {self.transposes} transposes in the program; in kernels of"
            f" their own: {len(self.rows)} moves, {self.byte_count:,} bytes"
        )
        table = make_table(title, "kernel", "moves by", ">bytes", ">launches")
        for row in self.rows:
            sources = ", ".join(row.sources)
            table.add_row(row.kernel, sources, f"{row.byte_count:,}", str(row.launches))
        return table
