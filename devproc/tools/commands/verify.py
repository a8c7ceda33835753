"""`devproc verify`: each op of a program compared with its reference in PyTorch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from devproc.tools.commands.common.console import progress, show
from devproc.tools.commands.common.inputs import read_inputs
from devproc.tools.commands.common.options import (
    compile_options,
    input_option,
    keywords,
)
from devproc.tools.commands.common.source import HELP, read


@click.command(
    "verify",
    help="Compare each op of SOURCE with its reference in PyTorch; exit 1 if one differs."
    + HELP,
)
@compile_options
@click.option(
    "--seed", default=0, show_default=True, help="Of inputs that are not given: random."
)
@input_option
@click.option(
    "--exported",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="MODEL.pt2",
    help="Compare also with this model, run by PyTorch.",
)
@click.option(
    "--passes",
    is_flag=True,
    help="Evaluate the program after each pass too, and name one that changes it.",
)
def verify_command(
    source: str,
    target: str,
    seed: int,
    inputs: tuple[str, ...],
    exported: Path | None,
    passes: bool,
    **options: Any,
) -> None:
    """The command; its help is in the decorator."""
    from devproc.entry import verify
    from devproc.evaluation.passes import verify_passes
    from devproc.source import read_source

    with progress("verifying"):
        program = read_source(
            read(source, options),
            options["fallback"],
            trust_pickle=options["trust_pickle"],
        )
        sample: dict[str, Any] = {
            "inputs": read_inputs(inputs, program.interface.inputs),
            "seed": seed,
            **keywords(options),
        }
        result = verify(program, target, exported=exported, **sample)
        by_pass = verify_passes(program, target, **sample) if passes else None
    show(result.table())
    click.echo(result.summary())
    if by_pass is not None:
        show(*by_pass.tables())
        click.echo(by_pass.summary())
    if not result.passed or (by_pass is not None and not by_pass.passed):
        sys.exit(1)
