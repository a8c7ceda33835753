"""`devproc compile`: a program for a target, saved, dumped, timed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devproc.tools.commands.console import progress, show
from devproc.tools.commands.options import (
    OutputFile,
    key_option,
    keywords,
    program_options,
)
from devproc.tools.commands.source import HELP, read

if TYPE_CHECKING:
    from devproc.program import Program

SHOWN_STAGES = 0.05
"""Share of the time above which a stage is listed."""


@click.command(
    "compile",
    help="Compile SOURCE and say what came of it; with a GPU as target, also ahead of "
    f"time for each --arch, so that the saved program compiles nothing.{HELP}",
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
    dump: Path | None,
    time_passes: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """The command; its help is in the decorator."""
    from devproc.backend.installed import backend
    from devproc.backend.target import parse_target
    from devproc.entry import compile
    from devproc.runtime.execution.host_program import unaligned_launches

    def say(text: str) -> None:
        if not quiet:
            click.echo(text)

    started = time.perf_counter()
    with progress("compiling"):
        program = compile(read(source, options), target, **keywords(options))
    say(f"{program}\n  {'time':8} {_time(program, time.perf_counter() - started)}")
    if dump is not None:
        from devproc.driver import dump_stages

        for path in dump_stages(program.artifact.program_text, dump):
            say(f"wrote {path}")
    for name, option in parse_target(target).items():
        code = program.artifact.code.get(name)
        if code is not None and not option:
            unaligned = unaligned_launches(program.artifact.host, name)
            made, lines = backend(name).compile_ahead(code, options, dump, unaligned)
            codes = {**program.artifact.code, name: made}
            program.artifact = replace(program.artifact, code=codes)
            for line in lines:
                say(line)
    if output is not None:
        program.save(output, key=key)
        say(f"saved {output} ({output.stat().st_size:,} bytes)")
    if time_passes:
        show(program.report().timings)


def _time(program: Program, seconds: float) -> str:
    """The total time, including reading the source, and the longest stages."""
    stages = {record.name: record.total_seconds for record in program.timings}
    if "cache" in stages:
        return f"{seconds:.2f} s, from the cache"
    total = sum(stages.values())
    shown = {n: s for n, s in stages.items() if s >= SHOWN_STAGES * total}
    listed = ", ".join(f"{name} {s:.2f}" for name, s in shown.items())
    return f"{seconds:.2f} s, of it {total:.2f} compiling: {listed}"
