"""`devproc backend-test`: whether a device computes and runs as a backend has to."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from devproc.tools.commands.common.console import progress, show


@click.command("backend-test")
@click.argument("target", metavar="DEVICE")
@click.option("--op", "ops", multiple=True, help="Only these ops; a glob.")
@click.option("--dtype", "dtypes", multiple=True, help="Only these dtypes; a glob.")
@click.option("--check", "checks", multiple=True, help="Only these checks; a glob.")
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.md",
    help="Write the result as a page.",
)
def backend_test_command(
    target: str,
    ops: tuple[str, ...],
    dtypes: tuple[str, ...],
    checks: tuple[str, ...],
    page: Path | None,
) -> None:
    """Test DEVICE, such as cpu or cuda:interpret, with the conformance kit; exit 1 if
    anything fails (docs/backends.md).
    """
    from devproc.backend.conformance.kit import run_kit
    from devproc.ir.replacement import replacement
    from devproc.timings import announce

    with progress(f"testing {target}"):
        result = run_kit(target, ops, dtypes, checks, announce)
    show(*result.tables())
    for failure in result.failures():
        click.echo(failure)
    click.echo(result.line())
    if page is not None:
        with replacement(page) as file:
            file.write(result.page().encode())
    if not result.passed:
        sys.exit(1)
