"""What the package imports is declared: as a dependency or, where imported late, an extra."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.repository import ROOT, sources

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
FOR_DEVELOPERS = {"dev"}
"""Extras that the package itself must not need."""
DISTRIBUTIONS = {"PIL": "pillow"}
"""Module -> its package on the index, where the names differ."""


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in requirements}


DEPENDENCIES = names(PROJECT["dependencies"])
OPTIONAL = {
    name for extra in EXTRAS.keys() - FOR_DEVELOPERS for name in names(EXTRAS[extra])
}


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(package on the index, line) of each import from another package."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                modules = [alias.name for alias in aliases]
            case ast.ImportFrom(module=str(module)):
                modules = [module]
            case _:
                continue
        for module in modules:
            top = module.partition(".")[0]
            if top != "devproc" and top not in sys.stdlib_module_names:
                yield canonicalize_name(DISTRIBUTIONS.get(top, top)), node.lineno


def imports() -> dict[str, list[str]]:
    """Package on the index -> the lines that import it."""
    found: dict[str, list[str]] = {}
    for path, tree in sources().items():
        for name, line in imported(tree):
            found.setdefault(name, []).append(f"{path.relative_to(ROOT)}:{line}")
    return found


def test_what_counts_as_an_import() -> None:
    tree = ast.parse(
        "import os, PIL.Image\ndef f():\n    from devproc import x\n    import a.b"
    )
    assert list(imported(tree)) == [("pillow", 1), ("a", 4)]


def test_imports_are_declared() -> None:
    missing = {
        name: places
        for name, places in imports().items()
        if name not in DEPENDENCIES | OPTIONAL
    }
    assert not missing, f"neither a dependency nor in an extra: {missing}"


def test_dependencies_are_imported() -> None:
    assert not DEPENDENCIES - imports().keys(), "installed for nothing"


@pytest.mark.parametrize("requirement", PROJECT["dependencies"])
def test_upper_bounds(requirement: str) -> None:
    """xDSL's alone, whose names change at each minor release."""
    parsed = Requirement(requirement)
    bounds = {s.operator for s in parsed.specifier} & {"<", "<=", "==", "~="}
    assert not bounds or parsed.name == "xdsl"
