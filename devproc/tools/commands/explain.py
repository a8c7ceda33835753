"""`devproc explain`: why an op is on its device, and what would put it on another one."""

from __future__ import annotations

from typing import Any

import click

from devproc.tools.commands.common.modules import first_module
from devproc.tools.commands.common.options import program_options
from devproc.tools.commands.common.source import HELP


@click.command(
    "explain",
    help="Explain the device of OP, a glob on names of ops (nn.conv2d) or module paths "
    "(fc*): its neighbours, what other devices would cost, and what would have to "
    f"change for them to win.{HELP}\n    Or it is a saved program (net.devproc), whose "
    "options are as they were compiled.",
)
@program_options
@click.argument("op")
@click.option(
    "--most",
    default=3,
    show_default=True,
    help="Ops to explain, if more match; each takes some dozen placements.",
)
def explain_command(
    source: str, op: str, target: str, most: int, **options: Any
) -> None:
    """The command; its help is in the decorator."""
    from devproc.report.placement import explain_ops

    explanations, more = explain_ops(first_module(source, target, options), op, most)
    click.echo("\n\n".join(map(str, explanations)))
    if more:
        click.echo(f"\n{more} more ops match '{op}'; --most explains more of them")
