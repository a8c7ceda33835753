"""Verification of the host function: devices and asynchronous work are in order.

A stream device (`cuda`) works asynchronously. The host must not access what a stream
writes, nor overwrite what it reads, before the `dev.sync` that orders them. No op may
compute on a value of another device, or on a buffer that nothing has written, and every
output is written. Both forms of the program are checked: values (`dev.region`,
`dev.launch`, `dev.copy`) and buffers (`plan.launch`, `plan.copy`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
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
        order.check_outputs(function)


@dataclass
class _Order:
    """The work queued on streams that no sync has waited for yet."""

    kernels: dict[str, str]
    """The device of each kernel function."""
    written: dict[SSAValue, set[str]] = field(default_factory=dict)
    """Values and buffers that a stream will write, with its device."""
    read: dict[SSAValue, set[str]] = field(default_factory=dict)
    """Buffers that streams will read, with their devices."""
    filled: set[SSAValue] = field(default_factory=set[SSAValue])
    """Buffers that an earlier op writes."""

    def step(self, op: Operation) -> None:
        """Checks one op of the host function, and records its effects."""
        if isinstance(op, dev.SyncOp):
            for streams in (*self.written.values(), *self.read.values()):
                streams.discard(op.device.data)
            return
        if isinstance(op, plan.ViewOp | plan.BufferOp | plan.ArenaOp):
            return
        device = self.device_that_runs(op)
        _verify_operands(op, device)
        reads, writes = _effects(op)
        for value in reads if isinstance(op, plan.LaunchOp | plan.CopyOp) else ():
            if isinstance(value.owner, plan.BufferOp) and not self._is_filled(value):
                raise VerifyException(
                    f"'{op.name}' ({describe_location(op.location)}) reads a buffer that "
                    "no earlier launch or copy writes"
                )
        self.filled.update(writes)
        for values, pending, what in (
            (reads, self.written, "reads a result"),
            (writes, self.written, "overwrites a result"),
            (writes, self.read, "overwrites an input"),
        ):
            # A stream is in order.
            others = {s for v in values for s in pending.get(v, ()) if s != device}
            if others:
                raise VerifyException(_unordered(op, what, min(others), device))
        if device is not None and is_asynchronous(device):
            for values, pending in ((reads, self.read), (writes, self.written)):
                for value in values:
                    pending.setdefault(value, set()).add(device)
            return
        if op.name == "func.return":
            for value, streams in self.written.items():
                if streams and dev.device_of(value.type) == HOST:
                    what = "returns a result"
                    raise VerifyException(_unordered(op, what, min(streams), None))

    def check_outputs(self, function: FuncOp) -> None:
        """Checks that each output of a function on memory is written."""
        rows = function.arg_attrs or ()
        for value, row in zip(function.body.block.args, rows, strict=False):
            is_output = row.data.get("dev.role") == StringAttr("output")
            if is_output and not self._is_filled(value):
                name = row.data.get("dev.name")
                raise VerifyException(f"nothing writes the output {name}")

    def _is_filled(self, value: SSAValue) -> bool:
        return value in self.filled or not dev.byte_size(value.type)

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
    """Checks that an op on a device uses only values of that device, and that copies are
    from or to the host."""
    if isinstance(op, dev.CopyOp | plan.CopyOp):
        ends = [dev.device_of(value.type) for value in (*op.operands, *op.results)]
        if HOST not in ends:
            raise VerifyException(
                f"'{op.name}' ({describe_location(op.location)}) is between the devices "
                f"'{ends[0]}' and '{ends[1]}', which only the host can reach"
            )
        return
    if device is None:
        return
    for operand in op.operands:
        found = dev.device_of(operand.type)
        if found is not None and found != memory_of(device):
            raise VerifyException(
                f"'{op.name}' ({describe_location(op.location)}) on '{device}' uses a "
                f"value of '{found}' without a copy"
            )
