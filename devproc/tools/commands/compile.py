"""`devproc compile`: a program for a target, saved, dumped, timed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devproc.tools.commands.common.console import show
from devproc.tools.commands.common.entries import compile_source, entries_of
from devproc.tools.commands.common.options import (
    OutputFile,
    key_option,
    program_options,
)
from devproc.tools.commands.common.source import ENTRIES_HELP, HELP

if TYPE_CHECKING:
    from devproc.program import Program

SHOWN_STAGES = 0.05
"""Share of the time above which a stage is listed."""


@click.command(
    "compile",
    help="Compile SOURCE and say what came of it; with a GPU as target, also ahead of "
    f"time for each --arch, so that the saved program compiles nothing.{HELP}{ENTRIES_HELP}",
)
@program_options
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE",
    help="Save the program here, for devproc run and devproc.load.",
)
@key_option
@click.option(
    "--report", is_flag=True, help="Save its report too, for devproc-runtime to show."
)
@click.option(
    "--dump",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Folder for each stage's text, the generated code, and what is compiled ahead.",
)
@click.option("--time-passes", is_flag=True, help="Print the seconds of each pass.")
@click.option(
    "-q", "--quiet", is_flag=True, help="Print nothing that is not asked for."
)
def compile_command(
    source: str,
    target: str,
    output: Path | None,
    key: bytes | None,
    report: bool,
    dump: Path | None,
    time_passes: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """The command; its help is in the decorator."""

    def say(text: str) -> None:
        if not quiet:
            click.echo(text)

    started = time.perf_counter()
    program = compile_source(source, target, options)
    seconds = time.perf_counter() - started
    entries = entries_of(program)
    say(f"{program}\n  {'time':8} {_time(entries.values(), seconds)}")
    for name, entry in entries.items():
        folder = dump and dump / name
        if folder is not None:
            from devproc.driver import dump_stages

            for path in dump_stages(entry.artifact.program_text, folder):
                say(f"wrote {path}")
        for line in _compile_ahead(entry, options, folder):
            say(line)
    if output is not None:
        program.save(output, key=key, report=report)
        say(f"saved {output} ({output.stat().st_size:,} bytes)")
    if time_passes:
        show(*(entry.report().timings for entry in entries.values()))


def _compile_ahead(
    program: Program, options: dict[str, Any], dump: Path | None
) -> list[str]:
    """Compiles the code of devices for the machines that the options name; what to say."""
    from devproc.backend.installed import backend
    from devproc.backend.target import parse_target
    from devproc.runtime.execution.host_program import unaligned_launches

    said: list[str] = []
    for name, option in parse_target(program.artifact.devices).items():
        code = program.artifact.code.get(name)
        if code is not None and not option:
            unaligned = unaligned_launches(program.artifact.host, name)
            made, lines = backend(name).compile_ahead(code, options, dump, unaligned)
            codes = {**program.artifact.code, name: made}
            program.artifact = replace(program.artifact, code=codes)
            said += lines
    return said


def _time(programs: Iterable[Program], seconds: float) -> str:
    """The total time, including reading the sources, and the longest stages."""
    stages: dict[str, float] = {}
    for record in chain.from_iterable(program.timings for program in programs):
        stages[record.name] = stages.get(record.name, 0) + record.total_seconds
    if "cache" in stages:
        return f"{seconds:.2f} s, from the cache"
    total = sum(stages.values())
    shown = {n: s for n, s in stages.items() if s >= SHOWN_STAGES * total}
    listed = ", ".join(f"{name} {s:.2f}" for name, s in shown.items())
    return f"{seconds:.2f} s, of it {total:.2f} compiling: {listed}"
