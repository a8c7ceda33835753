"""Paths of source files for messages and locations."""

from __future__ import annotations

from functools import cache
from pathlib import Path


def readable_path(file: str) -> str:
    """The path relative to the working directory or site-packages, else the file name."""
    return _path_seen_from(file, Path.cwd())


@cache
def _path_seen_from(file: str, folder: Path) -> str:
    path = Path(file)
    if "site-packages" in path.parts:
        return str(Path(*path.parts[path.parts.index("site-packages") + 1 :]))
    try:
        return str(path.relative_to(folder))
    except ValueError:
        return path.name
