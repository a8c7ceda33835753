"""Builds `devproc_runtime` from the sources of `devproc`.

The package has what `MODULES` import when they are imported. Its modules are those of
`devproc` with its name in place of theirs, so that the two packages share no file: each can
be installed, upgraded and removed beside the other.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""

NAME, OWN_NAME = "devproc", "devproc_runtime"

MODULES = (
    "devproc.program",
    "devproc.generation.language_model",
    # Parts of programs, imported by those that have them.
    "devproc.report.report",
    "devproc.runtime.bundles.files",
    "devproc.runtime.calls.pytree_calling",
    "devproc.runtime.calls.tokenizing",
    "devproc.runtime.execution.trace",
    "devproc.ir.concurrency.worker_pool",
    # The processor: the others need a compiler to run.
    "devproc.targets.cpu.backend",
    "devproc.targets.cpu.code",
    "devproc.targets.cpu.native_code",
    "devproc.targets.cpu.thread_pool",
    # With packages that need not be installed: llvmlite, PyTorch, rich.
    "devproc.targets.cpu.jit",
    "devproc.targets.cpu.machine.cpu_target",
    "devproc.reference.conversion.arrays",
    "devproc.report.rich_tables",
    "devproc.runtime.calls.tensors",
)

_IMPORT = re.compile(r"^(\s*from )devproc\b", re.MULTILINE)
_REFERENCE = re.compile(r'"devproc(\.[\w.]+:\w+)"')
"""What names an object of a module: `"devproc.targets.cpu.backend:CPU"`."""


def source_of(module: str) -> Path:
    """The file of a module of DevProc."""
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imported_by(module: str) -> Iterator[str]:
    """The modules of DevProc that a module imports when it is imported, and its parents."""
    parts = module.split(".")
    yield from (".".join(parts[:end]) for end in range(2, len(parts)))
    todo: list[ast.AST] = [ast.parse(source_of(module).read_text())]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(NAME):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found = name if source_of(name).exists() else str(node.module)
                if found == NAME:
                    raise SystemExit(f"{module} imports {name}, which is not there")
                yield found
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            todo += node.orelse
        elif not isinstance(node, ast.FunctionDef):
            todo += ast.iter_child_nodes(node)


def runtime_modules() -> list[str]:
    """All modules of the runtime but the package itself."""
    found, todo = set[str](), list[str](MODULES)
    while todo:
        module = todo.pop()
        if module not in found:
            found.add(module)
            todo += imported_by(module)
    return sorted(found)


def renamed(text: str) -> str:
    """The source of a module whose imports are from this package."""
    text = _IMPORT.sub(rf"\1{OWN_NAME}", text)
    return _REFERENCE.sub(rf'"{OWN_NAME}\1"', text)


class BuildRuntime(build_py):
    """Adds the modules of DevProc to the wheel."""

    def run(self) -> None:
        """Writes this package, then the modules."""
        if not (ROOT / NAME).is_dir():
            raise SystemExit(
                f"{OWN_NAME} is made of the sources of {NAME}, which are not at {ROOT}; "
                "build its wheel in a copy of the repository, not from an sdist"
            )
        super().run()
        for module in runtime_modules():
            source = source_of(module)
            place = source.relative_to(ROOT / NAME)
            target = Path(self.build_lib, OWN_NAME, place)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(source.read_text()))


def version() -> str:
    """The version of DevProc."""
    text = (ROOT / "pyproject.toml").read_text()
    return tomllib.loads(text)["project"]["version"]


if __name__ == "__main__":
    setup(version=version(), cmdclass={"build_py": BuildRuntime})
