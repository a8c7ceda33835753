"""`devproc inspect`: the stages of a program as text, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devproc import plugins, registry
from devproc.errors import CompileError
from devproc.tools.commands.common.console import progress, show
from devproc.tools.commands.common.entries import (
    chosen_entry,
    compile_source,
    entry_option,
    load_entry,
)
from devproc.tools.commands.common.modules import first_module, scheduled_kernels
from devproc.tools.commands.common.options import (
    Name,
    program_options,
)
from devproc.tools.commands.common.source import ENTRIES_HELP, HELP

if TYPE_CHECKING:
    from devproc.program import Program

VIEWS = (
    *("placement", "fallbacks", "exactness", "tokenizers"),
    *("copies", "memory", "kernels", "regions", "schedules", "fusion", "moves"),
    "timings",
)
STAGE_NAMES = [*(stage.name for stage in plugins.stages()), *registry.texts()]


@click.command(
    "inspect",
    help="Print what SOURCE is compiled to: a summary and its tables, some of them, or "
    f"the text of a stage.{HELP}{ENTRIES_HELP}\n    Or it is a saved program (net.devproc), whose "
    "options are as they were compiled.",
)
@program_options
@entry_option
@click.option(
    "--stage",
    type=Name(STAGE_NAMES),
    metavar="STAGE",
    help=f"Print the text of a stage: {', '.join(STAGE_NAMES)}.",
)
@click.option(
    "--view",
    type=Name(VIEWS),
    multiple=True,
    metavar="TABLE",
    help=f"Print this table alone: {', '.join(VIEWS)}.",
)
@click.option(
    "--kernel",
    metavar="NAME",
    help="Describe the GPU's kernels of this name, a glob: source, schedule, candidates "
    "with scores, machine code, estimated time.",
)
def inspect_command(
    source: str,
    target: str,
    entry: str | None,
    stage: str | None,
    view: tuple[str, ...],
    kernel: str | None,
    **options: Any,
) -> None:
    """The command; its help is in the decorator."""
    if kernel is not None:
        click.echo("\n\n".join(_kernel_pages(kernel, source, target, options)))
        return
    program = _program(source, target, entry, options)
    if stage is not None:
        click.echo(program.ir(stage), nl=False)
        return
    report = program.report()
    if view:
        show(*(getattr(report, name) for name in view))
        return
    click.echo(f"{program}\n")
    show(*report.tables())


def _kernel_pages(
    pattern: str, source: str, target: str, options: dict[str, Any]
) -> list[str]:
    """What the devices say about their kernels; raises CompileError if that is nothing."""
    from devproc.backend.installed import tuner_of
    from devproc.dialects.dev import target_of

    with progress("compiling"):
        module = first_module(source, target, options)
        found = scheduled_kernels(module, pattern)
        options_of_module = target_of(module)
        pages = [
            page
            for device, kernels in found.items()
            for page in tuner_of(device).pages(kernels, options_of_module)
        ]
    if not pages:
        raise CompileError(f"the devices {', '.join(found)} describe no kernels")
    return pages


def _program(
    source: str, target: str, entry: str | None, options: dict[str, Any]
) -> Program:
    """A saved program is loaded, a source compiled."""
    from devproc.runtime.bundles.files import SAVED, kind_of

    if kind_of(Path(source)) is SAVED:
        return load_entry(Path(source), entry)
    return chosen_entry(compile_source(source, target, options), entry)
