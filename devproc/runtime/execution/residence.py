"""Where the inputs and outputs of a call may lie: on a device that alone reads or writes them.

The host program has them in memory of the host. If all it does with one is a copy to or from
a device, through staging memory or not, the copy is as well between two places on that device.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from devproc.ir.devices import HOST
from devproc.runtime.execution.host_program import HostProgram, Slot, Step


@dataclass(frozen=True)
class Residence:
    """The devices of inputs and outputs by number; those of the host are left out."""

    inputs: Mapping[int, str]
    outputs: Mapping[int, str]


def residence_of(host: HostProgram) -> Residence:
    """What the steps of a program do with the inputs and outputs of a call."""
    devices: dict[tuple[str, int], set[str]] = {}

    def use(slot: Slot, device: str) -> None:
        # Others are states, which lie where their slot says.
        if slot.kind in ("input", "output") and slot.device == HOST:
            devices.setdefault((slot.kind, slot.index), set()).add(device)

    for slot in host.slots:
        if slot.kind in ("slice", "view"):
            use(host.slots[slot.index], HOST)
    for step in _all_steps(host.steps):
        for number in step.slots:
            use(host.slots[number], _copied_to(step, host.slots))
        for number in (number for row in step.carried for number in row):
            use(host.slots[number], HOST)

    def alone(kind: str) -> dict[int, str]:
        return {
            index: next(iter(found))
            for (of, index), found in devices.items()
            if of == kind and len(found) == 1 and HOST not in found
        }

    return Residence(alone("input"), alone("output"))


def steps_on(
    host: HostProgram, inputs: Container[int], outputs: Container[int]
) -> list[Step]:
    """The steps of a call with these inputs and outputs on the device that copies them.

    In place of the host's copy to or from staging memory, the device copies, and its own
    copy is left out: the host writes before the work of the device begins, and reads after
    the sync. A sync after which the host reads nothing is left out, too.
    """
    slots, on_device = host.slots, {"input": inputs, "output": outputs}
    ends = dict[int, int]()
    """The memory of the device that is copied to or from staging memory."""
    direct = set[int]()
    """Staging memory of the inputs and outputs on the device."""
    for step in host.steps:
        for number, other in zip(step.slots, step.slots[::-1]):
            if step.kind == "copy" and slots[number].kind == "staging":
                if step.device != HOST:
                    ends[number] = other
                elif slots[other].index in on_device.get(slots[other].kind, ()):
                    direct.add(number)
    steps, copied = list[Step](), dict[str, bool]()
    for step in host.steps:
        staged = direct.intersection(step.slots)
        if staged:
            if step.device != HOST:
                continue
            device = slots[staged.pop()].key
            places = tuple(ends[n] if n in direct else n for n in step.slots)
            step = replace(step, device=device, slots=places, stream=0)
        if step.kind == "sync" and not copied.pop(step.device, False):
            continue
        for inner in _all_steps([step]):
            if inner.kind == "copy" and _is_read(slots[inner.slots[1]], outputs):
                copied[inner.device] = True
        steps.append(step)
    return _without_idle_events(steps)


def _without_idle_events(steps: Sequence[Step]) -> list[Step]:
    """Without the events of devices whose only work left is on stream 0."""
    several = {s.device for s in steps if s.stream and s.kind in ("copy", "launch")}
    events = ("record", "wait")
    return [s for s in steps if s.kind not in events or s.device in several]


def _copied_to(step: Step, slots: Sequence[Slot]) -> str:
    """The device that a step copies to or from; the host for other steps."""
    if step.kind != "copy":
        return HOST
    staged = (slots[n].key for n in step.slots if slots[n].kind == "staging")
    return next(staged, step.device)


def _is_read(slot: Slot, on_device: Container[int]) -> bool:
    """Whether a copy to a slot is for the host."""
    if slot.device != HOST:
        return False
    return slot.kind != "output" or slot.index not in on_device


def _all_steps(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all_steps(step.body)
