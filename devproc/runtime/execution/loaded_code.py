"""The code of a device, loaded by its backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch

from devproc.backend import Backend
from devproc.backend.backend import Buffer
from devproc.ir.dtypes import ITEM_SIZES
from devproc.reference.conversion.arrays import to_numpy
from devproc.runtime.calls.tensors import TORCH_DTYPES, TORCH_NAMES, as_torch
from devproc.runtime.execution.host_program import Slot
from devproc.runtime.execution.state import Array, DeviceMemory


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
