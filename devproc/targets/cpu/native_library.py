"""Object files loaded into this process, and the addresses of their functions."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from devproc.errors import CompileError
from devproc.targets.cpu.object_linker import LinkedObjects
from devproc.targets.cpu.relocations import this_architecture

PARALLEL_FOR = "devproc_parallel_for"
"""The symbol that parallel loops refer to; see `devproc.targets.cpu.thread_pool`."""


class _Linked(Protocol):
    def address(self, name: str) -> int: ...


class NativeLibrary:
    """Object files in this process; they are unloaded with the object.

    `symbols` are addresses that the code refers to besides the C library and the functions
    of preceding files.
    """

    def __init__(
        self, files: Sequence[bytes], symbols: Mapping[str, int] | None = None
    ):
        self._linked: _Linked
        # All object code is ELF here: anything else is damaged and must not reach LLVM.
        if this_architecture() is not None:
            self._linked = LinkedObjects(files, symbols or {})
        else:
            try:
                from devproc.targets.cpu.jit import JITLibrary
            except ModuleNotFoundError as error:
                raise CompileError(
                    f"LLVM links code on {platform.system()} {platform.machine()}; pip "
                    "install llvmlite"
                ) from error
            self._linked = JITLibrary(files, symbols or {})

    def address(self, name: str) -> int:
        """The address of an external function of the code."""
        return self._linked.address(name)

    def function(self, name: str) -> Callable[[int], None]:
        """An external function of one pointer, to be called with an address.

        The call releases the GIL, and the function keeps the code loaded.
        """
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.address(name))
        function.library = self  # type: ignore[attr-defined]
        return function
