"""`devproc verify`: each op of a program beside its meaning in PyTorch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from devproc.tools.commands.console import OUT
from devproc.tools.commands.inputs import read_inputs
from devproc.tools.commands.options import compile_options, keywords
from devproc.tools.commands.source import read


@click.command("verify")
@compile_options
@click.option("--seed", default=0, show_default=True, help="Of the random inputs.")
@click.option("-i", "--input", "inputs", multiple=True, metavar="NAME=FILE.npy")
@click.option(
    "--exported",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="MODEL.pt2",
    help="Compare also with this model, run by PyTorch.",
)
def verify_command(
    source: str,
    target: str,
    seed: int,
    inputs: tuple[str, ...],
    exported: Path | None,
    **options: Any,
) -> None:
    """Compare each op of SOURCE with its meaning in PyTorch; exit 1 if one differs."""
    from devproc.compiler import verify

    result = verify(
        read(source, options),
        target,
        inputs=read_inputs(inputs),
        seed=seed,
        exported=exported,
        **keywords(options),
    )
    OUT.print(result.table())
    OUT.print(result.summary(), markup=False)
    if not result.passed:
        sys.exit(1)
