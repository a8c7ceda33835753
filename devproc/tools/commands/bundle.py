"""`devproc bundle`: a program as a C library with header, weights and golden cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devproc.tools.commands.common.entries import (
    chosen_entry,
    compile_source,
    entry_option,
    load_source,
)
from devproc.tools.commands.common.options import Name, program_options
from devproc.tools.commands.common.source import HELP, read

if TYPE_CHECKING:
    from devproc.program import Program
    from devproc.runtime.entries import Entries

DISPATCH = "dispatch"
LEVELS = ("x86-64-v4", "x86-64-v3", "x86-64-v2")
"""The processors that `--cpu dispatch` puts into one library."""

THREADINGS = ("none", "own", "callback")


@click.command(
    "bundle",
    help="Write SOURCE as a C library that needs neither Python nor anything else, with its "
    "header, weights, golden cases and examples (docs/bundle.md). SOURCE may be a saved "
    "program too. `--cpu dispatch` makes code for x86-64-v2, v3 and v4, of which the "
    "library takes the best that runs; `--target cuda` and `--arch` make one that drives a "
    f"GPU.{HELP}",
)
@program_options
@entry_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="FOLDER",
    help="Folder for the files of the bundle.",
)
@click.option("--name", help="Name of the library and its functions [the program's].")
@click.option(
    "--os",
    help="linux, android, macos, ios, windows, or none for bare metal [linux].",
)
@click.option("--embed-weights", is_flag=True, help="Put the weights into the library.")
@click.option(
    "--threading",
    type=Name(THREADINGS),
    default="none",
    show_default=True,
    help="Who runs parallel loops: the calling thread, a pool of the library's own, or a "
    "function that the caller gives.",
)
@click.option(
    "--linker", help="Link with triton, ld.lld, cc or ziglang [the first that works]."
)
@click.option("--size", is_flag=True, help="Prefer small code to fast code.")
def bundle_command(
    source: str,
    target: str,
    entry: str | None,
    output: Path,
    name: str | None,
    os: str | None,
    embed_weights: bool,
    threading: str,
    linker: str | None,
    size: bool,
    **options: Any,
) -> None:
    """The command; its help is in the decorator."""
    from devproc.bundle.code.machines import MACHINES
    from devproc.bundle.export import export_bundle

    foreign = {m.architecture: m.program_architecture for m in MACHINES if m.llvm_cpu}
    cpu = options["cpu"] if options["cpu"] in foreign else None
    if cpu is not None:
        options["cpu"] = foreign[cpu]
    first, *levels = LEVELS if options["cpu"] == DISPATCH else [options["cpu"]]
    program, reference = _program(source, target, entry, {**options, "cpu": first})
    others = [
        _program(source, target, entry, {**options, "cpu": level})[0]
        for level in levels
    ]
    written = export_bundle(
        program,
        output,
        name=name,
        cpu=cpu,
        os=os,
        weights="embed" if embed_weights else "file",
        threads=threading,
        reference=reference,
        linker=linker,
        small=size,
        levels=others,
    )
    click.echo(str(written))


def _program(
    source: str, target: str, entry: str | None, options: dict[str, Any]
) -> tuple[Program | Entries[Program], Any]:
    """The program, or all its entries, and the source that its golden cases come from, if
    there is one.
    """
    from devproc.runtime.bundles.files import SAVED, kind_of

    if kind_of(Path(source)) is SAVED:
        if options["cpu"] in LEVELS:
            raise click.BadParameter(
                "--cpu: a saved program is compiled already; give its source"
            )
        program, reference = load_source(Path(source)), None
    else:
        program, reference = (
            compile_source(source, target, options),
            read(source, options),
        )
    if entry is None:
        return program, reference
    return chosen_entry(program, entry), None if reference is None else reference[entry]
