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
    from devproc.entry import compile, verify
    from devproc.evaluation.passes import verify_passes
    from devproc.frontends.dsl import Pipeline
    from devproc.frontends.transformers.from_transformers import from_transformers
    from devproc.generation.language_model import LanguageModel
    from devproc.program import Program, load, load_entries
    from devproc.registration import register_op
    from devproc.runtime.entries import Entries
    from devproc.source import export_json, load_json

    pipeline = Pipeline

__version__ = "0.1.0"

_HOMES = {
    "Entries": "runtime.entries",
    "Pipeline": "frontends.dsl",
    "Program": "program",
    "compile": "entry",
    "export_json": "source",
    "LanguageModel": "generation.language_model",
    "from_transformers": "frontends.transformers.from_transformers",
    "load": "program",
    "load_entries": "program",
    "load_json": "source",
    "pipeline": "frontends.dsl",
    "register_op": "registration",
    "verify": "entry",
    "verify_passes": "evaluation.passes",
}
"""Name -> the module that defines it; `devproc.pipeline("name")` is a `Pipeline`."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'devproc' has no attribute '{name}'")
    home, its_name = f"devproc.{_HOMES[name]}", name.replace("pipeline", "Pipeline")
    # With PyTorch loaded, a full collection takes half of the time.
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
    "Entries",
    "InputError",
    "LanguageModel",
    "Pipeline",
    "Program",
    "RegistrationError",
    "UnsupportedError",
    "compile",
    "export_json",
    "from_transformers",
    "load",
    "load_entries",
    "load_json",
    "pipeline",
    "register_op",
    "verify",
    "verify_passes",
]
