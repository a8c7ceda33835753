"""Runs a host program step by step, on any devices."""

from __future__ import annotations

import ctypes
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import torch

from devproc.backend import Queued
from devproc.backend.backend import Buffer
from devproc.backend.host_memory import view_bytes
from devproc.ir.concurrency.locks import OneCallAtATime
from devproc.ir.devices import HOST
from devproc.runtime.calls.interface import TensorSpec
from devproc.runtime.calls.tensors import TORCH_DTYPES, empty_outputs
from devproc.runtime.execution.host_program import HostProgram, Slot, Step
from devproc.runtime.execution.launch_runs import iterations, static_runs
from devproc.runtime.execution.loaded_code import LoadedCode
from devproc.runtime.execution.native_executor import NativeCode
from devproc.runtime.execution.residence import residence_of, steps_on
from devproc.runtime.execution.staged_call import StagedCall, StagedSteps
from devproc.runtime.execution.staging import Staging, StagingRing
from devproc.runtime.execution.state import ProgramState

Action = Callable[[dict[int, Buffer]], None]
"""Runs one step, on the values of the call by number of their slot; a loop adds those that
advance with it. In the memory of the host, they are tensors."""

MOST_LISTS = 4
"""Most lists of prepared actions that are kept for one staging memory."""

Observer = Callable[[Step, float, float], None]
"""Called after each step with its begin and end, in seconds of `time.perf_counter`."""


