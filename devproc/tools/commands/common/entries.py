"""Programs with several entries on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from devproc.tools.commands.common.console import progress
from devproc.tools.commands.common.options import keywords
from devproc.tools.commands.common.source import read

if TYPE_CHECKING:
    from devproc.program import Program
    from devproc.runtime.entries import Entries

entry_option = click.option(
    "--entry",
    metavar="NAME",
    help="The entry of a program that has several.",
)


def compile_source(
    source: str, target: str, options: dict[str, Any]
) -> Program | Entries[Program]:
    """The program of a SOURCE, with the options of `compile_options`."""
    from devproc.entry import compile

    with progress("compiling"):
        program: Any = cast(Any, compile)(
            read(source, options), target, **keywords(options)
        )
    return program


def entries_of(program: Program | Entries[Program]) -> Mapping[str, Program]:
    """The programs of a program's entries; one without entries has the name ""."""
    from devproc.runtime.entries import Entries

    return program if isinstance(program, Entries) else {"": program}


def chosen_entry(program: Program | Entries[Program], entry: str | None) -> Program:
    """The program of the entry that the user named; raises click.BadParameter."""
    entries = entries_of(program)
    if entry is None and "" in entries:
        return entries[""]
    if entry in entries and entry:
        return entries[entry]
    if "" in entries:
        raise click.BadParameter("--entry: the program has no entries")
    listed = ", ".join(entries)
    raise click.BadParameter(f"--entry NAME is needed; the entries are {listed}")


def load_source(path: Path, **options: Any) -> Program | Entries[Program]:
    """A saved program, or all its entries; `options` are those of `devproc.load`."""
    from devproc.program import load, load_entries
    from devproc.runtime.bundles.files import has_entries

    return (load_entries if has_entries(path) else load)(path, **options)


def load_entry(path: Path, entry: str | None, **options: Any) -> Program:
    """One entry of a saved program; `options` are those of `devproc.load`."""
    return chosen_entry(load_source(path, **options), entry)
