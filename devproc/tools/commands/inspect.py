"""`devproc inspect`: the stages of a program as text, and its tables."""

from __future__ import annotations

from typing import Any

import click

from devproc.pipeline import STAGES
from devproc.tools.commands.console import OUT
from devproc.tools.commands.options import Name, compile_options, keywords
from devproc.tools.commands.source import read

VIEWS = (
    *("placement", "fallbacks", "exactness"),
    *("copies", "memory", "kernels", "timings"),
)


@click.command("inspect")
@compile_options
@click.option(
    "--stage",
    type=Name([*(s.name for s in STAGES), "llvm-ir", "triton-source"]),
    help="Print this stage's text.",
)
@click.option("--view", type=Name(VIEWS), multiple=True, help="Print a table.")
def inspect_command(
    source: str, target: str, stage: str | None, view: tuple[str, ...], **options: Any
) -> None:
    """Print any stage of SOURCE, or its placement, memory plan and kernels."""
    from devproc.entry import compile

    program = compile(read(source, options), target, **keywords(options))
    if stage is not None:
        click.echo(program.ir(stage), nl=False)
        return
    report = program.report()
    for name in view or VIEWS:
        OUT.print(getattr(report, name))
