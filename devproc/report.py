"""What runs where, as which kernel, moving how many bytes: read off the IR, as tables.

Each part is plain data (`rows`) that renders itself with `rich`. Nothing is recorded
during compilation: the stages' text holds all of it.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, Group
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from devproc.dialects import dev, plan
from devproc.driver import (
    StageRecord,
    make_context,
    parse_module,
    run_stages,
    stages_between,
)
from devproc.ir.lifetimes import memory_root, steps_of
from devproc.ir.location import describe_location, location_name
from devproc.ir.state import state_bytes
from devproc.ir.types import dtype_name, format_shape, tensor_of


@dataclass(frozen=True)
class PlacedOp:
    """An op, where it comes from, where it runs, and why."""

    op: str
    where: str
    device: str
    why: str


@dataclass(frozen=True)
class PlacementTable:
    """The device of each op."""

    rows: tuple[PlacedOp, ...]

    def __rich__(self) -> Table:
        counts = Counter(row.device for row in self.rows)
        listed = ", ".join(f"{count} on {device}" for device, count in counts.items())
        table = _table(
            f"placement: {listed or 'no ops'}", "op", "where", "device", "why"
        )
        for row in self.rows:
            table.add_row(row.op, row.where, row.device, row.why)
        return table


@dataclass(frozen=True)
class Copy:
    """A value that moves between memories in every run."""

    value: str
    source: str
    target: str
    type: str
    byte_count: int


@dataclass(frozen=True)
class CopyTable:
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
        table = _table(title, "value", "type", "from", "to", ">bytes")
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


@dataclass(frozen=True)
class FallbackTable:
    """What runs in PyTorch because it is not supported (`fallback="torch"`)."""

    rows: tuple[Fallback, ...]

    def __rich__(self) -> Table:
        total = sum(row.byte_count for row in self.rows)
        count = f"{len(self.rows)} operator{'' if len(self.rows) == 1 else 's'}"
        title = f"in PyTorch: {count}, {total:,} bytes copied"
        table = _table(title, "operator", "where", "why", ">bytes")
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


@dataclass(frozen=True)
class MemoryTable:
    """The memory plan, with its arenas' sizes by device, and the program's state."""

    rows: tuple[Buffer, ...]
    arenas: dict[str, int]
    state_bytes: int = 0
    """Bytes kept from call to call; a program holds two places for them."""

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
        columns = (
            "id",
            "device",
            ">offset",
            ">bytes",
            ">live from",
            ">to",
            "written by",
        )
        table = _table(title, *columns)
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


@dataclass(frozen=True)
class KernelTable:
    """The kernels of a program."""

    rows: tuple[Kernel, ...]

    def __rich__(self) -> Table:
        launches = sum(row.launches for row in self.rows)
        title = f"kernels: {len(self.rows)} distinct, {launches} launches"
        table = _table(title, "kernel", "family", "device", "computes", ">launches")
        for row in self.rows:
            sources = ", ".join(row.sources)
            table.add_row(row.name, row.family, row.device, sources, str(row.launches))
        return table


@dataclass(frozen=True)
class TimingTable:
    """Compile time by stage and pass."""

    rows: tuple[StageRecord, ...]

    @property
    def total_seconds(self) -> float:
        """Seconds of all stages."""
        return sum(row.total_seconds for row in self.rows)

    def __rich__(self) -> Table:
        table = _table(
            f"compile time: {1000 * self.total_seconds:.0f} ms", "stage", ">ms", "of it"
        )
        for row in self.rows:
            parts = ", ".join(
                f"{name} {1000 * seconds:.1f}" for name, seconds in row.seconds.items()
            )
            table.add_row(row.name, f"{1000 * row.total_seconds:.1f}", parts)
        return table


@dataclass(frozen=True)
class Report:
    """All tables of a program; printing it renders them."""

    placement: PlacementTable
    fallbacks: FallbackTable
    copies: CopyTable
    memory: MemoryTable
    kernels: KernelTable
    timings: TimingTable

    def __rich__(self) -> Group:
        fallbacks = [self.fallbacks] if self.fallbacks.rows else []
        rest = (self.copies, self.memory, self.kernels, self.timings)
        return Group(self.placement, *fallbacks, *rest)

    def __str__(self) -> str:
        stream = io.StringIO()
        Console(file=stream, width=120, highlight=False).print(self)
        return stream.getvalue()


def make_report(program_text: str, timings: Sequence[StageRecord] = ()) -> Report:
    """The report of a program from the text of its first stage."""
    context = make_context()
    module = parse_module(program_text, context)
    run_stages(module, context, stages_between("program", "placed"), verify=False)
    placement, copies = read_placement(module), read_copies(module)
    fallbacks = read_fallbacks(module)
    run_stages(module, context, stages_between("placed", "buffers"), verify=False)
    memory, kernels = read_memory(module), read_kernels(module)
    timing = TimingTable(tuple(timings))
    return Report(placement, fallbacks, copies, memory, kernels, timing)


def read_placement(module: ModuleOp) -> PlacementTable:
    """The placement of a module between `place-ops` and the end of stage `placed`."""
    rows: list[PlacedOp] = []
    for op in module.walk():
        place = op.attributes.get("dev.place")
        if isinstance(place, dev.PlaceAttr):
            where = describe_location(op.location)
            rows.append(PlacedOp(op.name, where, place.device.data, place.why.data))
    return PlacementTable(tuple(rows))


def read_fallbacks(module: ModuleOp) -> FallbackTable:
    """The operators that PyTorch runs, of a module at stage `placed`.

    What stays within a host region is PyTorch's own; what leaves it is copied.
    """
    rows: list[Fallback] = []
    for op in module.walk():
        if isinstance(op, dev.HostCallOp):
            leaving = [
                result
                for result in op.outputs
                if any(isinstance(use.operation, dev.YieldOp) for use in result.uses)
            ]
            copied = sum(dev.byte_size(result.type) for result in leaving)
            where = describe_location(op.location)
            rows.append(Fallback(op.target.data, where, op.why.data, copied))
    return FallbackTable(tuple(rows))


def read_copies(module: ModuleOp) -> CopyTable:
    """The copies and syncs of a module at stage `placed` or `kernels`."""
    rows: list[Copy] = []
    syncs = 0
    for op in _main_ops(module):
        syncs += isinstance(op, dev.SyncOp)
        if isinstance(op, dev.CopyOp):
            type_ = tensor_of(op.result)
            rows.append(
                Copy(
                    location_name(op.location) or op.source.name_hint or "",
                    str(dev.device_of(op.source.type)),
                    str(dev.device_of(type_)),
                    f"{dtype_name(type_.element_type)} {format_shape(type_.get_shape())}",
                    op.byte_count,
                )
            )
    return CopyTable(tuple(rows), syncs)


def read_memory(module: ModuleOp) -> MemoryTable:
    """The memory plan of a module from stage `buffers` on."""
    ops = _main_ops(module)
    writers: dict[object, str] = {}
    for step in steps_of(ops[0].parent) if ops and ops[0].parent else ():
        outputs = getattr(step.op, "outputs", ()) or step.op.operands[1:]
        for value in outputs:
            symbol = getattr(step.op, "kernel", None)
            name = symbol.root_reference.data if symbol is not None else "copy"
            writers.setdefault(memory_root(value), name)
    rows: list[Buffer] = []
    arenas: dict[str, int] = {}
    for op in ops:
        if isinstance(op, plan.ArenaOp):
            arenas[op.device.data] = op.byte_count
        if isinstance(op, plan.BufferOp):
            (start, end), (first, last) = op.span, op.lifetime
            device = str(dev.device_of(op.result.type))
            writer = writers.get(op.result, "")
            rows.append(
                Buffer(op.buffer_id, device, start, end - start, first, last, writer)
            )
    return MemoryTable(tuple(rows), arenas, state_bytes(module))


def read_kernels(module: ModuleOp) -> KernelTable:
    """The kernels of a module from stage `kernels` to `cpu`."""
    launches = Counter(
        op.kernel.root_reference.data
        for op in _main_ops(module)
        if isinstance(op, dev.LaunchOp | plan.LaunchOp)
    )
    rows: list[Kernel] = []
    for op in module.ops:
        mark = op.attributes.get("dev.kernel")
        if isinstance(op, FuncOp) and isinstance(mark, dev.KernelAttr):
            name = op.sym_name.data
            sources = tuple(source.data for source in mark.sources)
            rows.append(
                Kernel(
                    name, mark.family.data, mark.device.data, sources, launches[name]
                )
            )
    return KernelTable(tuple(rows))


def _main_ops(module: ModuleOp) -> list[Operation]:
    for op in module.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main":
            return list(op.body.block.ops)
    return []


def _table(title: str, *columns: str) -> Table:
    """A table; a column whose name begins with `>` holds numbers, to the right."""
    table = Table(title=title, title_justify="left", show_edge=False)
    for name in columns:
        number = name.startswith(">")
        table.add_column(
            name.lstrip(">"), justify="right" if number else "left", no_wrap=number
        )
    return table
