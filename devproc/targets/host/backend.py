"""PyTorch on the host: it runs what the compiler does not support (`fallback="torch"`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from devproc.backend import Backend, Description, Memory
from devproc.errors import BundleError, CompileError
from devproc.ir.devices import HOST

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from devproc.dialects.dev import TargetAttr
    from devproc.ir.weights.table import Array
    from devproc.targets.host.functions import HostFunction


class Host(Backend):
    """Regions as functions on tensors, whose code is their own text."""

    summary = "PyTorch, for operators that are not compiled"
    is_asynchronous = False
    is_target = False
    memory = HOST

    def describe(self, target: TargetAttr) -> Description:
        """The memory of the CPU; nothing is placed here by its time."""
        return Description((Memory("main", 12e9),), {"": 1e9})

    def build(self, module: ModuleOp) -> bytes:
        """The text of the functions."""
        from devproc.driver import module_text

        return module_text(module).encode()

    def needs(self, code: bytes) -> Sequence[str]:
        """The operators of PyTorch that the functions call."""
        found = re.findall(rb'dev\.host_call "([^"]+)"', code)
        return sorted({name.decode() for name in found})

    def problems(self, code: bytes, launches: Mapping[str, Sequence[str]]) -> list[str]:
        """Functions that the text lacks."""
        text = _text(code)
        return [
            f"PyTorch has no function '{name}' to run"
            for name in launches
            if f"@{name}(" not in text
        ]

    def load(
        self, code: bytes, weights: Mapping[str, Array], option: str = ""
    ) -> dict[str, HostFunction]:
        """The functions by name, ready to be called."""
        from devproc.targets.host.functions import load_host_functions

        try:
            return load_host_functions(_text(code))
        except CompileError as error:
            raise BundleError(str(error)) from error

    def launch(
        self,
        handle: dict[str, HostFunction],
        symbol: str,
        buffers: Sequence[Any],
        queue: int = 0,
    ) -> None:
        """Runs one function; it is done when this returns."""
        handle[symbol](buffers)


def _text(code: bytes) -> str:
    try:
        return code.decode()
    except UnicodeDecodeError as error:
        raise BundleError(f"the functions of PyTorch are not text: {error}") from error
