"""Verification of the host function: devices and asynchronous work are in order.

A stream device (`cuda`) works asynchronously. The host must not access what a stream
writes, nor overwrite what it reads, before the `dev.sync` that orders them; another stream
of the device not before the `dev.wait` for an event that does. No op may
compute on a value of another device, or on a buffer that nothing has written, and every
output is written. Both forms of the program are checked: values (`dev.region`,
`dev.launch`, `dev.copy`) and buffers (`plan.launch`, `plan.copy`).

Stream 0 of a device is that of the caller. The other streams fork from it and are joined to
it again before the host or another device acts, and before a loop. So calls follow one
another, and what is queued between two of these points can be captured as one graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.backend.installed import is_asynchronous, memory_of
from devproc.dialects import dev, plan
from devproc.dialects.dev import is_for_host_alone
from devproc.ir.devices import HOST
from devproc.ir.functions import functions_of
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.host.streams import ON_HOST, Moment, Stream, StreamClocks
from devproc.ir.program.kernel_modules import loop_functions
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
        order = _Order(kernels, {f.sym_name.data for f in loop_functions(module)})
        for op in ops:
            order.step(op)
        order.check_outputs(function)


STEPS = (
    *(dev.CopyOp, dev.LaunchOp, dev.RegionOp, dev.SyncOp),
    *(plan.CopyOp, plan.LaunchOp, ReturnOp),
)
"""Ops of the host function that do something, or let a device do it."""

Moments = dict[SSAValue, dict[Stream, Moment]]
"""Values and buffers, and the last work of each stream on them."""


@dataclass
class _Order:
    """The work queued on streams, and what of it is done."""

    kernels: dict[str, str]
    """The device of each kernel function."""
    loops: set[str]
    """The functions that loop over launches."""
    clocks: StreamClocks = field(default_factory=StreamClocks)
    written: Moments = field(default_factory=Moments)
    read: Moments = field(default_factory=Moments)
    filled: set[SSAValue] = field(default_factory=set[SSAValue])
    """Buffers that an earlier op writes."""
    last: dict[Stream, Moment] = field(default_factory=dict[Stream, Moment])
    """The last work of each stream."""
    fresh: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Events since the streams of their device were last joined."""

    def step(self, op: Operation) -> None:
        """Checks one op of the host function, and records its effects."""
        if isinstance(op, plan.ViewOp | plan.BufferOp | plan.ArenaOp | plan.StagingOp):
            return
        if isinstance(op, dev.RecordOp | dev.WaitOp):
            self.event(op)
            return
        device = self.device_that_runs(op)
        if isinstance(op, STEPS):
            self.check_joined(op, device)
        if isinstance(op, dev.SyncOp):
            self.clocks.synchronize(op.device.data)
            return
        _verify_operands(op, device)
        reads, writes = _effects(op)
        for value in reads if isinstance(op, plan.LaunchOp | plan.CopyOp) else ():
            is_planned = isinstance(value.owner, plan.BufferOp | plan.StagingOp)
            if is_planned and not self._is_filled(value):
                raise VerifyException(
                    f"'{op.name}' ({describe_location(op.location)}) reads a buffer that "
                    "no earlier launch or copy writes"
                )
        self.filled.update(writes)
        moment = self.begin(op, device)
        for values, moments, what in (
            (reads, self.written, "reads a result"),
            (writes, self.written, "overwrites a result"),
            (writes, self.read, "overwrites an input"),
        ):
            _check_order(op, moment, values, moments, what)
        if moment.stream != ON_HOST:
            for values, moments in ((reads, self.read), (writes, self.written)):
                for value in values:
                    moments.setdefault(value, {})[moment.stream] = moment
        elif isinstance(op, ReturnOp):
            on_host = [v for v in self.written if dev.device_of(v.type) == HOST]
            _check_order(op, moment, on_host, self.written, "returns a result")

    def event(self, op: dev.RecordOp | dev.WaitOp) -> None:
        """Marks or awaits an event, which belongs to the work since the last join."""
        stream = (op.device.data, dev.stream_number(op))
        self._open(op.device.data)
        if isinstance(op, dev.RecordOp):
            self.fresh[op.event] = op.device.data
            self.clocks.record(op.event, stream)
            return
        if op.event not in self.fresh:
            raise VerifyException(
                f"'dev.wait' ({describe_location(op.location)}) waits for an event from "
                "before the streams were last joined, which no graph can contain"
            )
        self.clocks.wait(op.event, stream)

    def begin(self, op: Operation, device: str | None) -> Moment:
        """The moment of an op; one on a stream of its own comes after the call before."""
        if device is None or not is_asynchronous(device):
            return self.clocks.work(ON_HOST)
        self._open(device)
        stream = (device, dev.stream_number(op))
        moment = self.clocks.work(stream)
        if stream[1] and not moment.before.get((device, 0)):
            raise VerifyException(
                f"'{op.name}' ({describe_location(op.location)}) on stream {stream[1]} of "
                f"'{device}' may run before the call before is done: it needs a dev.wait "
                "for an event of stream 0"
            )
        self.last[stream] = moment
        return moment

    def _open(self, device: str) -> None:
        """The first work of a device is the call before."""
        if not self.clocks.now((device, 0)).get((device, 0)):
            self.clocks.work((device, 0))

    def check_joined(self, op: Operation, device: str | None) -> None:
        """Before anything but the work of a device itself, its streams are joined."""
        is_loop = (
            isinstance(op, plan.LaunchOp)
            and op.kernel.root_reference.data in self.loops
        )
        for (owner, number), moment in self.last.items():
            if number == 0 or (owner == device and not is_loop):
                continue
            now = self.clocks.now((owner, 0))
            if now.get(moment.stream, 0) < moment.number:
                raise VerifyException(
                    f"'{op.name}' ({describe_location(op.location)}) comes before stream "
                    f"{number} of '{owner}' is joined: stream 0 needs a dev.wait for an "
                    "event after the last work of it"
                )
        self.fresh = {
            event: owner
            for event, owner in self.fresh.items()
            if owner == device and not is_loop
        }

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


def _check_order(
    op: Operation,
    moment: Moment,
    values: Iterable[SSAValue],
    moments: Moments,
    what: str,
) -> None:
    """Checks that an op begins after the works of other streams on these values."""
    pending = sorted(
        stream
        for value in values
        for stream, other in moments.get(value, {}).items()
        if stream != moment.stream and not moment.follows(other)
    )
    if not pending:
        return
    device, number = pending[0]
    own_device, own_number = moment.stream
    where = f"'{own_device}'" if moment.stream != ON_HOST else "the host"
    text = f"'{op.name}' ({describe_location(op.location)}) {what} of "
    if device == own_device:
        raise VerifyException(
            f"{text}stream {number} of {where} on stream {own_number} before a dev.wait "
            "that orders it"
        )
    raise VerifyException(
        f"{text}'{device}' on {where} before the dev.sync \"{device}\" that orders it"
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
