"""`devproc tune`: the best of several schedules for each kernel of a program."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devproc.errors import CompileError
from devproc.tools.commands.common.console import progress, show
from devproc.tools.commands.common.modules import first_module, scheduled_kernels
from devproc.tools.commands.common.options import OutputFile, program_options
from devproc.tools.commands.common.source import HELP

if TYPE_CHECKING:
    from rich.table import Table

    from devproc.backend import Tuned


@click.command(
    "tune",
    help="Compare several schedules of each kernel of SOURCE: measured on a GPU where "
    "there is one, else by a model of it. The times stay in the cache, where compilations "
    f"with --tune yes find them.{HELP}",
)
@program_options
@click.option(
    "--kernel", metavar="NAME", default="*", help="Kernels of this name alone, a glob."
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE.json",
    help="Write what was found here.",
)
def tune_command(
    source: str, target: str, kernel: str, output: Path | None, **options: Any
) -> None:
    """The command; its help is in the decorator."""
    from devproc.backend.installed import tuner_of
    from devproc.dialects.dev import target_of

    with progress("tuning"):
        module = first_module(source, target, {**options, "tune": "no"})
        kernels = scheduled_kernels(module, kernel)
        found = [
            tuned
            for device, own in kernels.items()
            for tuned in tuner_of(device).tune(own, target_of(module))
        ]
    if not found:
        raise CompileError(f"the devices {', '.join(kernels)} have nothing to tune")
    show(_table(found))
    if output is not None:
        output.write_text(json.dumps([asdict(tuned) for tuned in found], indent=1))


def _table(found: Sequence[Tuned]) -> Table:
    """A row for each nest."""
    from devproc.report.rich_tables import make_table

    columns = (">planned us", ">best us", ">tried", "by", "best schedule")
    table = make_table("", "kernel", *columns)
    for tuned in found:
        before = tuned.planned_microseconds
        best = tuned.best if tuned.best != tuned.planned else "as planned"
        table.add_row(
            f"{tuned.kernel} @{tuned.nest}",
            "cannot run" if before is None else f"{before:.2f}",
            f"{tuned.best_microseconds:.2f}",
            *(str(tuned.tried), tuned.by, best),
        )
    return table
