"""Steps of the host program on buffers, and lifetimes of memory in steps.

The steps are the launches, copies and syncs, numbered from 0. `plan-memory` records each
number (`plan.step`), because later passes change the list: a kernel that is split stays
one step, and a segment holds several (`plan.step` to `plan.last_step`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.backend.installed import is_asynchronous
from devproc.dialects.dev import (
    RecordOp,
    SyncOp,
    WaitOp,
    device_of,
    stream_number,
)
from devproc.ir.devices import HOST
from devproc.ir.host.streams import Moment, StreamClocks

STEP, LAST_STEP = "plan.step", "plan.last_step"

Span = tuple[int, int]
"""First and last step, inclusive."""


@dataclass(frozen=True)
class Step:
    """One op of the host program and the numbers of its first and last step."""

    op: Operation
    first: int
    last: int


def is_step(op: Operation) -> bool:
    """Whether an op of the host function counts as a step of the memory plan."""
    return op.name in ("plan.launch", "plan.copy", "dev.sync")


def steps_of(block: Block) -> list[Step]:
    """The steps of the host function, with recorded numbers or else counted.

    In a numbered function, an op without a number belongs to the preceding step.
    """
    ops = [op for op in block.ops if is_step(op)]
    numbered = any(STEP in op.attributes for op in ops)
    steps: list[Step] = []
    for index, op in enumerate(ops):
        before = steps[-1].last if steps else 0
        first = _number(op.attributes.get(STEP), before if numbered else index)
        steps.append(Step(op, first, _number(op.attributes.get(LAST_STEP), first)))
    return steps


def number_steps(op: Operation, first: int, last: int | None = None) -> None:
    """Records the number of a step, or of the first and last step of a segment."""
    op.attributes[STEP] = IntegerAttr(first, i64)
    if last is not None and last > first:
        op.attributes[LAST_STEP] = IntegerAttr(last, i64)


def _number(attribute: Attribute | None, otherwise: int) -> int:
    return attribute.value.data if isinstance(attribute, IntegerAttr) else otherwise


def memory_root(value: SSAValue) -> SSAValue:
    """The value or memory that a chain of `plan.view` ops refers to."""
    while isinstance(value.owner, Operation) and value.owner.name == "plan.view":
        value = value.owner.operands[0]
    return value


def readers_of(value: SSAValue) -> list[tuple[Operation, int]]:
    """The ops that read a value, or a view of it, with the operand number."""
    found: list[tuple[Operation, int]] = []
    for use in value.uses:
        if use.operation.name == "plan.view":
            found += readers_of(use.operation.results[0])
        else:
            found.append((use.operation, use.index))
    return found


def use_spans(steps: Sequence[Step]) -> dict[SSAValue, Span]:
    """First and last step that may access each piece of memory.

    Work of a stream device may happen at any time up to the next `dev.sync` of that device
    (or the end of the function): host memory that it accesses stays in use until then.
    Memory of the stream device itself is reused in the order of stream 0. What another
    stream accesses is in use during all steps of the device that are not in order with it.
    Segments do not tell which of their steps access what, and are ignored.
    """
    spans: dict[SSAValue, Span] = {}
    end = steps[-1].last if steps else 0
    next_sync: dict[str, int] = {}
    apart = _unordered_spans(steps)
    for step in reversed(steps):
        if isinstance(step.op, SyncOp):
            next_sync[step.op.device.data] = step.first
            continue
        if step.last > step.first:
            continue
        devices = {device_of(value.type) for value in step.op.operands}
        streams = [d for d in devices if d is not None and is_asynchronous(d)]
        waits = max((next_sync.get(s, end) for s in streams), default=step.last)
        own = apart.get(step.op, (step.first, step.last))
        for value in step.op.operands:
            on_stream = device_of(value.type) in streams
            begin, reach = own if on_stream else (step.first, waits)
            root = memory_root(value)
            first, last = spans.get(root, (begin, reach))
            spans[root] = (min(first, begin), max(last, reach))
    return spans


def _unordered_spans(steps: Sequence[Step]) -> dict[Operation, Span]:
    """The steps of a device that are not in order with those on streams of their own."""
    numbers = {step.op: step.first for step in steps}
    moments: dict[str, list[tuple[Operation, Moment]]] = {}
    clocks = StreamClocks()
    block = steps[0].op.parent_block() if steps else None
    ops = list(block.ops) if block is not None else []
    if any(isinstance(op, RecordOp) for op in ops):
        for op in ops:
            if isinstance(op, RecordOp):
                clocks.record(op.event, (op.device.data, stream_number(op)))
            elif isinstance(op, WaitOp):
                clocks.wait(op.event, (op.device.data, stream_number(op)))
            elif isinstance(op, SyncOp):
                clocks.synchronize(op.device.data)
            elif op in numbers:
                device = _stream_device(op)
                moment = clocks.work((device, stream_number(op)))
                moments.setdefault(device, []).append((op, moment))
    spans: dict[Operation, Span] = {}
    for works in moments.values():
        for op, moment in works:
            if moment.stream[1]:
                apart = [
                    numbers[other]
                    for other, its in works
                    if not its.follows(moment) and not moment.follows(its)
                ]
                spans[op] = (min(apart), max(apart))
    return spans


def _stream_device(op: Operation) -> str:
    """The device whose stream runs a step; the host for what it runs itself."""
    devices = (device_of(value.type) for value in op.operands)
    return next((d for d in devices if d is not None and is_asynchronous(d)), HOST)
