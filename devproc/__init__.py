"""DevProc: whole inference programs, compiled in readable Python.

The public API. Names load on first use, so that tools which need no PyTorch stay light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from devproc.errors import (
    BoundsError,
    BuildError,
    BundleError,
    CompileError,
    DevProcError,
    InputError,
    RegistrationError,
    UnsupportedError,
)
from devproc.ir.garbage import paused_garbage_collection

if TYPE_CHECKING:
    from devproc.compiler import verify
    from devproc.entry import compile
    from devproc.exchange.reader import load_json
    from devproc.exchange.writer import export_json
    from devproc.extension import register_op
    from devproc.frontends.dsl import Pipeline
    from devproc.runtime.bundles.bundle import load
    from devproc.runtime.program import Program

    pipeline = Pipeline

__version__ = "0.1.0"

_HOMES = {
    "Pipeline": ("devproc.frontends.dsl", "Pipeline"),
    "Program": ("devproc.runtime.program", "Program"),
    "compile": ("devproc.entry", "compile"),
    "export_json": ("devproc.exchange.writer", "export_json"),
    "load": ("devproc.runtime.bundles.bundle", "load"),
    "load_json": ("devproc.exchange.reader", "load_json"),
    "pipeline": ("devproc.frontends.dsl", "Pipeline"),
    "register_op": ("devproc.extension", "register_op"),
    "verify": ("devproc.compiler", "verify"),
}
"""Name -> the module that has it, and its name there.

`devproc.pipeline("name")` starts a pipeline of steps.
"""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'devproc' has no attribute '{name}'")
    home, its_name = _HOMES[name]
    # Beside PyTorch, a full collection is half of the time.
    with paused_garbage_collection():
        found = getattr(import_module(home), its_name)
    globals()[name] = found
    return found


__all__ = [
    "BoundsError",
    "BuildError",
    "BundleError",
    "CompileError",
    "DevProcError",
    "InputError",
    "Pipeline",
    "Program",
    "RegistrationError",
    "UnsupportedError",
    "compile",
    "export_json",
    "load",
    "load_json",
    "pipeline",
    "register_op",
    "verify",
]
