"""Packages with one plug-in, installed for the time of a block."""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

_numbers = itertools.count()


@contextmanager
def package_on_path(package: str, group: str, name: str, place: str) -> Generator[Path]:
    """A package with the entry point `name = place` in a group such as `devproc.targets`.

    It has what `pip install` leaves behind: a folder on `sys.path`, which is returned, with
    the metadata of the package. Modules can be added to the folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder, f"{package}-1.0.dist-info")
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {place}\n")
        sys.path.insert(0, folder)
        try:
            yield Path(folder)
        finally:
            sys.path.remove(folder)


@contextmanager
def installed(group: str, name: str, member: object) -> Generator[None]:
    """Installs a package whose entry point refers to `member`.

    Its module is made in memory, since `member` comes from a notebook. Each package has a
    name of its own, so that none of its compiled programs is taken for another's.
    """
    package = f"lesson_{os.getpid()}_{next(_numbers)}"
    module = ModuleType(package)
    vars(module)["member"] = member
    sys.modules[package] = module
    try:
        with package_on_path(package, group, name, f"{package}:member"):
            yield
    finally:
        del sys.modules[package]
