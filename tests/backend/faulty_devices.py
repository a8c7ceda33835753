"""The NumPy device with one fault each, which the conformance kit has to find."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tests.backend import numpy_device
from tests.backend.numpy_device import OPS, NumPy, assign


class ForgetsSync(NumPy):
    """The last thing that is queued waits for the next sync."""

    def synchronize(self, handle: Any, queue: int = 0) -> None:
        while len(handle.queue) > 1:
            handle.queue.pop(0)()


class ReversesQueue(NumPy):
    """The newest work first."""

    def synchronize(self, handle: Any, queue: int = 0) -> None:
        while handle.queue:
            handle.queue.pop()()


class OtherOps(NumPy):
    """Some functions of NumPy are others."""

    ops: ClassVar[dict[str, Any]] = {}

    def launch(self, handle: Any, symbol: str, buffers: Any, queue: int = 0) -> None:
        def run() -> None:
            before = dict(OPS)
            OPS.update(self.ops)
            try:
                places = [place for _, place in buffers]
                numpy_device.run(handle.code[symbol], handle.weights, places)
            finally:
                OPS.update(before)

        handle.queue.append(run)


class SwapsOperands(OtherOps):
    """Subtracts the other way round."""

    ops: ClassVar = {"nn.sub": lambda x, y: y - x}


class IgnoresNaN(OtherOps):
    """The number of a NaN and a number is the number."""

    ops: ClassVar = {"nn.maximum": np.fmax, "nn.relu": lambda x: np.fmax(x, 0)}


class OffByOne(OtherOps):
    """The last element of an odd number of them is not computed."""

    @staticmethod
    def add(x: Any, y: Any) -> Any:
        result = np.array(x + y)
        if result.size % 2:
            result.reshape(-1)[-1] = 0
        return result

    ops: ClassVar = {"nn.add": add}


class WrongAlignment(NumPy):
    """It says 64 bytes and means 256."""

    def view(self, memory: Any, offset: int, dtype: str, shape: Any) -> Any:
        return super().view(memory, offset // 256 * 256, dtype, shape)


class WritesOutside(NumPy):
    """A copy to the device fills whole vectors of 64 bytes."""

    def view(self, memory: Any, offset: int, dtype: str, shape: Any) -> Any:
        queue, place = super().view(memory, offset, dtype, shape)
        return queue, place, memory[1][offset + place.nbytes :][: -place.nbytes % 64]

    def upload(self, source: Any, buffer: Any) -> None:
        queue, place, rest = buffer

        def fill() -> None:
            assign(place, source.numpy())
            rest[...] = 0

        queue.append(fill)

    def download(self, buffer: Any, destination: Any) -> None:
        super().download(buffer[:2], destination)

    def launch(self, handle: Any, symbol: str, buffers: Any, queue: int = 0) -> None:
        super().launch(handle, symbol, [buffer[:2] for buffer in buffers])


class KeepsNoWeights(NumPy):
    """Weights are those of the caller."""

    def load(self, code: bytes, weights: Any, option: str = "") -> Any:
        handle = super().load(code, weights, option)
        handle.weights = weights
        return handle


class OneMemory(NumPy):
    """All programs compute in the same memory."""

    shared: ClassVar[dict[int, Any]] = {}

    def allocate(self, handle: Any, byte_count: int) -> Any:
        key = len(handle.memory)
        handle.memory[key] = self.shared.setdefault(key, np.empty(1 << 16, np.uint8))
        return handle.queue, handle.memory[key]

    def unload(self, handle: Any) -> None:
        self.shared.clear()


class OneQueue(NumPy):
    """`unload` drops what any program has queued."""

    queue: ClassVar[list[Any]] = []

    def load(self, code: bytes, weights: Any, option: str = "") -> Any:
        handle = super().load(code, weights, option)
        handle.queue = self.queue
        return handle

    def unload(self, handle: Any) -> None:
        self.queue.clear()


class ChecksNothing(NumPy):
    """Any bytes are code."""

    def problems(self, code: bytes, launches: Any) -> list[str]:
        return []


class ForgetsState(NumPy):
    """A second call sees what the first one was given."""

    def upload(self, source: Any, buffer: Any) -> None:
        queue, place = buffer
        key = place.__array_interface__["data"][0]
        seen: dict[int, Any] = self.__dict__.setdefault("seen", {})
        kept = seen.setdefault(key, source.numpy().copy())
        queue.append(lambda: assign(place, kept))
