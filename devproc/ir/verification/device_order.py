"""Verification of the host function: no value crosses devices or time by accident.

A stream device (`cuda`) works behind the host's back. So the host may not touch what the
stream writes, nor overwrite what it reads, before the `dev.sync` that orders them; and
nothing computes on a value that lies on another device. Both forms of the program are
checked: values (`dev.region`, `dev.launch`, `dev.copy`) and buffers (`plan.launch`,
`plan.copy`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects import dev, plan
from devproc.ir.text.location import describe_location
from devproc.options import is_for_cpu_alone


def verify_device_order(module: ModuleOp) -> None:
    """Checks every function that is not a kernel; raises VerifyException.

    The CPU alone has one memory, and works on it in order.
    """
    if is_for_cpu_alone(module):
        return
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    kernels: dict[str, str] = {}
    for op in module.body.block.ops:
        # A GPU kernel is no longer a func.func once it is a block program.
        mark, name = op.attributes.get("dev.kernel"), op.properties.get("sym_name")
        if isinstance(mark, dev.KernelAttr) and isinstance(name, StringAttr):
            kernels[name.data] = mark.device.data
    for function in functions:
        if function.body.blocks and function.sym_name.data not in kernels:
            order = _Order(kernels)
            for op in function.body.block.ops:
                order.step(op)


@dataclass
class _Order:
    """What the streams have been asked to do and no sync has waited for yet."""

    kernels: dict[str, str]
    """The device of each kernel function."""
    written: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Values and buffers that a stream will write, with its device."""
    read: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Buffers that a stream will read."""

    def step(self, op: Operation) -> None:
        """Account for one op of the host function."""
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
        if device in dev.STREAM_DEVICES:
            self.read.update((value, device) for value in reads)
            self.written.update((value, device) for value in writes)
            return
        for value in (*reads, *writes):
            if value in self.written:
                raise VerifyException(
                    _unordered(op, "reads a result", self.written[value])
                )
        for value in writes:
            if value in self.read:
                raise VerifyException(
                    _unordered(op, "overwrites an input", self.read[value])
                )
        if op.name == "func.return" and any(
            dev.device_of(value.type) == "cpu" for value in self.written
        ):
            stream = next(iter(self.written.values()))
            raise VerifyException(_unordered(op, "hands out a result", stream))

    def device_that_runs(self, op: Operation) -> str | None:
        """The device that executes an op of a host function; None for the host."""
        if isinstance(op, dev.RegionOp):
            return op.device.data
        if isinstance(op, dev.CopyOp | plan.CopyOp):
            return _stream_of(op)
        if isinstance(op, dev.LaunchOp | plan.LaunchOp):
            # Kernels of later stages have no mark any more: where their memory lies is
            # where they run.
            known = self.kernels.get(op.kernel.root_reference.data)
            return known or _stream_of(op)
        return None


def _stream_of(op: Operation) -> str | None:
    """The stream device whose memory an op touches, if any."""
    devices = [dev.device_of(value.type) for value in (*op.operands, *op.results)]
    return next((d for d in devices if d in dev.STREAM_DEVICES), None)


def _unordered(op: Operation, what: str, stream: str) -> str:
    return (
        f"'{op.name}' ({describe_location(op.location)}) {what} of '{stream}' on the "
        f'host before the dev.sync "{stream}" that orders it'
    )


def _root(value: SSAValue) -> SSAValue:
    """The value whose bytes a chain of views shows."""
    while isinstance(value.owner, plan.ViewOp):
        value = value.owner.source
    return value


def _effects(op: Operation) -> tuple[list[SSAValue], list[SSAValue]]:
    """The values and buffers that an op reads, and those that it writes."""
    if isinstance(op, plan.LaunchOp):
        return [_root(v) for v in op.inputs], [_root(v) for v in op.outputs]
    if isinstance(op, plan.CopyOp):
        return [_root(op.source)], [_root(op.destination)]
    placed: list[SSAValue] = [r for r in op.results if dev.device_of(r.type)]
    return [_root(v) for v in op.operands], placed


def _verify_operands(op: Operation, device: str | None) -> None:
    """What runs on a device works only on values of that device."""
    if device is None or isinstance(op, dev.CopyOp | plan.CopyOp):
        return
    for operand in op.operands:
        found = dev.device_of(operand.type)
        if found is not None and found != dev.memory_of(device):
            raise VerifyException(
                f"'{op.name}' ({describe_location(op.location)}) on '{device}' uses a "
                f"value of '{found}' without a copy"
            )