@dataclass(frozen=True, eq=False)
class _Plan:
    """The steps of a call with inputs and outputs in certain places."""

    steps: Sequence[Step]
    is_staged: bool
    """Whether some of them copy through staging memory."""
    is_awaited: bool
    """Whether the host has waited for all work of devices after them."""

    @staticmethod
    def of(steps: Sequence[Step], slots: Sequence[Slot]) -> _Plan:
        used = (slots[number].kind for step in steps for number in step.slots)
        last = {step.device: step.kind for step in steps if step.device != HOST}
        is_awaited = all(kind == "sync" for kind in last.values())
        return _Plan(steps, "staging" in used, is_awaited)


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
        kinds = ("input", "state", "output")
        given = [(n, slot) for n, slot in slots if slot.kind in kinds]
        self._given = [(n, slot) for n, slot in given if slot.device == HOST]
        self._states = [(n, slot) for n, slot in given if slot.device != HOST]
        self._residence = residence_of(host)
        self._plans: dict[tuple[frozenset[int], frozenset[int]], _Plan] = {}
        self._ring = StagingRing(self._make_staging)
        self._unstaged = Staging()

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

    def _make_staging(self) -> Staging:
        """Staging memory for one call, on each device that has any."""
        values, markers = dict[int, Buffer](), list[Any]()
        for device, loaded in self._code.items():
            slots = {
                number: slot
                for number, slot in enumerate(self._host.slots)
                if slot.kind == "staging" and slot.key == device
            }
            if slots:
                # Tensors without elements have a place too.
                size = max(1, self._host.staging_bytes(device))
                memory = loaded.backend.staging(loaded.handle, size)
                markers.append(loaded.backend.marker(loaded.handle))
                values |= {
                    number: view_bytes(memory, slot.offset, slot.dtype, slot.shape)
                    for number, slot in slots.items()
                }
        return Staging(values, markers)

    def staged_call(self) -> StagedCall | None:
        """The program as one run between copies of the host; None for another one."""
        if self._host.parts > 1 or self._states:
            return None
        with self._calls.held, self._sessions():
            staging = self._ring.take()
            found = self._staged_steps(staging)
            self._ring.give(staging)
        if found is None:
            return None
        return StagedCall(
            self._host.slots,
            self._ring,
            self._calls,
            self._code[found.device],
            lambda staging: self._staged_steps(staging) or found,
        )

    def _staged_steps(self, staging: Staging) -> StagedSteps | None:
        bound = self._bound | dict(staging.values)
        groups = static_runs(self._host.steps, self._host.slots, bound)
        return StagedSteps.of(list(groups), self._host.slots)

    def place_states(
        self, state: ProgramState, names: Sequence[str], first: int
    ) -> None:
        """Moves the states that the program has on a device there.

        `names` are those of its states, `first` is the number of the first one among the
        inputs.
        """
        for _, slot in self._states:
            if slot.kind != "output":
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
            number: (outputs if slot.kind == "output" else inputs)[slot.index]
            for number, slot in self._states
        }
        plan = self._plan_for(inputs, outputs)
        with self._sessions():
            for part in range(self._host.parts):
                tensors = {
                    n: _given(slot, inputs, outputs, part) for n, slot in self._given
                }
                staging = self._ring.take() if plan.is_staged else self._unstaged
                is_done = False
                try:
                    if observe is None:
                        for action in self._actions_on(staging, plan, states):
                            action(tensors)
                    else:
                        given = tensors | states | dict(staging.values)
                        self._run_observed(plan, given, observe)
                    is_done = plan.is_awaited
                finally:
                    if plan.is_staged:
                        if not is_done:
                            staging.mark()
                        self._ring.give(staging)

    def _sessions(self) -> ExitStack:
        """The sessions of all devices."""
        with ExitStack() as sessions:
            for loaded in self._code.values():
                sessions.enter_context(loaded.backend.session(loaded.handle))
            return sessions.pop_all()

    def _plan_for(
        self, inputs: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor]
    ) -> _Plan:
        """The steps of a call with inputs and outputs in these places."""
        on_device = (
            self._held(self._residence.inputs, inputs),
            self._held(self._residence.outputs, outputs),
        )
        if on_device not in self._plans:
            steps = steps_on(self._host, *on_device)
            self._plans[on_device] = _Plan.of(steps, self._host.slots)
        return self._plans[on_device]

    def _actions_on(
        self, staging: Staging, plan: _Plan, states: Mapping[int, Buffer]
    ) -> Sequence[Action]:
        """The steps of a call on this staging memory and these states.

        Most programs have one such list for a staging memory, those with states on a device
        two, since the states alternate between two buffers.
        """
        key = (plan, tuple(map(id, states.values())))
        lists = staging.prepared.setdefault(StepExecutor, {})
        if key not in lists:
            if len(lists) >= MOST_LISTS:
                lists.clear()
            # Its buffers are kept with it: identities are those of living objects.
            lists[key] = (self._prepare(staging, states, plan.steps), states)
        return lists[key][0]

    def _held(
        self, devices: Mapping[int, str], tensors: Sequence[torch.Tensor]
    ) -> frozenset[int]:
        """The inputs or outputs that lie on the device that copies them."""
        held = (i for i, d in devices.items() if self._code[d].holds(tensors[i]))
        return frozenset(held)

    def _prepare(
        self, staging: Staging, states: Mapping[int, Buffer], steps: Sequence[Step]
    ) -> Sequence[Action]:
        """The steps of a call, with runs of works on buffers that stay as one action."""
        bound = self._bound | dict(staging.values) | dict(states)
        return [
            self._action(group, bound)
            if isinstance(group, Step)
            else self._sequence(device, group)
            for device, group in static_runs(steps, self._host.slots, bound)
        ]

    def _sequence(self, device: str, works: Sequence[Queued]) -> Action:
        loaded = self._code[device]
        run = loaded.backend.sequence(loaded.handle, works)
        return lambda given: run()

    def _run_observed(
        self, plan: _Plan, given: dict[int, Buffer], observe: Observer
    ) -> None:
        for step in plan.steps:
            if step.kind in ("record", "wait"):
                continue  # Each step ends before the next one begins.
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
    tensor = (outputs if slot.kind == "output" else inputs)[slot.index]
    # Kernels take uint8 as signless integers: the same bytes under another dtype.
    numbers, count = tensor.view(TORCH_DTYPES[slot.dtype]), prod(slot.shape)
    if numbers.numel() > count:
        numbers = numbers.view(-1)[part * count : (part + 1) * count]
    return numbers.view(slot.shape)
