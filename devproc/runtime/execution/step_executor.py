"""Runs a host program step by step, on any devices."""

from __future__ import annotations

import ctypes
import time
import weakref
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import torch

from devproc.backend import Backend
from devproc.backend.backend import Buffer
from devproc.backend.host_memory import view_bytes
from devproc.ir.concurrency.locks import OneCallAtATime
from devproc.ir.devices import HOST
from devproc.ir.dtypes import ITEM_SIZES
from devproc.reference.conversion.arrays import to_numpy
from devproc.runtime.calls.interface import TensorSpec
from devproc.runtime.calls.tensors import (
    TORCH_DTYPES,
    TORCH_NAMES,
    as_torch,
    empty_outputs,
)
from devproc.runtime.execution.host_program import HostProgram, Slot, Step
from devproc.runtime.execution.launch_runs import Launch, iterations, static_runs
from devproc.runtime.execution.native_executor import NativeCode
from devproc.runtime.execution.residence import needed_syncs, residence_of
from devproc.runtime.execution.state import Array, DeviceMemory, ProgramState

Action = Callable[[dict[int, Buffer]], None]
"""Runs one step, on the values of the call by number of their slot; a loop adds those that
advance with it. In the memory of the host, they are tensors."""

MOST_LISTS = 4
"""Most lists of prepared actions of a program that are kept."""

Observer = Callable[[Step, float, float], None]
"""Called after each step with its begin and end, in seconds of `time.perf_counter`."""


