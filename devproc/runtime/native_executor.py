"""Runs a program whose steps are all native CPU segments: the short way."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from devproc.dialects.plan import ALIGNMENT
from devproc.runtime.host_program import HostProgram, Step

Bytes = NDArray[np.uint8]

Entry = Callable[[int], None]
"""A native segment: takes the address of its table of operand pointers."""


class NativeCode(Protocol):
    """Loaded object code: entries of segments by symbol."""

    def entry(self, symbol: str) -> Entry:
        """The callable entry of a segment."""
        ...


def aligned_bytes(byte_count: int) -> Bytes:
    """Uninitialised memory whose address is a multiple of the plan's alignment."""
    raw = np.empty(byte_count + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + byte_count]


def aligned_copy(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The array itself where it is contiguous and aligned, else an aligned copy.

    Generated code relies on the alignment of weights and arenas.
    """
    if array.flags.c_contiguous and array.ctypes.data % ALIGNMENT == 0:
        return array
    memory = aligned_bytes(array.nbytes)
    copy = memory.view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@dataclass
class _Launch:
    """One native call with its table, and the places that change with every call."""

    entry: Entry
    table: ctypes.Array[ctypes.c_void_p]
    address: int
    inputs: list[tuple[int, int]]
    outputs: list[tuple[int, int]]


@dataclass
class _Workspace:
    """What one call in flight needs for itself: the arena and the pointer tables."""

    arena: Bytes
    launches: list[_Launch]


class NativeExecutor:
    """Runs a program whose steps are all native segments; safe from several threads.

    Each call takes a workspace of its own from a list (made when the list is empty), so
    calls of several Python threads do not share an arena.
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

    def run(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """One inference; takes the addresses of contiguous inputs and outputs."""
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = self._make_workspace()
        try:
            for launch in workspace.launches:
                table = launch.table
                for place, index in launch.inputs:
                    table[place] = inputs[index]
                for place, index in launch.outputs:
                    table[place] = outputs[index]
                launch.entry(launch.address)
        finally:
            self._free.append(workspace)

    def _make_workspace(self) -> _Workspace:
        arena = aligned_bytes(self._host.arenas.get("cpu", 0))
        launches = [self._bind(step, arena.ctypes.data) for step in self._host.steps]
        return _Workspace(arena, launches)

    def _bind(self, step: Step, arena: int) -> _Launch:
        slots = [self._host.slots[number] for number in step.slots]
        table = (ctypes.c_void_p * len(slots))()
        launch = _Launch(
            self._code.entry(step.symbol), table, ctypes.addressof(table), [], []
        )
        for place, slot in enumerate(slots):
            match slot.kind:
                case "input":
                    launch.inputs.append((place, slot.index))
                case "output":
                    launch.outputs.append((place, slot.index))
                case "weight":
                    table[place] = self._weights[slot.key].ctypes.data
                case _:
                    table[place] = arena + slot.offset
        return launch
