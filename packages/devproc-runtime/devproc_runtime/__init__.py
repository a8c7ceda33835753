"""Runs programs that DevProc has compiled for CPUs, without its compiler.

    import devproc_runtime as devproc

The names are those of `devproc`, and load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from devproc_runtime import needs_compiler
from devproc_runtime.errors import (
    BoundsError,
    BundleError,
    CompileError,
    DevProcError,
    InputError,
)
from devproc_runtime.needs_compiler import CompilerNeededError

if TYPE_CHECKING:
    from devproc_runtime.generation.language_model import LanguageModel
    from devproc_runtime.program import Program, load, load_entries
    from devproc_runtime.runtime.entries import Entries

needs_compiler.install()

_HOMES = {
    "Entries": "runtime.entries",
    "LanguageModel": "generation.language_model",
    "Program": "program",
    "load": "program",
    "load_entries": "program",
}
"""Name -> the module that defines it."""


def __getattr__(name: str) -> object:
    if name in needs_compiler.NAMES:
        needs_compiler.refuse(f"devproc.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'devproc_runtime' has no attribute '{name}'")
    found = getattr(import_module(f"devproc_runtime.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


__all__ = [
    "BoundsError",
    "BundleError",
    "CompileError",
    "CompilerNeededError",
    "DevProcError",
    "Entries",
    "InputError",
    "LanguageModel",
    "Program",
    "load",
    "load_entries",
]
