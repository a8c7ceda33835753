"""Verification of the host function: devices and asynchronous work are in order.

A stream device (`cuda`) works asynchronously. The host must not access what a stream
writes, nor overwrite what it reads, before the `dev.sync` that orders them, and no op may
compute on a value of another device. Both forms of the program are checked: values
(`dev.region`, `dev.launch`, `dev.copy`) and buffers (`plan.launch`, `plan.copy`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.backend.installed import is_asynchronous, memory_of
from devproc.dialects import dev, plan
from devproc.dialects.dev import is_for_host_alone
from devproc.ir.devices import HOST
from devproc.ir.functions import functions_of
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.text.location import describe_location


def verify_device_order(module: ModuleOp) -> None:
    """Checks every function that is not a kernel; raises VerifyException.

    A program for the CPU alone has one memory and runs in order. A function whose ops are
    not in regions yet is skipped: `insert-copies` and `insert-syncs` establish the order.
    """
    if is_for_host_alone(module):
        return
    kernels: dict[str, str] = {}
    for op in module.body.block.ops:
        # A GPU kernel is no longer a func.func once it is a block program.
        mark, name = op.attributes.get("dev.kernel"), op.properties.get("sym_name")
        if isinstance(mark, dev.KernelAttr) and isinstance(name, StringAttr):
            kernels[name.data] = mark.device.data
    for function in functions_of(module):
        if not function.body.blocks or function.sym_name.data in kernels:
            continue
        ops = list(function.body.block.ops)
        if any("dev.place" in op.attributes for op in ops):
            continue
        order = _Order(kernels)
        for op in ops:
            order.step(op)


@dataclass
class _Order:
    """The work queued on streams that no sync has waited for yet."""

    kernels: dict[str, str]
    """The device of each kernel function."""
    written: dict[SSAValue, str] = field(default_factory=dict)
    """Values and buffers that a stream will write, with its device."""
    read: dict[SSAValue, str] = field(default_factory=dict)
    """Buffers that a stream will read, with its device."""

    def step(self, op: Operation) -> None:
        """Checks one op of the host function, and records its effects."""
        if isinstance(op, dev.SyncOp):
            for pending in (self.written, self.read):
                for value in [v for v, d in pending.items() if d == op.device.data]:
                    del pending[value]
            return
        if isinstance(op, plan.ViewOp | plan.BufferOp | plan.ArenaOp):
            return
        device = self.device_that_runs(op)
        _verify_operands(op, device)
        reads, writes = _effects(op)
        for values, pending, what in (
            (reads, self.written, "reads a result"),
            (writes, self.written, "overwrites a result"),
            (writes, self.read, "overwrites an input"),
        ):
            streams = (pending[v] for v in values if v in pending)
            # A stream is in order.
            other = next((stream for stream in streams if stream != device), None)
            if other is not None:
                raise VerifyException(_unordered(op, what, other, device))
        if device is not None and is_asynchronous(device):
            self.read.update((value, device) for value in reads)
            self.written.update((value, device) for value in writes)
            return
        if op.name == "func.return" and any(
            dev.device_of(value.type) == HOST for value in self.written
        ):
            stream = next(iter(self.written.values()))
            raise VerifyException(_unordered(op, "returns a result", stream, None))

    def device_that_runs(self, op: Operation) -> str | None:
        """The device that executes an op of a host function; None for the host."""
        if isinstance(op, dev.RegionOp):
            return op.device.data
        if isinstance(op, dev.CopyOp | plan.CopyOp):
            return _stream_of(op)
        if isinstance(op, dev.LaunchOp | plan.LaunchOp):
            # Kernels of later stages have lost their mark: they run where their memory is.
            known = self.kernels.get(op.kernel.root_reference.data)
            return known or _stream_of(op)
        return None


def _stream_of(op: Operation) -> str | None:
    """The stream device whose memory an op touches, if any."""
    devices = [dev.device_of(value.type) for value in (*op.operands, *op.results)]
    return next((d for d in devices if d and is_asynchronous(d)), None)


def _unordered(op: Operation, what: str, stream: str, device: str | None) -> str:
    where = f"'{device}'" if device and is_asynchronous(device) else "the host"
    return (
        f"'{op.name}' ({describe_location(op.location)}) {what} of '{stream}' on "
        f'{where} before the dev.sync "{stream}" that orders it'
    )


def _effects(op: Operation) -> tuple[list[SSAValue], list[SSAValue]]:
    """The values and buffers that an op reads, and those that it writes."""
    if isinstance(op, plan.LaunchOp):
        return list(map(memory_root, op.inputs)), list(map(memory_root, op.outputs))
    if isinstance(op, plan.CopyOp):
        return [memory_root(op.source)], [memory_root(op.destination)]
    placed: list[SSAValue] = [r for r in op.results if dev.device_of(r.type)]
    return list(map(memory_root, op.operands)), placed


def _verify_operands(op: Operation, device: str | None) -> None:
    """Checks that an op on a device uses only values of that device."""
    if device is None or isinstance(op, dev.CopyOp | plan.CopyOp):
        return
    for operand in op.operands:
        found = dev.device_of(operand.type)
        if found is not None and found != memory_of(device):
            raise VerifyException(
                f"'{op.name}' ({describe_location(op.location)}) on '{device}' uses a "
                f"value of '{found}' without a copy"
            )
