"""Makes the code of one device alongside the compilation of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from devproc.backend.backend import Backend
    from devproc.ir.program.kernel_modules import KernelModule
    from devproc.timings import StageRecord

    Observer = Callable[[ModuleOp], None]


class CodeBuilder:
    """Code of a device in the making: by default, `Backend.build` at the end."""

    observers: Mapping[str, Observer] = {}
    """Name of a pass -> called with a module before that pass."""
    takes_all = False
    """Whether `add` gets the whole program, not only the functions of the device."""

    def __init__(self, backend: Backend):
        self._backend = backend
        self._code: bytes | None = None

    def add_kernel(self, kernel: KernelModule) -> None:
        """One lowered kernel, of a device whose kernels are lowered one by one."""
        raise NotImplementedError

    def add(self, module: ModuleOp) -> None:
        """The functions of the device that are no such kernels, if there are any."""
        self._code = self._backend.build(module)

    def finish(self) -> tuple[bytes | None, StageRecord | None]:
        """The code, None if there is none, and its times if they are worth a record."""
        return self._code, None
