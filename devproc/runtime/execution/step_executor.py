"""Runs a host program step by step, on the CPU and a GPU (real or interpreted)."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from math import prod

import torch

from devproc.ir.concurrency.locks import OneCallAtATime
from devproc.runtime.calls.tensors import TORCH_DTYPES
from devproc.runtime.execution.devices import StreamDevice, view_bytes
from devproc.runtime.execution.host_functions import HostFunction
from devproc.runtime.execution.host_program import HostProgram, Slot, Step
from devproc.runtime.execution.native_executor import NativeCode

Action = Callable[[dict[int, torch.Tensor]], None]
"""Runs one step, on the tensors of the call by number of their slot; a loop adds those that
advance with it."""

Observer = Callable[[Step, float, float], None]
"""Called after each step with its begin and end, in seconds of `time.perf_counter`."""


class StepExecutor:
    """Executes launches, copies and syncs in order; one call at a time.

    Every slot is a tensor, in host or device memory. `code` may be None if nothing runs on
    the CPU, `device` if everything does. `functions` are those that PyTorch runs, by name.
    """

    def __init__(
        self,
        host: HostProgram,
        code: NativeCode | None,
        device: StreamDevice | None,
        weights: Mapping[str, torch.Tensor],
        functions: Mapping[str, HostFunction] | None = None,
    ):
        self._host = host
        self._functions = functions or {}
        self._code = code
        self._device = device
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

    @property
    def _gpu(self) -> StreamDevice:
        assert self._device is not None
        return self._device

    def _allocate(self, device: str, byte_count: int) -> torch.Tensor:
        if device == "cpu":
            return torch.empty(byte_count, dtype=torch.uint8)
        return self._gpu.allocate(byte_count)

    def _bind(
        self, slot: Slot, weights: Mapping[str, torch.Tensor]
    ) -> torch.Tensor | None:
        if slot.kind == "buffer":
            arena = self._arenas[slot.device]
            return view_bytes(arena, slot.offset, slot.dtype, slot.shape)
        if slot.kind == "weight":
            weight = weights[slot.key].contiguous().view(slot.shape)
            return weight if slot.device == "cpu" else self._gpu.upload(weight)
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
        device = self._device
        with device.kernels.session() if device is not None else nullcontext():
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

    def _run_observed(self, given: dict[int, torch.Tensor], observe: Observer) -> None:
        device = self._device
        for step, action in zip(self._host.steps, self._actions, strict=True):
            begin = time.perf_counter()
            action(given)
            if device is not None and step.device not in ("cpu", "host"):
                device.synchronize()
            observe(step, begin, time.perf_counter())

    def _action(self, step: Step) -> Action:
        """A step as a function of the tensors of a call."""
        if step.kind == "sync":
            return lambda given: self._gpu.synchronize()
        if step.kind == "loop":
            return self._loop(step)
        if step.kind == "launch" and step.device == "cpu":
            return self._native_call(step)
        run = self._operation(step)
        operands = [(number, self._bound[number]) for number in step.slots]
        return lambda given: run(
            [given[n] if bound is None else bound for n, bound in operands]
        )

    def _loop(self, step: Step) -> Action:
        """Runs the steps of the body once per iteration."""
        actions = [self._action(inner) for inner in step.body]
        moving = [(number, self._host.slots[number]) for number in step.slots]

        def held(tensors: Mapping[int, torch.Tensor], number: int) -> torch.Tensor:
            bound = self._bound[number]
            return tensors[number] if bound is None else bound

        def run(tensors: dict[int, torch.Tensor]) -> None:
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

    def _operation(self, step: Step) -> Callable[[list[torch.Tensor]], None]:
        """The copy or kernel of a step, as a function of its tensors."""
        if step.kind == "copy":
            return _copy
        if step.device == "host":
            return self._functions[step.symbol]
        return partial(self._gpu.kernels.launch, step.symbol)

    def _native_call(self, step: Step) -> Action:
        """A call of a segment with its own pointer table, of which few entries change."""
        assert self._code is not None
        entry = self._code.entry(step.symbol)
        table = (ctypes.c_void_p * len(step.slots))()
        changing: list[tuple[int, int]] = []
        for place, number in enumerate(step.slots):
            bound = self._bound[number]
            if bound is None:
                changing.append((place, number))
            else:
                table[place] = bound.data_ptr()

        def call(given: Mapping[int, torch.Tensor]) -> None:
            for place, number in changing:
                table[place] = given[number].data_ptr()
            entry(ctypes.addressof(table))

        return call


def _copy(operands: list[torch.Tensor]) -> None:
    source, destination = operands
    destination.copy_(source.view(destination.shape), non_blocking=True)


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
