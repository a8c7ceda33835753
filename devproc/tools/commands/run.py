"""`devproc run`: a saved program on inputs from files."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devproc.errors import counted
from devproc.tools.commands.common import inputs as input_files
from devproc.tools.commands.common.console import show
from devproc.tools.commands.common.entries import entry_option, load_entry
from devproc.tools.commands.common.options import OutputFile, input_option, key_option

if TYPE_CHECKING:
    from devproc.program import Program
    from devproc.runtime.execution.trace import Event


@click.command("run")
@click.argument("program", type=click.Path(path_type=Path))
@entry_option
@input_option
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE.npz",
    help="Write the outputs here, by name.",
)
@click.option(
    "--top", type=click.IntRange(1), help="Best scores to print of each output [5]."
)
@click.option(
    "--labels",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Names of the scores: a line each, or a JSON list, or dict by number.",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    metavar="N",
    help="Call N times more, and print the median and the least time.",
)
@click.option(
    "--trace",
    type=OutputFile(),
    metavar="FILE.json",
    help="Time each kernel: print the table, write a Chrome trace here.",
)
@click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="Compare the weights with their SHA-256 first.",
)
@key_option
def run_command(
    program: Path,
    entry: str | None,
    inputs: tuple[str, ...],
    output: Path | None,
    top: int | None,
    labels: Path | None,
    repeat: int | None,
    trace: Path | None,
    verify: bool,
    key: bytes | None,
) -> None:
    """Run a saved PROGRAM (`devproc compile -o PROGRAM`); prints each output."""
    loaded = load_entry(program, entry, verify=verify, key=key)
    values = input_files.read_inputs(inputs, input_files.wanted_inputs(loaded))
    given = input_files.bind(loaded, values)
    names = [spec.name for spec in loaded.interface.outputs]
    outputs, events = (
        (loaded.run_flat(given), []) if trace is None else loaded.observe_flat(given)
    )
    named = dict(zip(names, outputs, strict=True))
    _print_outputs(named, labels, top)
    if trace is not None:
        _write_trace(loaded, trace, events)
    if output is not None:
        _write(output, named)
    if repeat is not None:
        _repeat(loaded, given, repeat)


def _print_outputs(named: dict[str, Any], labels: Path | None, top: int | None) -> None:
    from devproc.tools.commands.common.outputs import describe_outputs, read_labels

    found = None if labels is None else read_labels(labels)
    for line in describe_outputs(named, found, top):
        click.echo(line)


def _write(path: Path, named: dict[str, Any]) -> None:
    import numpy as np

    # An open file: NumPy would add a suffix to a name without one.
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **named)
    click.echo(f"wrote {path} ({path.stat().st_size:,} bytes)")


def _repeat(program: Program, given: Sequence[Any], count: int) -> None:
    """Times further calls, which continue with the state of the first one."""
    import statistics

    times: list[float] = []
    for _ in range(count):
        started = time.perf_counter()
        program.run_flat(given)
        times.append(time.perf_counter() - started)
    calls = counted(count, "call")
    median, least = statistics.median(times) * 1e3, min(times) * 1e3
    click.echo(f"time of {calls}: median {median:.3f} ms, least {least:.3f} ms")


def _write_trace(program: Program, path: Path, events: Sequence[Event]) -> None:
    from devproc.report.work import read_work
    from devproc.runtime.execution.trace import write_events

    show(read_work(program.artifact.program_text, events))
    write_events(path, events)
    click.echo(f"wrote {path} ({path.stat().st_size:,} bytes)")
