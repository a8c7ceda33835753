"""Reads the tables of a report from the IR of several stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.scf import ForOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects import dev, plan
from devproc.dialects.nn.loop import LoopOp
from devproc.dialects.nn.shape import TransposeOp
from devproc.dialects.sched import NestOp
from devproc.ir.dtypes import format_shape
from devproc.ir.functions import (
    constant_of,
    function_named,
    functions_of,
    ops_of,
)
from devproc.ir.host.batch import part_count
from devproc.ir.host.lifetimes import memory_root, steps_of
from devproc.ir.program.kernel_modules import (
    loop_functions,
    lowered_kernels,
    marked_functions,
)
from devproc.ir.program.state import state_bytes
from devproc.ir.program.structured import sources_of
from devproc.ir.text.location import describe_location, location_name
from devproc.ir.types import dtype_name, tensor_of
from devproc.report.optional_tables import (
    Fallback,
    FallbackTable,
    TokenizedInput,
    TokenizerTable,
)
from devproc.report.tables import (
    Buffer,
    Copy,
    CopyTable,
    FusionTable,
    Kernel,
    KernelTable,
    MemoryTable,
    Move,
    MoveTable,
    Passed,
    PlacedOp,
    PlacementTable,
    ScheduledNest,
    ScheduleTable,
)
from devproc.transforms.kernels.fuse_pointwise import blocks_to_fuse, group_block
from devproc.transforms.kernels.fusion.apart import values_between

MOVING = {
    f"nn.{name}"
    for name in ("transpose", "slice", "concat", "pad", "expand", "reshape")
}
"""Ops that only move elements."""


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

    Results used outside of their host region are copied.
    """
    rows: list[Fallback] = []
    for op in module.walk():
        if isinstance(op, dev.HostCallOp):
            copied = sum(dev.byte_size(v.type) for v in op.outputs if _leaves(v))
            where = describe_location(op.location)
            rows.append(Fallback(op.target.data, where, op.why.data, copied))
    return FallbackTable(tuple(rows))


def _leaves(value: SSAValue) -> bool:
    """Whether a region yields a value."""
    return any(isinstance(use.operation, dev.YieldOp) for use in value.uses)


def read_fusion(module: ModuleOp) -> FusionTable:
    """What `fuse-pointwise` will do with a module, read before it runs."""
    rows: list[Passed] = []
    ops = kernels = saved = 0
    for block in blocks_to_fuse(module):
        grouping = group_block(block)
        apart = list(values_between(grouping))
        between = {entry.value for entry in apart}
        kernels += len(grouping.groups) - 2 * len(grouping.bottlenecks)
        for op in grouping.group_of:
            ops += 1
            stay = (v for v in op.results if v not in between and not _leaves(v))
            saved += sum(dev.byte_size(value.type) for value in stay)
        for entry in apart:
            maker = entry.value.owner
            assert isinstance(maker, Operation)
            rows.append(
                Passed(
                    location_name(maker.location) or "",
                    ", ".join(sources_of(maker)),
                    ", ".join(sources_of(entry.reader)),
                    dev.byte_size(entry.value.type),
                    entry.why,
                )
            )
    return FusionTable(tuple(rows), ops, kernels, saved)


def read_copies(module: ModuleOp) -> CopyTable:
    """The copies and syncs of a module at stage `placed` or `kernels`."""
    rows: list[Copy] = []
    syncs = 0
    for op in ops_of(module, "main"):
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
    main = function_named(module, "main")
    ops = ops_of(module, "main")
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
    parts = 1 if main is None else part_count(main)
    doubled = state_bytes(module, in_place=False)
    return MemoryTable(tuple(rows), arenas, state_bytes(module), doubled, parts)


def read_kernels(module: ModuleOp) -> KernelTable:
    """The kernels of a module from stage `kernels` to `cpu`."""
    launches = Counter[str]()
    for op, times in _launches(module):
        launches[op.kernel.root_reference.data] += times
    rows: list[Kernel] = []
    for function, mark in marked_functions(module):
        name, sources = function.sym_name.data, tuple(s.data for s in mark.sources)
        family, device = mark.family.data, mark.device.data
        rows.append(Kernel(name, family, device, sources, launches[name]))
    return KernelTable(tuple(rows))


def read_schedules(module: ModuleOp) -> ScheduleTable:
    """The nests of a module at stage `schedules`."""
    rows: list[ScheduledNest] = []
    for kernel in lowered_kernels(module):
        for op in kernel.body.block.ops:
            if isinstance(op, NestOp):
                name, schedule = kernel.sym_name.data, op.schedule
                rows.append(
                    ScheduledNest(name, schedule.algorithm, str(schedule), op.why.data)
                )
    return ScheduleTable(tuple(rows))


def read_tokenizers(module: ModuleOp) -> TokenizerTable:
    """The tokenized inputs of a program, at any stage with attributes of arguments."""
    rows: list[TokenizedInput] = []
    for function in functions_of(module):
        for attributes in function.arg_attrs or ():
            name = attributes.data.get("dev.name")
            tokenizer = attributes.data.get("dev.tokenizer")
            if isinstance(name, StringAttr) and isinstance(tokenizer, StringAttr):
                rows.append(TokenizedInput(name.data, tokenizer.data))
    return TokenizerTable(tuple(rows))


def count_transposes(module: ModuleOp) -> int:
    """Transposes in the program itself, of a module at stage `placed`."""
    return sum(
        isinstance(op, TransposeOp)
        for region in ops_of(module, "main")
        for op in region.walk()
    )


def read_moves(module: ModuleOp, transposes: int) -> MoveTable:
    """The kernels that only move elements, of a module from stage `kernels` on."""
    written = {
        op.kernel.root_reference.data: sum(
            dev.byte_size(value.type) for value in op.outputs
        )
        for op, _ in _launches(module)
    }
    rows = [
        Move(kernel.name, kernel.sources, written[kernel.name], kernel.launches)
        for kernel in read_kernels(module).rows
        if kernel.launches and set(kernel.sources) <= MOVING
    ]
    return MoveTable(tuple(rows), transposes)


Launch: TypeAlias = dev.LaunchOp | plan.LaunchOp


def _launches(module: ModuleOp) -> Iterator[tuple[Launch, int]]:
    """The launches of a program, including those in loops, and how often each runs."""
    loops = {function.sym_name.data: function for function in loop_functions(module)}

    def visit(ops: Iterable[Operation], times: int) -> Iterator[tuple[Launch, int]]:
        for op in ops:
            if isinstance(op, LoopOp):
                yield from visit(op.body.block.ops, times * op.step_count)
            elif isinstance(op, ForOp):
                yield from visit(op.body.block.ops, times * constant_of(op.ub))
            elif isinstance(op, Launch):
                yield op, times
                function = loops.get(op.kernel.root_reference.data)
                if function is not None:
                    yield from visit(function.body.block.ops, times)

    yield from visit(ops_of(module, "main"), 1)