@dataclass(frozen=True)
class LoadedCode:
    """The code of a device, loaded by its backend."""

    backend: Backend
    handle: Any

    def launch(self, symbol: str, buffers: Sequence[Buffer]) -> None:
        """Runs or queues one function of the code."""
        self.backend.launch(self.handle, symbol, buffers)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor lies on the device."""
        return self.backend.holds(self.handle, tensor)

    def empty(self, dtype: str, shape: Sequence[int]) -> Buffer:
        """An uninitialised value in memory of its own."""
        byte_count = prod(shape) * ITEM_SIZES[dtype]
        memory = self.backend.allocate(self.handle, byte_count)
        return self.backend.view(memory, 0, dtype, shape)

    def state(self, slot: Slot) -> DeviceMemory:
        """Memory for a state."""
        buffer = self.empty(slot.dtype, slot.shape)

        def read() -> Array:
            found = torch.empty(slot.shape, dtype=TORCH_DTYPES[slot.dtype])
            with self.backend.session(self.handle):
                self.backend.download(buffer, found)
                self.backend.synchronize(self.handle)
            return to_numpy(found)

        def write(value: Array) -> None:
            given = as_torch(value, slot.dtype).view(TORCH_DTYPES[slot.dtype])
            with self.backend.session(self.handle):
                self.backend.upload(given, buffer)
                self.backend.synchronize(self.handle)

        return DeviceMemory(buffer, read, write)

    def upload(self, value: torch.Tensor) -> Buffer:
        """A copy of a value in memory of the device."""
        buffer = self.empty(TORCH_NAMES[value.dtype], value.shape)
        self.backend.upload(value, buffer)
        return buffer


class StepExecutor:
    """Executes launches, copies and syncs in order; one call at a time.

    `code` is that of each device which the program uses.
    """

    def __init__(
        self,
        host: HostProgram,
        code: Mapping[str, LoadedCode],
        weights: Mapping[str, torch.Tensor],
    ):
        self._host = host
        self._code = code
        for loaded in code.values():
            weakref.finalize(self, loaded.backend.unload, loaded.handle)
        self._calls = OneCallAtATime("this program")
        self._arenas = {
            name: self._allocate(name, size) for name, size in host.arenas.items()
        }
        self._bound = {
            number: value
            for number, slot in enumerate(host.slots)
            if (value := self._bind(slot, weights)) is not None
        }
        slots = list(enumerate(host.slots))
        given = [(n, slot) for n, slot in slots if slot.kind in ("input", "output")]
        self._given = [(n, slot) for n, slot in given if slot.device == HOST]
        self._states = [(n, slot) for n, slot in given if slot.device != HOST]
        self._residence = residence_of(host)
        self._actions: dict[object, tuple[Sequence[Action], object]] = {}

    def _allocate(self, device: str, byte_count: int) -> Any:
        if device == HOST:
            return torch.empty(byte_count, dtype=torch.uint8)
        loaded = self._code[device]
        return loaded.backend.allocate(loaded.handle, byte_count)

    def _bind(self, slot: Slot, weights: Mapping[str, torch.Tensor]) -> Buffer | None:
        if slot.kind == "buffer":
            arena = self._arenas[slot.device]
            if slot.device == HOST:
                return view_bytes(arena, slot.offset, slot.dtype, slot.shape)
            view = self._code[slot.device].backend.view
            return view(arena, slot.offset, slot.dtype, slot.shape)
        if slot.kind == "weight":
            weight = weights[slot.key].contiguous().view(slot.shape)
            on_host = slot.device == HOST
            return weight if on_host else self._code[slot.device].upload(weight)
        return None

    def place_states(
        self, state: ProgramState, names: Sequence[str], first: int
    ) -> None:
        """Moves the states that the program has on a device there.

        `names` are those of its states, `first` is the number of the first one among the
        inputs.
        """
        for _, slot in self._states:
            if slot.kind == "input":
                make = partial(self._code[slot.device].state, slot)
                state.place(names[slot.index - first], make)

    def keeps(self, index: int, tensor: torch.Tensor) -> bool:
        """Whether an input is read where a tensor lies, on a device."""
        device = self._residence.inputs.get(index)
        return device is not None and self._code[device].holds(tensor)

    def place_of(self, given: Sequence[object]) -> LoadedCode | None:
        """The device on which an input of a call lies; None if all are on the host."""
        tensors = [value for value in given if isinstance(value, torch.Tensor)]
        devices = (
            code for code in self._code.values() if any(map(code.holds, tensors))
        )
        return next(devices, None)

    def outputs(
        self, specs: Sequence[TensorSpec], place: LoadedCode | None
    ) -> list[torch.Tensor]:
        """Uninitialised tensors for the outputs of a call: on a device, those that it
        computes."""
        if place is None:
            return empty_outputs(specs)
        makers = self._residence.outputs
        return [
            place.empty(spec.dtype, spec.shape)
            if index in makers and self._code[makers[index]] is place
            else empty_outputs([spec])[0]
            for index, spec in enumerate(specs)
        ]

    def run(
        self,
        inputs: Sequence[torch.Tensor],
        outputs: Sequence[torch.Tensor],
        observe: Observer | None = None,
    ) -> None:
        """One inference on contiguous tensors; fills `outputs`.

        All are in memory of the host, but those for which `keeps` holds and those of
        `outputs` that it has put on a device. Raises BusyError for a nested call, as from a
        signal handler.
        """
        self._calls.run(self._run, inputs, outputs, observe)

    def _run(
        self,
        inputs: Sequence[torch.Tensor],
        outputs: Sequence[torch.Tensor],
        observe: Observer | None,
    ) -> None:
        states: dict[int, Buffer] = {
            number: (inputs if slot.kind == "input" else outputs)[slot.index]
            for number, slot in self._states
        }
        with ExitStack() as sessions:
            for loaded in self._code.values():
                sessions.enter_context(loaded.backend.session(loaded.handle))
            for part in range(self._host.parts):
                tensors = {
                    n: _given(slot, inputs, outputs, part) for n, slot in self._given
                }
                if observe is not None:
                    self._run_observed(tensors | states, observe)
                    continue
                for action in self._actions_on(states, outputs):
                    action(tensors)

    def _actions_on(
        self, states: Mapping[int, Buffer], outputs: Sequence[torch.Tensor]
    ) -> Sequence[Action]:
        """The steps of a call on these states, and with outputs on these devices.

        Most programs have one such list, those with states on a device two, since the
        states alternate between two buffers.
        """
        on_device = frozenset(
            index
            for index, device in self._residence.outputs.items()
            if self._code[device].holds(outputs[index])
        )
        key = (tuple(map(id, states.values())), on_device)
        if key not in self._actions:
            if len(self._actions) >= MOST_LISTS:
                self._actions.clear()
            # Its buffers are kept with it: identities are those of living objects.
            self._actions[key] = (self._prepare(states, on_device), states)
        return self._actions[key][0]

    def _prepare(
        self, states: Mapping[int, Buffer], on_device: Container[int]
    ) -> Sequence[Action]:
        """The steps of a call, with runs of launches on buffers that stay as one action."""
        actions: list[Action] = []
        bound = self._bound | dict(states)
        syncs = needed_syncs(self._host, on_device)
        for device, group in static_runs(self._host, bound):
            if isinstance(group, Step):
                if group.kind != "sync" or next(syncs):
                    actions.append(self._action(group, bound))
            else:
                actions.append(self._sequence(device, group))
        return actions

    def _sequence(self, device: str, launches: Sequence[Launch]) -> Action:
        loaded = self._code[device]
        run = loaded.backend.sequence(loaded.handle, launches)
        return lambda given: run()

    def _run_observed(self, given: dict[int, Buffer], observe: Observer) -> None:
        for step in self._host.steps:
            action = self._action(step, self._bound)
            begin = time.perf_counter()
            action(given)
            if step.device != HOST:
                self._synchronize(step.device)
            observe(step, begin, time.perf_counter())

    def _action(self, step: Step, bound: Mapping[int, Buffer]) -> Action:
        """A step as a function of the tensors of a call."""
        if step.kind == "sync":
            return lambda given: self._synchronize(step.device)
        if step.kind == "loop":
            return self._loop(step, bound)
        if step.kind == "launch" and step.device == HOST:
            return self._native_call(step, bound)
        run = self._operation(step)
        operands = [(number, bound.get(number)) for number in step.slots]
        return lambda given: run(
            [given[n] if value is None else value for n, value in operands]
        )

    def _synchronize(self, device: str) -> None:
        loaded = self._code[device]
        loaded.backend.synchronize(loaded.handle)

    def _loop(self, step: Step, bound: Mapping[int, Buffer]) -> Action:
        """Runs the steps of the body once per iteration."""
        actions = [self._action(inner, bound) for inner in step.body]

        def run(tensors: dict[int, Buffer]) -> None:
            for _ in iterations(step, self._host.slots, bound, tensors):
                for action in actions:
                    action(tensors)

        return run

    def _operation(self, step: Step) -> Callable[[list[Buffer]], None]:
        """The copy or kernel of a step, as a function of its operands."""
        if step.kind == "launch":
            return partial(self._code[step.device].launch, step.symbol)
        source, destination = (self._host.slots[number].device for number in step.slots)
        if destination != HOST:
            upload = self._code[destination].backend.upload
            return lambda operands: upload(operands[0], operands[1])
        if source != HOST:
            download = self._code[source].backend.download
            return lambda operands: download(operands[0], operands[1])
        return lambda operands: _copy(operands[0], operands[1])

    def _native_call(self, step: Step, bound: Mapping[int, Buffer]) -> Action:
        """A call of a segment with its own pointer table, of which few entries change."""
        code: NativeCode = self._code[HOST].handle
        entry = code.entry(step.symbol)
        table = (ctypes.c_void_p * len(step.slots))()
        changing: list[tuple[int, int]] = []
        for place, number in enumerate(step.slots):
            value = bound.get(number)
            if value is None:
                changing.append((place, number))
            else:
                table[place] = value.data_ptr()

        def call(given: Mapping[int, Buffer]) -> None:
            for place, number in changing:
                table[place] = given[number].data_ptr()
            entry(ctypes.addressof(table))

        return call


def _copy(source: torch.Tensor, destination: torch.Tensor) -> None:
    destination.copy_(source.view(destination.shape))


def _given(
    slot: Slot,
    inputs: Sequence[torch.Tensor],
    outputs: Sequence[torch.Tensor],
    part: int,
) -> torch.Tensor:
    tensor = (inputs if slot.kind == "input" else outputs)[slot.index]
    # Kernels take uint8 as signless integers: the same bytes under another dtype.
    numbers, count = tensor.view(TORCH_DTYPES[slot.dtype]), prod(slot.shape)
    if numbers.numel() > count:
        numbers = numbers.view(-1)[part * count : (part + 1) * count]
    return numbers.view(slot.shape)
