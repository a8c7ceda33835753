"""Runs a program whose steps are all native CPU segments."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from devproc.ir.devices import HOST
from devproc.ir.weights.aligned import Bytes, aligned_bytes, aligned_copy
from devproc.runtime.execution.host_program import HostProgram, Step

Entry = Callable[[int], None]
"""A native segment, called with the address of its table of operand pointers."""

RecordingEntry = Callable[[int, list[None]], None]
"""The same, which appends to a list when the segment has returned, also where a signal
handler raises an exception right after it."""


Note = Callable[[str, float, float], None]
"""Called with the name of a kernel after it ran, and its begin and end in seconds of
`time.perf_counter`."""


class NativeCode(Protocol):
    """Loaded object code: entries of segments by symbol."""

    def entry(self, symbol: str) -> Entry:
        """The callable entry of a segment."""
        ...

    def recording_entry(self, symbol: str) -> RecordingEntry:
        """The entry of a segment, as one that records its end."""
        ...

    def watched(self, operands: Mapping[str, int], note: Note) -> NativeCode:
        """The same code, which notes the time of each kernel that it calls.

        `operands` has the kernels by name. Of a segment that calls none of them, its own
        name and time are noted.
        """
        ...


class _Launch(NamedTuple):
    """One native call with its table, and the entries that change with every call."""

    entry: Entry
    recording: RecordingEntry
    table: array[int]
    address: int
    inputs: list[tuple[int, int]]
    outputs: list[tuple[int, int]]


@dataclass
class _Workspace:
    """The state of one call in flight: its arena and pointer tables."""

    arena: Bytes
    launches: list[_Launch]


class NativeExecutor:
    """Runs a program whose steps are all native segments; safe from several threads.

    Each call takes a workspace from a free list (creating one if the list is empty), so
    that calls of several threads do not share an arena.
    """

    def __init__(
        self,
        host: HostProgram,
        code: NativeCode,
        weights: Mapping[str, NDArray[np.generic]],
    ):
        self._host = host
        self._code = code
        self._weights = {key: aligned_copy(array) for key, array in weights.items()}
        self._free: list[_Workspace] = [self._make_workspace()]
        self._later_parts = range(1, host.parts)
        self._input_bytes = _part_bytes(host, "input", "state")
        self._output_bytes = _part_bytes(host, "output")

    def run(
        self,
        inputs: Sequence[int],
        outputs: Sequence[int],
        finished: list[None] | None = None,
    ) -> None:
        """One inference; takes the addresses of contiguous inputs and outputs.

        Appends to `finished`, if there is one, for each segment that has returned.
        """
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = self._make_workspace()
        try:
            _run_part(workspace, inputs, outputs, finished)
            for part in self._later_parts:
                _run_part(
                    workspace,
                    [a + part * n for a, n in zip(inputs, self._input_bytes)],
                    [a + part * n for a, n in zip(outputs, self._output_bytes)],
                    finished,
                )
        finally:
            self._free.append(workspace)

    def repeat(
        self, states: Sequence[int], outputs: Sequence[int], control: int
    ) -> None:
        """Calls in a row, by the loop of the program's only segment.

        Takes the addresses of the states, of each output for all calls, and of a control
        block (`devproc.ir.host.control`).
        """
        assert self._host.repeat is not None
        (step,) = self._host.steps
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = self._make_workspace()
        arena = workspace.arena
        launch = self._bind(replace(step, symbol=self._host.repeat.symbol), arena)
        launch.table.append(control)
        address, _ = launch.table.buffer_info()
        looping = _Workspace(arena, [launch._replace(address=address)])
        try:
            _run_part(looping, states, outputs, None)
        finally:
            self._free.append(workspace)

    def _make_workspace(self) -> _Workspace:
        arena = aligned_bytes(self._host.arenas.get(HOST, 0))
        launches = [self._bind(step, arena) for step in self._host.steps]
        return _Workspace(arena, launches)

    def _bind(self, step: Step, arena: Bytes) -> _Launch:
        slots = [self._host.slots[number] for number in step.slots]
        # Storing to it takes half the time of storing to a ctypes array.
        table = array("Q", bytes(8 * len(slots)))
        address, _ = table.buffer_info()
        entries = (
            self._code.entry(step.symbol),
            self._code.recording_entry(step.symbol),
        )
        launch = _Launch(*entries, table, address, [], [])
        for place, slot in enumerate(slots):
            match slot.kind:
                case "input" | "state":
                    launch.inputs.append((place, slot.index))
                case "output":
                    launch.outputs.append((place, slot.index))
                case "weight":
                    table[place] = self._weights[slot.key].ctypes.data
                case _:
                    table[place] = arena.ctypes.data + slot.offset
        return launch


def _run_part(
    workspace: _Workspace,
    inputs: Sequence[int],
    outputs: Sequence[int],
    finished: list[None] | None,
) -> None:
    for entry, recording, table, address, given, made in workspace.launches:
        for place, index in given:
            table[place] = inputs[index]
        for place, index in made:
            table[place] = outputs[index]
        if finished is None:
            entry(address)
        else:
            recording(address, finished)


def _part_bytes(host: HostProgram, *kinds: str) -> list[int]:
    """Bytes of one part of each input or output, in order."""
    found = {slot.index: slot.byte_count for slot in host.slots if slot.kind in kinds}
    return [found[index] for index in range(len(found))]
