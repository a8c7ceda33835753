"""The SOURCE of the command line: a file, or an object in a Python file."""

from __future__ import annotations

import inspect
import re
import runpy
import sys
import traceback
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from devproc.errors import DevProcError, did_you_mean

HELP = """

    SOURCE is an exported model (model.pt2, written by torch.export.save), a program as
    JSON (model.json), or a Python file and a name in it (app.py:NAME): a pipeline, an
    ExportedProgram, or a function without arguments that returns one.
"""
"""A paragraph for the help of the commands that take a SOURCE."""

ENTRIES_HELP = """
    A program with several entries: NAME=SOURCE,NAME=SOURCE, or a dict in a Python file.
"""
"""The end of that paragraph, for commands that take several entries."""

_ENTRY = re.compile(r"([A-Za-z_]\w*)=(.+)")
"""One entry of several."""


def read(source: str, options: dict[str, Any]) -> Any:
    """The source of `devproc.compile`, with the weights that the options name; a dict of
    several entries.
    """
    weights = options.get("weights")
    entries = [_ENTRY.fullmatch(part) for part in source.split(",")]
    if all(entries):
        return {found[1]: read(found[2], options) for found in entries if found}
    if Path(source).suffix == ".json":
        from devproc.source import load_json

        allow_extra = options.get("allow_extra_weights", False)
        return load_json(source, weights, allow_extra_weights=allow_extra)
    if weights is not None:
        raise click.BadParameter("--weights are those of a JSON program")
    return read_path(source)


def read_path(source: str) -> Any:
    """A path to a model, or the object that `file.py:name` names."""
    path, colon, name = source.rpartition(":")
    if not colon or not path.endswith(".py"):
        if source.endswith(".py"):
            names = names_of(source)
            raise click.BadParameter(f"{source}:NAME is needed; {_programs_in(names)}")
        return Path(source)
    names = names_of(path)
    if name not in names:
        close = did_you_mean(name, _candidates(names) or names)
        raise click.BadParameter(
            f"{path} defines no '{name}'; {_programs_in(names)}{close}"
        )
    found = names[name]
    if not inspect.isroutine(found):
        return found
    if not _takes_nothing(found):
        raise click.BadParameter(
            f"{path}: '{name}' takes arguments; name a function of none"
        )
    with _running(path):
        return found()


def names_of(path: str) -> dict[str, Any]:
    """The names that a file defines; it may import from the working directory and its own."""
    if not Path(path).is_file():
        raise click.BadParameter(f"no file {path}")
    saved = list(sys.path)
    sys.path[:0] = [str(Path(path).resolve().parent), str(Path.cwd())]
    try:
        with _running(path):
            return runpy.run_path(path)
    finally:
        sys.path[:] = saved


@contextmanager
def _running(path: str) -> Generator[None]:
    """Runs code of the user's file; its errors are reported with their lines in the file."""
    try:
        yield
    except DevProcError:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        inside = [
            f for f in frames if Path(f.filename).resolve() == Path(path).resolve()
        ]
        line = f", line {inside[-1].lineno}" if inside else ""
        code = f"\n    {inside[-1].line}" if inside and inside[-1].line else ""
        text = f"{path}{line}: {type(error).__name__}: {error}{code}"
        raise click.ClickException(text) from error


def _candidates(names: Mapping[str, Any]) -> dict[str, str]:
    """Name -> kind of possible SOURCEs; functions only if there is nothing else."""
    kinds = {
        "Pipeline": "a pipeline",
        "ExportedProgram": "an exported program",
        "Source": "a program",
    }
    own = {n: v for n, v in names.items() if not n.startswith("_")}
    found = {n: kinds.get(type(v).__name__, "") for n, v in own.items()}
    programs = {n: kind for n, kind in found.items() if kind}
    if programs:
        return programs
    return {
        name: "a function"
        for name, value in own.items()
        if inspect.isfunction(value)
        and value.__module__ == names.get("__name__")
        and _takes_nothing(value)
    }


def _programs_in(names: Mapping[str, Any]) -> str:
    """`it has pipe (a pipeline), net (an exported program)`."""
    listed = ", ".join(f"{name} ({kind})" for name, kind in _candidates(names).items())
    if listed:
        return f"it has {listed}"
    return "it has no pipeline, no exported program, and no function without arguments"


def _takes_nothing(function: Any) -> bool:
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return False
    return True
