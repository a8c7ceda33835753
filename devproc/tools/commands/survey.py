"""`devproc survey`: how far many models come."""

from __future__ import annotations

import sys
from typing import Any, cast

import click

from devproc.tools.commands.options import target_options
from devproc.tools.commands.source import names_of


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
    from devproc.survey import survey

    models = names_of(source).get("MODELS")
    if not isinstance(models, dict):
        raise click.BadParameter(f"{source} defines no dict MODELS")
    factories = cast("dict[str, Any]", models)
    unknown = [name for name in names if name not in factories]
    if unknown:
        raise click.BadParameter(f"{source} has no model {', '.join(unknown)}")
    chosen = {name: factories[name] for name in names or factories}
    found = survey(chosen, target, threads=threads, precision=precision)
    click.echo(str(found))
    if not all(row.matched for row in found.rows):
        sys.exit(1)
