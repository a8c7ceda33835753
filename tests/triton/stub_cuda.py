"""`tests/bundle/c/stub_cuda.c`, which takes the place of `libcuda.so.1`, compiled and loaded."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

SOURCE = Path(__file__).parents[1] / "bundle" / "c" / "stub_cuda.c"

LIBRARY = "libcuda.so.1"

_KERNEL = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint64)
)


@cache
def stub_folder() -> Path:
    """A folder with the library under the driver's name; skips without a C compiler."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    folder = Path(mkdtemp())
    flags = ["-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared"]
    command = ["cc", *flags, f"-Wl,-soname,{LIBRARY}", str(SOURCE)]
    subprocess.run([*command, "-o", str(folder / LIBRARY)], check=True)
    return folder


class StubCuda:
    """The library with one device of a compute capability such as 90, and nothing in it."""

    def __init__(self, capability: int = 90, devices: int = 1) -> None:
        self.library = ctypes.CDLL(str(stub_folder() / LIBRARY))
        self.library.stub_log.restype = ctypes.c_char_p
        self.library.stub_limit.argtypes = (ctypes.c_size_t,)
        self.library.stub_reset(devices, capability)
        self._kernels: list[object] = []

    def log(self) -> list[str]:
        """What was called, a line each."""
        return self.library.stub_log().decode().splitlines()

    def live(self) -> int:
        """Contexts, modules, streams, events and blocks of memory that still exist."""
        return self.library.stub_live()

    def replace(self, name: str, kernel: Callable[[Sequence[int]], None]) -> None:
        """Runs a function of the arguments' addresses in the place of a kernel."""

        def call(_grid: object, arguments: Sequence[int]) -> None:
            kernel(arguments)

        self._kernels.append(_KERNEL(call))
        self.library.stub_replace(name.encode(), self._kernels[-1])
