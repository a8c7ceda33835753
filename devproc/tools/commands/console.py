"""What the commands print: tables on stdout, progress and warnings on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

WIDTH = 140
"""Columns of a table in a file or a pipe, where 80 would fold it."""


def show(*tables: Any) -> None:
    """Prints tables."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    for number, table in enumerate(tables):
        console.print(*([""] if number else []), table, sep="\n")


@contextmanager
def progress(what: str) -> Generator[None]:
    """Shows what is being done, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    from devproc.timings import announced_to

    with Console(stderr=True).status(escape(what)) as status:
        with announced_to(lambda now: status.update(escape(f"{what}: {now}"))):
            yield


def show_warnings_as_messages() -> None:
    """A warning is a line, without the code that gave it; those for developers none."""
    warnings.filterwarnings("ignore", category=FutureWarning)

    def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        click.echo(f"devproc: warning: {message}", err=True)

    warnings.showwarning = show_warning
