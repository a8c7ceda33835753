"""A package with one plug-in, installed for the time of a block."""

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
def installed(group: str, name: str, member: object) -> Generator[None]:
    """Installs a package whose entry point `name`, in a group such as `devproc.targets`,
    refers to `member`.

    It has what `pip install` leaves behind: a folder on `sys.path` with the metadata, and a
    module. The module is made in memory, since `member` comes from a notebook. Each package
    has a version of its own, so that none of its compiled programs is taken for another's.
    """
    package = f"lesson_{os.getpid()}_{next(_numbers)}"
    module = ModuleType(package)
    vars(module)["member"] = member
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder, f"{package}-1.0.dist-info")
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n")
        points = f"[{group}]\n{name} = {package}:member\n"
        (info / "entry_points.txt").write_text(points)
        sys.modules[package] = module
        sys.path.append(folder)
        try:
            yield
        finally:
            sys.path.remove(folder)
            del sys.modules[package]
