"""Runs of launches on devices with a queue, and what the host does between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Operation

from devproc.backend.installed import is_asynchronous
from devproc.dialects import dev, plan
from devproc.dialects.plan import LaunchOp
from devproc.ir.devices import HOST
from devproc.ir.functions import constant_of, ops_of
from devproc.ir.program.kernel_modules import kernel_mark, loop_functions
from devproc.ir.text.location import describe_location
from devproc.report.optional_tables import LaunchRun, LaunchTable


def read_launches(module: ModuleOp) -> LaunchTable:
    """The runs of a module after the stage `buffers`."""
    return LaunchTable(tuple(_runs(module)))


def _runs(module: ModuleOp) -> Iterator[LaunchRun]:
    loops = {function.sym_name.data: function for function in loop_functions(module)}
    marks = {
        op.sym_name.data: mark.device.data
        for op in module.ops
        if isinstance(op, FuncOp) and (mark := kernel_mark(op)) is not None
    }
    device, count = "", 0
    for op in ops_of(module, "main"):
        if not isinstance(op, plan.LaunchOp | plan.CopyOp | dev.SyncOp):
            continue
        if isinstance(op, plan.CopyOp) and _is_queued(op):
            continue
        name = op.kernel.root_reference.data if isinstance(op, LaunchOp) else ""
        own = marks.get(name, "")
        if count and own != device:
            yield LaunchRun(device, count, _what(op))
            count = 0
        if own and is_asynchronous(own):
            device = own
            count += _count(loops[name].body.block.ops) if name in loops else 1
    if count:
        yield LaunchRun(device, count, "the end of the program")


def _is_queued(copy: plan.CopyOp) -> bool:
    """Whether a copy is part of a run: one between a device and staging memory."""
    is_staged = any(isinstance(v.owner, plan.StagingOp) for v in copy.operands)
    return is_staged and {dev.device_of(v.type) for v in copy.operands} != {HOST}


def _count(ops: Iterable[Operation]) -> int:
    """The launches of a loop over kernels."""
    return sum(
        constant_of(op.ub) * _count(op.body.block.ops)
        if isinstance(op, ForOp)
        else isinstance(op, LaunchOp)
        for op in ops
    )


def _what(op: Operation) -> str:
    """A step as the reason for the end of a run."""
    if isinstance(op, dev.SyncOp):
        return "a sync"
    kind = "a copy" if isinstance(op, plan.CopyOp) else "a kernel of another device"
    return f"{kind} ({describe_location(op.location)})"
