# pyright: reportUnknownMemberType=false
"""The few functions of NVIDIA's driver that load and launch machine code, by `ctypes`.

Contexts, memory and streams are PyTorch's: the driver works in the primary context of a GPU,
as PyTorch does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

from devproc.errors import CompileError
from devproc.targets.triton.device import Launch

LIBRARY = "libcuda.so.1"

STATIC_SHARED = 48 << 10
"""Bytes of shared memory that a kernel may use without asking for more."""

MAX_DYNAMIC_SHARED = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"""


UNTIMED = 2
"""CU_EVENT_DISABLE_TIMING"""

NON_BLOCKING = 1
"""CU_STREAM_NON_BLOCKING"""

STREAM_SERIALIZATION = 6
"""CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION"""


class LaunchAttribute(ctypes.Structure):
    """`CUlaunchAttribute` of `cuda.h`: a number, and a union of 64 bytes."""

    _fields_ = [("id", c_int), ("padding", c_int), ("value", c_int * 16)]


class LaunchConfig(ctypes.Structure):
    """`CUlaunchConfig` of `cuda.h`."""

    _fields_ = [
        *((f"grid_{axis}", c_uint) for axis in "xyz"),
        *((f"block_{axis}", c_uint) for axis in "xyz"),
        ("shared_bytes", c_uint),
        ("stream", c_void_p),
        ("attributes", c_void_p),
        ("attribute_count", c_uint),
    ]


class Driver:
    """The driver, or a library with the same functions."""

    def __init__(self, library: Any = None):
        self._library = ctypes.CDLL(LIBRARY) if library is None else library

    def enter(self, index: int) -> None:
        """Makes the context of a GPU current in a thread that has none yet: PyTorch does that
        only when it has to."""
        context = c_void_p()
        self._call("cuCtxGetCurrent", ctypes.byref(context))
        if context.value is None:
            device = c_int()
            self._call("cuDeviceGet", ctypes.byref(device), c_int(index))
            self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self._call("cuCtxSetCurrent", context)

    def function(self, cubin: bytes, symbol: str, shared_bytes: int) -> c_void_p:
        """An entry point of a cubin, which stays loaded in the current context.

        Raises CompileError for a cubin that the card cannot run.
        """
        module, function = c_void_p(), c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), cubin)
        self._call(
            *("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
        )
        if shared_bytes > STATIC_SHARED:
            limit = (c_int(MAX_DYNAMIC_SHARED), c_int(shared_bytes))
            self._call("cuFuncSetAttribute", function, *limit)
        return function

    def prepare(
        self,
        function: c_void_p,
        grid: tuple[int, int, int],
        threads: int,
        shared_bytes: int,
        pointers: Sequence[int],
        is_dependent: bool = False,
    ) -> Launch:
        """A launch with all arguments packed: a call only sets the stream.

        `is_dependent`: whether the kernel waits for the one before it by itself. An empty
        grid launches nothing.
        """
        if 0 in grid:
            return lambda stream: None
        values = (c_uint64 * len(pointers))(*pointers)
        first, size = ctypes.addressof(values), ctypes.sizeof(c_uint64)
        places = [first + size * i for i in range(len(pointers))]
        table = (c_void_p * len(pointers))(*places)
        config = LaunchConfig(*grid, threads, 1, 1, shared_bytes)
        attribute = LaunchAttribute(STREAM_SERIALIZATION)
        attribute.value[0] = 1
        if is_dependent:
            config.attributes = ctypes.addressof(attribute)
            config.attribute_count = 1
        enqueue = self._library.cuLaunchKernelEx
        given = (c_void_p(ctypes.addressof(config)), function)
        # The addresses above are those of the objects in `keep`.
        given, keep = (
            (*given, c_void_p(ctypes.addressof(table)), None),
            (values, table, attribute),
        )

        def launch(stream: int) -> None:
            config.stream = stream
            if status := enqueue(*given):
                self._refuse("cuLaunchKernelEx", status)

        launch.keep = keep  # pyright: ignore[reportFunctionMemberAccess]
        return launch

    def prepare_copy(self, destination: int, source: int, byte_count: int) -> Launch:
        """A copy between two addresses; none of no bytes."""
        if not byte_count:
            return lambda stream: None
        enqueue = self._library.cuMemcpyAsync
        given = (c_uint64(destination), c_uint64(source), c_size_t(byte_count))

        def copy(stream: int) -> None:
            if status := enqueue(*given, c_void_p(stream)):
                self._refuse("cuMemcpyAsync", status)

        return copy

    def make_stream(self) -> int:
        """A stream of the current context that does not wait for the default one."""
        stream = c_void_p()
        self._call("cuStreamCreate", ctypes.byref(stream), c_uint(NON_BLOCKING))
        return stream.value or 0

    def make_event(self) -> c_void_p:
        """An event of the current context."""
        event = c_void_p()
        self._call("cuEventCreate", ctypes.byref(event), c_uint(UNTIMED))
        return event

    def record(self, event: c_void_p, stream: int) -> None:
        """Moves an event to the end of what a stream has queued."""
        if status := self._library.cuEventRecord(event, c_void_p(stream)):
            self._refuse("cuEventRecord", status)

    def wait(self, event: c_void_p, stream: int) -> None:
        """Makes later work of a stream wait for an event."""
        if status := self._library.cuStreamWaitEvent(c_void_p(stream), event, c_uint()):
            self._refuse("cuStreamWaitEvent", status)

    def finish(self, event: c_void_p) -> None:
        """Blocks the host until an event is passed."""
        if status := self._library.cuEventSynchronize(event):
            self._refuse("cuEventSynchronize", status)

    def synchronize(self, stream: int) -> None:
        """Blocks the host until a stream is empty."""
        if status := self._library.cuStreamSynchronize(c_void_p(stream)):
            self._refuse("cuStreamSynchronize", status)

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, name)(*arguments)
        if status:
            self._refuse(name, status)

    def _refuse(self, name: str, status: int) -> None:
        text = ctypes.c_char_p()
        self._library.cuGetErrorString(c_int(status), ctypes.byref(text))
        why = (text.value or b"an unknown error").decode()
        raise CompileError(f"{name} failed: {why} ({status})")
