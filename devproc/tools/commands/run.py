"""`devproc run`: a saved program on given inputs."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from devproc.tools.commands.console import OUT
from devproc.tools.commands.inputs import read_inputs


@click.command("run")
@click.argument("program", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-i", "--input", "inputs", multiple=True, metavar="NAME=FILE.npy", help="Inputs."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write outputs as .npz."
)
@click.option(
    "--trace", type=click.Path(path_type=Path), help="Write a Chrome trace of the run."
)
def run_command(
    program: Path, inputs: tuple[str, ...], output: Path | None, trace: Path | None
) -> None:
    """Run a saved PROGRAM on arrays; prints each output."""
    from devproc.runtime.bundle import load
    from devproc.runtime.interface import check_names
    from devproc.runtime.trace import write_trace

    loaded = load(program)
    arrays = read_inputs(inputs)
    check_names(loaded.interface, arrays, "--input")
    given = [arrays[spec.name] for spec in loaded.interface.inputs]
    if trace is None:
        outputs = loaded.run_flat(given)
    else:
        outputs = write_trace(trace, lambda observe: loaded.run_flat(given, observe))
    named = {
        spec.name: value
        for spec, value in zip(loaded.interface.outputs, outputs, strict=True)
    }
    for name, value in named.items():
        OUT.print(f"{name} = {np.array2string(value, threshold=32)}", markup=False)
    if output is not None:
        np.savez(output, allow_pickle=False, **named)
