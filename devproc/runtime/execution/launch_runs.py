"""Runs of launches on buffers that stay the same from call to call, with loops unrolled.

A device can prepare such a run as a whole: pack its arguments once, or capture it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from devproc.backend.backend import Buffer
from devproc.ir.devices import HOST
from devproc.runtime.execution.host_program import HostProgram, Slot, Step

Launch = tuple[str, Sequence[Buffer]]
"""A function of a device, and its operands and results."""

Values = dict[int, Buffer]
"""The values of slots by number."""

MOST_LAUNCHES = 4096
"""Most launches that a loop is unrolled to."""


def static_runs(
    host: HostProgram, bound: dict[int, Buffer]
) -> Iterator[tuple[str, Step | Sequence[Launch]]]:
    """The steps of a program with their devices, in order: runs of launches that do not
    depend on the call, and each other step.

    `bound`: the slots whose values are known; those that a loop leaves are added before the
    steps that follow it.
    """
    run: list[Launch] = []
    device = HOST
    for step in host.steps:
        launches = _launches(step, host.slots, bound)
        if run and (launches is None or step.device != device):
            yield device, run
            run = []
        if launches is None:
            yield step.device, step
        else:
            run += launches
            device = step.device
    if run:
        yield device, run


def iterations(
    loop: Step, slots: Sequence[Slot], bound: Mapping[int, Buffer], values: Values
) -> Iterator[None]:
    """Advances the slots of a loop before each of its rounds, in `values`."""

    def held(number: int) -> Buffer:
        value = bound.get(number)
        return values[number] if value is None else value

    for start, now, _, end in loop.carried:
        values[now] = values[end] = held(start)
    for i in range(loop.rounds):
        for number in loop.slots:
            slot = slots[number]
            tensor = held(slot.index)
            if slot.kind == "slice":
                tensor = tensor[slot.offset + i * slot.stride]
            values[number] = tensor.view(slot.shape)
        yield
        following = [held(after) for _, _, after, _ in loop.carried]
        for (_, now, _, end), tensor in zip(loop.carried, following, strict=True):
            values[now] = values[end] = tensor


def _launches(step: Step, slots: Sequence[Slot], bound: Values) -> list[Launch] | None:
    """The launches of a step on its device; None if they depend on the call."""
    if step.device == HOST or _count(step) > MOST_LAUNCHES:
        return None
    found, values = list[Launch](), dict(bound)
    try:
        if not _unroll(step, slots, values, step.device, found):
            return None
    except KeyError:
        return None  # A slot of the call.
    bound |= values
    return found


def _count(step: Step) -> int:
    return step.rounds * sum(map(_count, step.body)) if step.kind == "loop" else 1


def _unroll(
    step: Step,
    slots: Sequence[Slot],
    values: Values,
    device: str,
    found: list[Launch],
) -> bool:
    """Adds the launches of a step; false if it has others.

    Raises KeyError for a value that is not known.
    """
    if step.kind == "launch" and step.device == device:
        found.append((step.symbol, [values[number] for number in step.slots]))
        return True
    return step.kind == "loop" and all(
        _unroll(inner, slots, values, device, found)
        for _ in iterations(step, slots, {}, values)
        for inner in step.body
    )
