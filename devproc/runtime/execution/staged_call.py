"""A call as one run on a device between copies of the host, on addresses of memory.

Most programs for one device with streams are such: the host writes the inputs to staging
memory, queues one run, waits for it and reads the outputs. It waits after it has released the
program, so that a call of another thread is queued meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import memmove
from dataclasses import dataclass

from devproc.backend import Queued
from devproc.ir.concurrency.locks import OneCallAtATime
from devproc.runtime.execution.host_program import Slot, Step
from devproc.runtime.execution.loaded_code import LoadedCode
from devproc.runtime.execution.staging import Staging, StagingRing

Row = tuple[int, int, int]
"""The number of an input or output, its address in staging memory, and its bytes."""

Group = tuple[str, Step | Sequence[Queued]]
"""A device with a run of works, or with another step."""


@dataclass(frozen=True)
class StagedSteps:
    """The copies of a program before and after its run; each names its two slots."""

    before: Sequence[Step]
    device: str
    works: Sequence[Queued]
    after: Sequence[Step]

    @staticmethod
    def of(groups: Sequence[Group], slots: Sequence[Slot]) -> StagedSteps | None:
        """The parts of a program; None for one with others."""
        runs = [i for i, (_, group) in enumerate(groups) if not isinstance(group, Step)]
        if len(runs) != 1:
            return None
        (place,) = runs
        before = _steps(groups[:place], slots, "input", "staging")
        (device, works), *rest = groups[place:]
        is_synced = bool(rest) and getattr(rest[0][1], "kind", "") == "sync"
        after = _steps(rest[1:], slots, "staging", "output")
        if before is None or after is None or not is_synced or isinstance(works, Step):
            return None
        return StagedSteps(before, device, works, after)


def _steps(
    groups: Sequence[Group], slots: Sequence[Slot], source: str, destination: str
) -> list[Step] | None:
    """The copies between two kinds of slots that these are; None if there are others."""
    found: list[Step] = []
    for _, step in groups:
        if not isinstance(step, Step) or step.kind != "copy":
            return None
        if [slots[number].kind for number in step.slots] != [source, destination]:
            return None
        found.append(step)
    return found


@dataclass(frozen=True)
class _Prepared:
    """What a call does on one staging memory."""

    inputs: Sequence[Row]
    run: Callable[[], None]
    outputs: Sequence[Row]


class StagedCall:
    """Runs a program that `StagedSteps` describes; safe from several threads."""

    def __init__(
        self,
        slots: Sequence[Slot],
        ring: StagingRing,
        calls: OneCallAtATime,
        device: LoadedCode,
        steps_on: Callable[[Staging], StagedSteps],
    ):
        self._slots = slots
        self._ring = ring
        self._calls = calls
        self._device = device
        self._steps_on = steps_on

    def __call__(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """One inference; takes the addresses of contiguous inputs and outputs."""
        staging, prepared = self._calls.run(self._queue, inputs)
        try:
            staging.wait()
            for number, address, count in prepared.outputs:
                memmove(outputs[number], address, count)
        finally:
            self._ring.give(staging)

    def _queue(self, inputs: Sequence[int]) -> tuple[Staging, _Prepared]:
        device = self._device
        with device.backend.session(device.handle):
            staging = self._ring.take()
            try:
                prepared = staging.prepared.get(StagedCall)
                if prepared is None:
                    prepared = staging.prepared[StagedCall] = self._prepare(staging)
                for number, address, count in prepared.inputs:
                    memmove(address, inputs[number], count)
                prepared.run()
                staging.mark()
            except BaseException:
                staging.mark()
                self._ring.give(staging)
                raise
        return staging, prepared

    def _prepare(self, staging: Staging) -> _Prepared:
        steps, device = self._steps_on(staging), self._device

        def row(number: int, other: int) -> Row:
            slot = self._slots[number]
            return slot.index, staging.values[other].data_ptr(), slot.byte_count

        return _Prepared(
            [row(*step.slots) for step in steps.before],
            device.backend.sequence(device.handle, steps.works),
            [row(*step.slots[::-1]) for step in steps.after],
        )
