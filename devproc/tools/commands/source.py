"""What SOURCE names on the command line: a file, or an object in a Python file."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import click


def read(source: str, options: dict[str, Any]) -> Any:
    """The source of `devproc.compile`, with the weights that the options name."""
    weights = options.get("weights")
    if Path(source).suffix == ".json":
        from devproc.exchange.reader import load_json

        allow_extra = options.get("allow_extra_weights", False)
        return load_json(source, weights, allow_extra_weights=allow_extra)
    if weights is not None:
        raise click.BadParameter("--weights are those of a JSON program")
    return read_path(source)


def read_path(source: str) -> Any:
    """A path to a model, or the object that `file.py:name` names."""
    path, colon, name = source.rpartition(":")
    if not colon or not path.endswith(".py"):
        return Path(source)
    names = names_of(path)
    if name not in names:
        raise click.BadParameter(f"{path} defines no '{name}'")
    found = names[name]
    return found() if callable(found) and not hasattr(found, "module") else found


def names_of(path: str) -> dict[str, Any]:
    """What a file defines; it may import from the working directory and from its own."""
    if not Path(path).is_file():
        raise click.BadParameter(f"no file {path}")
    saved = list(sys.path)
    sys.path[:0] = [str(Path(path).resolve().parent), str(Path.cwd())]
    try:
        return runpy.run_path(path)
    finally:
        sys.path[:] = saved
