"""`devproc inspect`: the stages of a program as text, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devproc import plugins, registry
from devproc.tools.commands.console import progress, show
from devproc.tools.commands.options import (
    Name,
    keywords,
    program_options,
)
from devproc.tools.commands.source import HELP, read

if TYPE_CHECKING:
    from devproc.program import Program

VIEWS = (
    *("placement", "fallbacks", "exactness", "tokenizers"),
    *("copies", "memory", "kernels", "regions", "schedules", "fusion", "moves"),
    "timings",
)
STAGE_NAMES = [*(stage.name for stage in plugins.stages()), *registry.texts()]


@click.command(
    "inspect",
    help="Print what SOURCE is compiled to: a summary and its tables, some of them, or "
    f"the text of a stage.{HELP}\n    Or it is a saved program (net.devproc), whose "
    "options are as they were compiled.",
)
@program_options
@click.option(
    "--stage",
    type=Name(STAGE_NAMES),
    metavar="STAGE",
    help=f"Print the text of a stage: {', '.join(STAGE_NAMES)}.",
)
@click.option(
    "--view",
    type=Name(VIEWS),
    multiple=True,
    metavar="TABLE",
    help=f"Print this table alone: {', '.join(VIEWS)}.",
)
def inspect_command(
    source: str, target: str, stage: str | None, view: tuple[str, ...], **options: Any
) -> None:
    """The command; its help is in the decorator."""
    program = _program(source, target, options)
    if stage is not None:
        click.echo(program.ir(stage), nl=False)
        return
    report = program.report()
    if view:
        show(*(getattr(report, name) for name in view))
        return
    click.echo(f"{program}\n")
    show(*report.tables())


def _program(source: str, target: str, options: dict[str, Any]) -> Program:
    """A saved program is loaded, a source compiled."""
    from devproc.runtime.bundles.files import SAVED, kind_of

    if kind_of(Path(source)) is SAVED:
        from devproc.program import load

        return load(source)
    from devproc.entry import compile

    with progress("compiling"):
        return compile(read(source, options), target, **keywords(options))
