"""Output of the commands: tables on stdout, progress and warnings on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

WIDTH = 140
"""Columns of a table in a file or a pipe; 80 would wrap it."""


def show(*tables: Any) -> None:
    """Prints tables."""
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    for number, table in enumerate(tables):
        console.print(*([""] if number else []), table, sep="\n")


@contextmanager
def progress(what: str) -> Generator[None]:
    """Shows progress, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    from devproc.timings import announced_to

    spinner = Spinner("dots", Text(what))
    # Output goes above the progress line, unless it goes to a file or a pipe.
    live = Live(
        spinner,
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    )

    def update(now: str) -> None:
        spinner.update(text=Text(f"{what}: {now}"))

    with live, announced_to(update):
        yield


def show_warnings_as_messages() -> None:
    """Prints a warning as one line without its code; hides those for developers."""
    warnings.filterwarnings("ignore", category=FutureWarning)

    def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        click.echo(f"devproc: warning: {message}", err=True)

    warnings.showwarning = show_warning
