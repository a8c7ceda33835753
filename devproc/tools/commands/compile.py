"""`devproc compile`: a program for a target, saved, dumped, timed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from devproc.tools.commands.console import OUT
from devproc.tools.commands.options import compile_options, keywords
from devproc.tools.commands.source import read


@click.command("compile")
@compile_options
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Saved program.")
@click.option(
    "--dump",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for each stage's text, the LLVM IR, the Triton source and cubins.",
)
@click.option("--time-passes", is_flag=True, help="Print the seconds of each pass.")
def compile_command(
    source: str,
    target: str,
    output: Path | None,
    dump: Path | None,
    time_passes: bool,
    **options: Any,
) -> None:
    """Compile SOURCE; with a GPU target, also ahead of time for --arch."""
    ahead_of_time = target == "cuda" or target.endswith("+cuda")
    from devproc.entry import compile

    program = compile(read(source, options), target, **keywords(options))
    if output is not None:
        program.save(output)
        OUT.print(f"saved {output} ({output.stat().st_size:,} bytes)")
    if dump is not None:
        from devproc.compiler import dump_stages

        for path in dump_stages(program, dump):
            OUT.print(f"wrote {path}")
    if ahead_of_time:
        _compile_kernels(program, options["arch"], dump)
    if time_passes:
        OUT.print(program.report().timings)


def _compile_kernels(program: Any, arch: str, folder: Path | None) -> None:
    from devproc.targets.triton.aot import compile_kernel

    for name, kernel in program.artifact.kernels.items():
        compiled = compile_kernel(kernel, arch)
        resources = compiled.resources()
        OUT.print(
            f"{name}: {arch}, {len(compiled.cubin):,} bytes, {resources.registers} "
            f"registers, {resources.spilled_bytes} bytes spilled, "
            f"{resources.shared_bytes} bytes shared"
        )
        if folder is not None:
            (folder / f"{name}.cubin").write_bytes(compiled.cubin)
