"""NVIDIA's driver as far as it is called, which writes down what it is given."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from devproc.targets.triton.driver import LaunchAttribute, LaunchConfig


@dataclass
class StubDriver:
    """A library with the functions of `libcuda`; each returns `status`."""

    status: int = 0
    context: int | None = None
    calls: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    dependent: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Number and value of each attribute of a launch."""

    def cuCtxGetCurrent(self, context: Any) -> int:
        context._obj.value = self.context
        return 0

    def cuDeviceGet(self, device: Any, index: Any) -> int:
        device._obj.value = index.value
        return 0

    def cuDevicePrimaryCtxRetain(self, context: Any, device: Any) -> int:
        context._obj.value = 0xC0 + device.value
        return 0

    def cuCtxSetCurrent(self, context: Any) -> int:
        self.context = context.value
        self.calls.append(("context", context.value))
        return 0

    def cuModuleLoadData(self, module: Any, cubin: bytes) -> int:
        self.calls.append(("load", cubin))
        return self.status

    def cuModuleGetFunction(self, function: Any, module: Any, symbol: bytes) -> int:
        self.calls.append(("function", symbol))
        function._obj.value = len(self.calls)
        return self.status

    def cuFuncSetAttribute(self, function: Any, attribute: Any, value: Any) -> int:
        self.calls.append(("attribute", attribute.value, value.value))
        return self.status

    def cuStreamCreate(self, stream: Any, flags: Any) -> int:
        stream._obj.value = 100 + sum(call[0] == "stream" for call in self.calls)
        self.calls.append(("stream", flags.value))
        return self.status

    def cuEventCreate(self, event: Any, flags: Any) -> int:
        event._obj.value = 500 + sum(call[0] == "event" for call in self.calls)
        self.calls.append(("event", flags.value))
        return self.status

    def cuEventRecord(self, event: Any, stream: Any) -> int:
        self.calls.append(("record", event.value, stream.value))
        return self.status

    def cuStreamWaitEvent(self, stream: Any, event: Any, flags: Any) -> int:
        self.calls.append(("wait", event.value, stream.value))
        return self.status

    def cuEventSynchronize(self, event: Any) -> int:
        self.calls.append(("finish", event.value))
        return self.status

    def cuStreamSynchronize(self, stream: Any) -> int:
        self.calls.append(("synchronize", stream.value))
        return self.status

    def cuMemcpyAsync(self, to: Any, of: Any, count: Any, stream: Any) -> int:
        ctypes.memmove(to.value, of.value, count.value)
        self.calls.append(("copy", count.value, stream.value))
        return self.status

    def cuGetErrorString(self, status: Any, text: Any) -> int:
        text._obj.value = b"an illegal memory access"
        return 0

    def cuLaunchKernelEx(
        self, config: Any, function: Any, parameters: Any, extra: None
    ) -> int:
        found = LaunchConfig.from_address(config.value)
        grid = (found.grid_x, found.grid_y, found.grid_z)
        block = (found.block_x, found.block_y, found.block_z)
        # The first ones: each kernel of the tests has two, and Triton adds two.
        places = (ctypes.c_void_p * 4).from_address(parameters.value)
        values = [ctypes.c_uint64.from_address(place).value for place in places]
        shared, stream = found.shared_bytes, found.stream or 0
        attributes = LaunchAttribute * found.attribute_count
        if found.attribute_count:
            for given in attributes.from_address(found.attributes):
                self.dependent.append((given.id, given.value[0]))
        self.calls.append(("launch", grid, block, shared, stream, tuple(values)))
        return self.status
