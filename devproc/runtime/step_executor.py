"""Runs a host program step by step, with a GPU (real or interpreted) beside the CPU."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext

import torch

from devproc.runtime.devices import TORCH_DTYPES, StreamDevice, view_bytes
from devproc.runtime.host_program import HostProgram, Slot, Step
from devproc.runtime.native_executor import NativeCode

Observer = Callable[[Step, float, float], None]
"""Sees each step with its begin and end, in seconds of `time.perf_counter`."""


class StepExecutor:
    """Executes launches, copies and syncs in order; one call at a time.

    Every slot is a tensor here: of the host's memory or of the device's. `code` may be
    None where nothing runs on the CPU, `device` where all does.
    """

    def __init__(
        self,
        host: HostProgram,
        code: NativeCode | None,
        device: StreamDevice | None,
        weights: Mapping[str, torch.Tensor],
    ):
        self._host = host
        self._code = code
        self._device = device
        self._lock = threading.Lock()
        self._arenas = {
            name: self._allocate(name, size) for name, size in host.arenas.items()
        }
        self._bound = [self._bind(slot, weights) for slot in host.slots]

    def _allocate(self, device: str, byte_count: int) -> torch.Tensor:
        if device == "cpu":
            return torch.empty(byte_count, dtype=torch.uint8)
        assert self._device is not None
        return self._device.allocate(byte_count)

    def _bind(
        self, slot: Slot, weights: Mapping[str, torch.Tensor]
    ) -> torch.Tensor | None:
        if slot.kind == "buffer":
            arena = self._arenas[slot.device]
            return view_bytes(arena, slot.offset, slot.dtype, slot.shape)
        if slot.kind == "weight":
            weight = weights[slot.key].contiguous().view(slot.shape)
            if slot.device == "cpu":
                return weight
            assert self._device is not None
            return self._device.upload(weight)
        return None

    def run(
        self,
        inputs: Sequence[torch.Tensor],
        outputs: Sequence[torch.Tensor],
        observe: Observer | None = None,
    ) -> None:
        """One inference on contiguous host tensors; fills `outputs`."""
        with self._lock:
            views = [
                bound if bound is not None else _given(slot, inputs, outputs)
                for slot, bound in zip(self._host.slots, self._bound, strict=True)
            ]
            device = self._device
            with device.kernels.session() if device is not None else nullcontext():
                for step in self._host.steps:
                    begin = time.perf_counter()
                    self._run_step(step, [views[number] for number in step.slots])
                    if observe is not None:
                        if device is not None and step.device != "cpu":
                            device.synchronize()
                        observe(step, begin, time.perf_counter())

    def _run_step(self, step: Step, operands: list[torch.Tensor]) -> None:
        match step.kind:
            case "copy":
                source, destination = operands
                destination.copy_(source.view(destination.shape), non_blocking=True)
            case "sync":
                assert self._device is not None
                self._device.synchronize()
            case _ if step.device == "cpu":
                assert self._code is not None
                table = (ctypes.c_void_p * len(operands))(
                    *(operand.data_ptr() for operand in operands)
                )
                self._code.entry(step.symbol)(ctypes.addressof(table))
            case _:
                assert self._device is not None
                self._device.kernels.launch(step.symbol, operands)


def _given(
    slot: Slot, inputs: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor]
) -> torch.Tensor:
    tensor = (inputs if slot.kind == "input" else outputs)[slot.index]
    # Kernels see uint8 as signless 8-bit integers: the same bytes by another name.
    return tensor.view(TORCH_DTYPES[slot.dtype]).view(slot.shape)
