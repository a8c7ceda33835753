"""Runs of works on buffers that stay the same from call to call, with loops unrolled.

A device can prepare such a run as a whole: pack its arguments once, or capture it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeVar, cast

from devproc.backend import Queued
from devproc.backend.backend import Buffer
from devproc.ir.devices import HOST
from devproc.runtime.execution.host_program import Slot, Step

T = TypeVar("T")

Values = dict[int, Buffer]
"""The values of slots by number."""

MOST_WORKS = 4096
"""Most launches that a loop is unrolled to."""


def static_runs(
    steps: Sequence[Step], slots: Sequence[Slot], bound: dict[int, Buffer]
) -> Iterator[tuple[str, Step | Sequence[Queued]]]:
    """Steps of a program with their devices, in order: runs of works that do not depend
    on the call, and each other step.

    `bound`: the slots whose values are known; those that a loop leaves are added before the
    steps that follow it.
    """
    run: list[Queued] = []
    device = HOST
    for step in steps:
        works = _works(step, slots, bound)
        if run and (works is None or step.device != device):
            yield device, run
            run = []
        if works is None:
            yield step.device, step
        else:
            run += works
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

    def taken(slot: Slot, round_: int, whole: Buffer) -> Buffer:
        if slot.kind == "slice":
            whole = whole[slot.offset + round_ * slot.stride]
        return whole.view(slot.shape)

    return rounds(loop, slots, held, taken, values)


def rounds(
    loop: Step,
    slots: Sequence[Slot],
    held: Callable[[int], T],
    taken: Callable[[Slot, int, T], T],
    values: dict[int, T],
) -> Iterator[None]:
    """The rounds of a loop over values of any kind: `held` gives that of a slot, `taken` a
    slice or view of one in a round."""
    for start, now, _, end in loop.carried:
        values[now] = values[end] = held(start)
    for i in range(loop.rounds):
        for number in loop.slots:
            slot = slots[number]
            values[number] = taken(slot, i, held(slot.index))
        yield
        following = [held(after) for _, _, after, _ in loop.carried]
        for (_, now, _, end), value in zip(loop.carried, following, strict=True):
            values[now] = values[end] = value


def work_count(step: Step) -> int:
    """The works of a step, whose loops are unrolled."""
    return step.rounds * sum(map(work_count, step.body)) if step.kind == "loop" else 1


def _works(step: Step, slots: Sequence[Slot], bound: Values) -> list[Queued] | None:
    """The works of a step on its device; None if they depend on the call."""
    if step.device == HOST or work_count(step) > MOST_WORKS:
        return None
    found, values = list[Queued](), dict(bound)
    try:
        if not _unroll(step, slots, values, step.device, found):
            return None
    except KeyError:
        return None  # A slot of the call.
    bound |= values
    return found


def _unroll(
    step: Step,
    slots: Sequence[Slot],
    values: Values,
    device: str,
    found: list[Queued],
) -> bool:
    """Adds the works of a step; false if it has others.

    Raises KeyError for a value that is not known.
    """
    if step.kind == "loop":
        return all(
            _unroll(inner, slots, values, device, found)
            for _ in iterations(step, slots, {}, values)
            for inner in step.body
        )
    if step.device != device or not _is_queued(step, slots):
        return False
    buffers = [values[number] for number in step.slots]
    kind = cast(Literal["launch", "copy", "record", "wait"], step.kind)
    found.append(Queued(kind, step.symbol, buffers, step.stream, step.event))
    return True


def _is_queued(step: Step, slots: Sequence[Slot]) -> bool:
    """Whether a device queues a step; it copies only to and from staging memory."""
    if step.kind == "copy":
        return any(slots[number].kind == "staging" for number in step.slots)
    return step.kind in ("launch", "record", "wait")
