"""Where the inputs and outputs of a call may lie: on a device that alone reads or writes them.

The host program has them in memory of the host. If all it does with one is a copy to or from
a device, the copy is as well between two places on that device.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
            use(host.slots[number], step.device if step.kind == "copy" else HOST)
        for number in (number for row in step.carried for number in row):
            use(host.slots[number], HOST)

    def alone(kind: str) -> dict[int, str]:
        return {
            index: next(iter(found))
            for (of, index), found in devices.items()
            if of == kind and len(found) == 1 and HOST not in found
        }

    return Residence(alone("input"), alone("output"))


def needed_syncs(host: HostProgram, on_device: Container[int]) -> Iterator[bool]:
    """Whether the host reads anything after each sync outside of loops, in order.

    It does not if all that was copied since the sync before are outputs of `on_device`.
    """
    copied: dict[str, bool] = {}
    for step in host.steps:
        if step.kind == "sync":
            yield copied.pop(step.device, False)
        for inner in _all_steps([step]):
            if inner.kind == "copy" and _is_read(host.slots[inner.slots[1]], on_device):
                copied[inner.device] = True


def _is_read(slot: Slot, on_device: Container[int]) -> bool:
    """Whether a copy to a slot is for the host."""
    if slot.device != HOST:
        return False
    return slot.kind != "output" or slot.index not in on_device


def _all_steps(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all_steps(step.body)
