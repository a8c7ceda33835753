"""Nothing outside of a device's folder names the device: not in code, not in texts.

Docstrings may. A name in a text is a whole word; one in an identifier is a whole part of it,
as in `on_cuda` or `CudaKernel`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from devproc.backend.installed import backends
from devproc.ir.devices import HOST
from tests.repository import PACKAGE, sources

TARGETS = PACKAGE / "targets"
FOLDERS = {path.name for path in TARGETS.iterdir() if (path / "backend.py").is_file()}
NAMES = (FOLDERS | backends().keys()) - {"host"}
"""Devices, and their folders; the one of PyTorch is called as the host is."""

IN_TEXT = re.compile(rf"\b(?:{'|'.join({*NAMES, 'CUDA', 'Triton'} - {HOST})}|{HOST})\b")
"""The CPU is also a word of English: only its name counts."""

PYTORCH = "PyTorch's name of the memory of the host"

BUNDLE = "a C library of the host's code: which processor it is for, and who links it"

EXCEPTIONS = {
    "targets/__init__.py": "the list of the devices that come with DevProc",
    "ir/devices.py": "defines the name of the host",
    "bundle/": BUNDLE,
    "exchange/weights.py": PYTORCH,
    "frontends/torch_export/": PYTORCH,
    "program.py": BUNDLE,
    "reference/run/host_call.py": PYTORCH,
    "runtime/calls/": PYTORCH,
    "tools/commands/bundle.py": BUNDLE,
    "tools/operators_page.py": "a page about measurements on these devices",
    "survey.py": "a time of the processor, not of a device",
}
"""A file, or a folder -> why it may name devices."""


def names_in(identifier: str) -> set[str]:
    """The devices among the parts of an identifier or of the path of a module."""
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", identifier).lower()
    return {word.removesuffix("s") for word in re.split(r"[._]", words)} & NAMES


def identifiers(node: ast.AST) -> Iterator[str]:
    """What a node of a syntax tree calls something."""
    for field in ("id", "attr", "arg", "name", "asname", "module"):
        if isinstance(value := getattr(node, field, None), str):
            yield value


def docstrings(tree: ast.AST) -> set[ast.AST]:
    """The texts of a module that stand alone, as documentation."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def named(tree: ast.Module) -> Iterator[str]:
    """What names a device in a module."""
    documentation = docstrings(tree)
    for node in ast.walk(tree):
        yield from (name for name in identifiers(node) if names_in(name))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in documentation and IN_TEXT.search(node.value):
                yield node.value


def places() -> Iterator[tuple[str, list[str]]]:
    """Each module that names a device other than its own, with what names it."""
    for path, tree in sources().items():
        parts = path.relative_to(TARGETS).parts if path.is_relative_to(TARGETS) else ()
        if len(parts) > 1 and parts[0] in FOLDERS:
            continue
        if found := list(dict.fromkeys(named(tree))):
            yield path.relative_to(PACKAGE).as_posix(), found


def exception_of(place: str) -> str | None:
    """The exception that allows a module to name devices."""
    covers = (
        e for e in EXCEPTIONS if place == e or (e[-1] == "/" and place.startswith(e))
    )
    return next(covers, None)


def test_what_names_a_device() -> None:
    tree = ast.parse(
        '"""About cuda."""\n'
        "import devproc.targets.triton.backend as b\n"
        "def on_cuda(x): 'on cuda'; return x.is_cpu, 'a cpu', 'the CPU', cudart\n"
        "class TritonCode: pass\n"
        "from ..cpus import y\n"
    )
    assert set(named(tree)) == {
        *("devproc.targets.triton.backend", "on_cuda", "is_cpu", "a cpu"),
        *("TritonCode", "cpus"),
    }


def test_no_device_is_named_outside_of_its_folder() -> None:
    found = {place: names for place, names in places() if not exception_of(place)}
    assert not found


def test_exceptions_are_needed() -> None:
    assert {exception_of(place) for place, _ in places()} >= EXCEPTIONS.keys()


def test_devices_do_not_name_each_other() -> None:
    """A folder imports from no other device's."""
    for path, tree in sources().items():
        if not path.is_relative_to(TARGETS) or path.parent == TARGETS:
            continue
        own = path.relative_to(TARGETS).parts[0]
        others = [f"devproc.targets.{folder}" for folder in FOLDERS - {own}]
        modules = [m for node in ast.walk(tree) for m in identifiers(node)]
        assert not [m for m in modules if m.startswith(tuple(others))], path
