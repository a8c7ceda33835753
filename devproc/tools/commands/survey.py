"""`devproc survey`: the support of many models."""

from __future__ import annotations

import io
import logging
import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager, redirect_stderr
from typing import Any, cast

import click

from devproc.errors import did_you_mean
from devproc.tools.commands.common.console import progress
from devproc.tools.commands.common.options import target_options
from devproc.tools.commands.common.source import names_of


@click.command("survey")
@click.argument("source")
@click.argument("names", nargs=-1)
@target_options
def survey_command(
    source: str,
    names: tuple[str, ...],
    target: str,
    threads: int | None,
    precision: str,
) -> None:
    """How far the models of SOURCE come, and what stops them first; exit 1 if one does.

    SOURCE is a Python file that defines MODELS: name -> function that returns a module
    and a tuple of example inputs. NAMES chooses some of them. Errors are relative, to a
    run of the model in float64.
    """
    models = names_of(source).get("MODELS")
    if not isinstance(models, dict):
        raise click.BadParameter(f"{source} defines no dict MODELS")
    factories = cast("dict[str, Any]", models)
    unknown = [name for name in names if name not in factories]
    if unknown:
        close = did_you_mean(unknown[0], factories)
        raise click.BadParameter(
            f"{source} has no model {', '.join(unknown)}; it has "
            f"{', '.join(factories) or 'none'}{close}"
        )
    from devproc.survey import head, line_of, survey

    chosen = {name: factories[name] for name in names or factories}
    width = max(map(len, chosen), default=0)
    click.echo(head(width))
    with progress("surveying"), _without_dumps():
        found = survey(
            chosen,
            target,
            # click would bypass the progress display.
            on_row=lambda row: print(line_of(row, width), flush=True),
            threads=threads,
            precision=precision,
        )
    if not all(row.matched for row in found.rows):
        sys.exit(1)


@contextmanager
def _without_dumps() -> Generator[None]:
    """Suppresses PyTorch's logs of failed exports, whose errors are in the rows."""
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
