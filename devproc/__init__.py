"""DevProc: whole inference programs, compiled in readable Python.

The public API. Names load on first use, so that tools which need no PyTorch stay light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# The module of stages goes first: its name in this package is rebound below.
import devproc.pipeline  # noqa: F401  # pyright: ignore[reportUnusedImport]
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
from devproc.frontends.dsl import Pipeline

if TYPE_CHECKING:
    from devproc.compiler import compile
    from devproc.exchange.reader import load_json
    from devproc.exchange.writer import export_json
    from devproc.extension import register_op
    from devproc.runtime.bundle import load
    from devproc.runtime.program import Program

__version__ = "0.1.0"

pipeline = Pipeline
"""`devproc.pipeline("name")` starts a pipeline of steps."""


def __getattr__(name: str) -> object:
    if name == "compile":
        from devproc.compiler import compile

        return compile
    if name == "export_json":
        from devproc.exchange.writer import export_json

        return export_json
    if name == "load_json":
        from devproc.exchange.reader import load_json

        return load_json
    if name == "load":
        from devproc.runtime.bundle import load

        return load
    if name == "register_op":
        from devproc.extension import register_op

        return register_op
    if name == "Program":
        from devproc.runtime.program import Program

        return Program
    raise AttributeError(f"module 'devproc' has no attribute '{name}'")


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
]
