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

from devproc.backend import Backend
from devproc.backend.backend import Buffer
from devproc.backend.host_memory import view_bytes
from devproc.ir.concurrency.locks import OneCallAtATime
from devproc.ir.devices import HOST
from devproc.runtime.calls.tensors import TORCH_DTYPES, TORCH_NAMES
from devproc.runtime.execution.host_program import HostProgram, Slot, Step
from devproc.runtime.execution.native_executor import NativeCode

Action = Callable[[dict[int, Buffer]], None]
"""Runs one step, on the values of the call by number of their slot; a loop adds those that
advance with it. In the memory of the host, they are tensors."""

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

    def upload(self, weight: torch.Tensor) -> Buffer:
        """A weight in the memory of the device."""
        memory = self.backend.allocate(self.handle, weight.nbytes)
        dtype = TORCH_NAMES[weight.dtype]
        buffer = self.backend.view(memory, 0, dtype, weight.shape)
        self.backend.upload(weight, buffer)
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
        self._bound = [self._bind(slot, weights) for slot in host.slots]
        self._given = [
            number
            for number, slot in enumerate(host.slots)
            if slot.kind in ("input", "output")
        ]
        self._actions = [self._action(step) for step in host.steps]

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

    def run(
        self,
        inputs: Sequence[torch.Tensor],
        outputs: Sequence[torch.Tensor],
        observe: Observer | None = None,
    ) -> None:
        """One inference on contiguous host tensors; fills `outputs`.

        Raises BusyError for a nested call, as from a signal handler.
        """
        self._calls.run(self._run, inputs, outputs, observe)

    def _run(
        self,
        inputs: Sequence[torch.Tensor],
        outputs: Sequence[torch.Tensor],
        observe: Observer | None,
    ) -> None:
        with ExitStack() as sessions:
            for loaded in self._code.values():
                sessions.enter_context(loaded.backend.session(loaded.handle))
            for part in range(self._host.parts):
                slots = self._host.slots
                tensors = {
                    n: _given(slots[n], inputs, outputs, part) for n in self._given
                }
                if observe is not None:
                    self._run_observed(tensors, observe)
                    continue
                for action in self._actions:
                    action(tensors)

    def _run_observed(self, given: dict[int, Buffer], observe: Observer) -> None:
        for step, action in zip(self._host.steps, self._actions, strict=True):
            begin = time.perf_counter()
            action(given)
            if step.device != HOST:
                self._synchronize(step.device)
            observe(step, begin, time.perf_counter())

    def _action(self, step: Step) -> Action:
        """A step as a function of the tensors of a call."""
        if step.kind == "sync":
            return lambda given: self._synchronize(step.device)
        if step.kind == "loop":
            return self._loop(step)
        if step.kind == "launch" and step.device == HOST:
            return self._native_call(step)
        run = self._operation(step)
        operands = [(number, self._bound[number]) for number in step.slots]
        return lambda given: run(
            [given[n] if bound is None else bound for n, bound in operands]
        )

    def _synchronize(self, device: str) -> None:
        loaded = self._code[device]
        loaded.backend.synchronize(loaded.handle)

    def _loop(self, step: Step) -> Action:
        """Runs the steps of the body once per iteration."""
        actions = [self._action(inner) for inner in step.body]
        moving = [(number, self._host.slots[number]) for number in step.slots]

        def held(tensors: Mapping[int, Buffer], number: int) -> Buffer:
            bound = self._bound[number]
            return tensors[number] if bound is None else bound

        def run(tensors: dict[int, Buffer]) -> None:
            for start, now, _, end in step.carried:
                tensors[now] = tensors[end] = held(tensors, start)
            for i in range(step.rounds):
                for number, slot in moving:
                    tensor = held(tensors, slot.index)
                    if slot.kind == "slice":
                        tensor = tensor[slot.offset + i * slot.stride]
                    tensors[number] = tensor.view(slot.shape)
                for action in actions:
                    action(tensors)
                following = [held(tensors, after) for _, _, after, _ in step.carried]
                for (_, now, _, end), tensor in zip(step.carried, following):
                    tensors[now] = tensors[end] = tensor

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

    def _native_call(self, step: Step) -> Action:
        """A call of a segment with its own pointer table, of which few entries change."""
        code: NativeCode = self._code[HOST].handle
        entry = code.entry(step.symbol)
        table = (ctypes.c_void_p * len(step.slots))()
        changing: list[tuple[int, int]] = []
        for place, number in enumerate(step.slots):
            bound = self._bound[number]
            if bound is None:
                changing.append((place, number))
            else:
                table[place] = bound.data_ptr()

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
    numbers, count = tensor.view(TORCH_DTYPES[slot.dtype]).view(-1), prod(slot.shape)
    return numbers[part * count : (part + 1) * count].view(slot.shape)
