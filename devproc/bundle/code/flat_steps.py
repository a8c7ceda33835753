"""The steps of a host program in a row, with loops unrolled, and where their operands lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from devproc.errors import BundleError
from devproc.runtime.execution.host_program import HostProgram, Slot, Step
from devproc.runtime.execution.launch_runs import rounds, work_count

MOST_STEPS = 1 << 16
"""Most steps of a program whose loops are unrolled."""

MOVING = ("slice", "carried", "view")
"""Kinds of slots that are other memory in each round of a loop."""


def flat_steps(host: HostProgram) -> Iterator[tuple[Step, Sequence[Slot]]]:
    """Each step with its operands, which lie in memory of the call or of the program.

    Raises BundleError for loops that are too long for a table.
    """
    if sum(map(work_count, host.steps)) > MOST_STEPS:
        raise BundleError(
            "a bundle has the work of a GPU as a table, and the loops of this program make "
            f"more than {MOST_STEPS:,} steps of it; compile it for the CPU"
        )
    values = {
        number: slot
        for number, slot in enumerate(host.slots)
        if slot.kind not in MOVING
    }
    for step in host.steps:
        yield from _flat(step, host.slots, values)


def _flat(
    step: Step, slots: Sequence[Slot], values: dict[int, Slot]
) -> Iterator[tuple[Step, Sequence[Slot]]]:
    """`values` are the slots by number as they are now; a loop changes them."""
    if step.kind != "loop":
        yield step, [values[number] for number in step.slots]
        return
    for _ in rounds(step, slots, values.__getitem__, _moved, values):
        for inner in step.body:
            yield from _flat(inner, slots, values)


def _moved(slot: Slot, i: int, base: Slot) -> Slot:
    """A slice or view of memory in round `i` of its loop, as memory of its own."""
    offset = base.offset
    if slot.kind == "slice":
        element = base.byte_count // base.shape[0]
        offset += (slot.offset + i * slot.stride) * element
    return replace(base, dtype=slot.dtype, shape=slot.shape, offset=offset)
