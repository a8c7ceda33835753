"""`devproc export-json`: a program as JSON, for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from devproc.tools.commands.common.options import OutputFile, trust_option
from devproc.tools.commands.common.source import HELP, read_path


@click.command(
    "export-json",
    help=f"Write SOURCE as JSON, one graph of tensor ops, for other tools.{HELP}",
)
@click.argument("source")
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    required=True,
    metavar="FILE.json",
    help="Write the JSON here.",
)
@click.option(
    "--weights",
    type=OutputFile(),
    metavar="FILE.safetensors",
    help="Write the weights here; the JSON names the file.",
)
@trust_option
def export_json_command(
    source: str, output: Path, weights: Path | None, trust_pickle: bool
) -> None:
    """The command; its help is in the decorator."""
    from devproc.source import export_json

    export_json(read_path(source), output, weights=weights, trust_pickle=trust_pickle)
    for path in (output, weights):
        if path is not None:
            click.echo(f"wrote {path} ({path.stat().st_size:,} bytes)")
