"""`devproc export-json`: a program as JSON, for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from devproc.tools.commands.console import OUT
from devproc.tools.commands.source import read_path


@click.command("export-json")
@click.argument("source")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The JSON."
)
@click.option(
    "--weights", type=click.Path(path_type=Path), help="Write .safetensors here."
)
def export_json_command(source: str, output: Path, weights: Path | None) -> None:
    """Write SOURCE as JSON, one graph of tensor ops, for other tools (docs/json.md)."""
    from devproc.exchange.writer import export_json

    export_json(read_path(source), output, weights=weights)
    for path in (output, weights):
        if path is not None:
            OUT.print(f"wrote {path} ({path.stat().st_size:,} bytes)")
