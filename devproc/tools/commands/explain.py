"""`devproc explain`: why an op is on its device, and what would put it on another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from devproc.tools.commands.options import keywords, program_options
from devproc.tools.commands.source import HELP, read


@click.command(
    "explain",
    help="Explain the device of OP, a glob on names of ops (nn.conv2d) or module paths "
    "(model.fc*): its neighbours, what other devices would cost, and what would have to "
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

    explanations, more = explain_ops(_module(source, target, options), op, most)
    click.echo("\n\n".join(map(str, explanations)))
    if more:
        click.echo(f"\n{more} more ops match '{op}'; --most explains more of them")


def _module(source: str, target: str, options: dict[str, Any]) -> Any:
    """The program at its first stage, with its options: a saved one has them."""
    from devproc.runtime.bundles.files import SAVED, kind_of

    if kind_of(Path(source)) is SAVED:
        from devproc.driver import parse_module
        from devproc.program import load

        return parse_module(load(source).artifact.program_text)
    from devproc.options import set_options, target_options
    from devproc.runtime.cache.cache_key import keyed_options
    from devproc.source import read_source

    given = keywords(options)
    program = read_source(
        read(source, options),
        given.pop("fallback"),
        trust_pickle=given.pop("trust_pickle"),
    )
    placement, schedules = given.pop("placement"), given.pop("schedules")
    chosen = target_options(**keyed_options(target, **given))
    set_options(program.module, chosen, placement, schedules)
    return program.module
