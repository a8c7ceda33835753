"""What only the compiler has: a clear error in its place."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import NoReturn

from devproc_runtime.errors import CompileError

PACKAGE = "devproc_runtime"

NAMES = (
    "BuildError",
    "Pipeline",
    "RegistrationError",
    "UnsupportedError",
    "compile",
    "export_json",
    "from_transformers",
    "load_json",
    "pipeline",
    "register_op",
    "verify",
    "verify_passes",
)
"""The public names of `devproc` that this package lacks."""


class CompilerNeededError(CompileError, AttributeError):
    """Something that only the compiler can do."""


def refuse(what: str) -> NoReturn:
    """Raises CompilerNeededError."""
    raise CompilerNeededError(
        f"{what} needs the compiler, which devproc-runtime does not have; pip install "
        "devproc, and import devproc in its place"
    )


class CompilerModules:
    """The modules of DevProc that are not in this package: importing one is an error.

    A finder of `sys.meta_path`, asked for what no other one finds.
    """

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raises CompilerNeededError for modules of this package."""
        if name.startswith(f"{PACKAGE}."):
            refuse(f"this (devproc{name.removeprefix(PACKAGE)})")
        return None


def install() -> None:
    """Adds the finder, once."""
    if CompilerModules not in sys.meta_path:
        sys.meta_path.append(CompilerModules)
