"""`devproc bundle-check`: whether a bundle is whole, and computes what it should."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("bundle-check")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def bundle_check_command(folder: Path) -> None:
    """Check the bundle in FOLDER: its description, weights, imports and golden cases.

    The golden cases run in this process; for AArch64 on another machine under qemu-aarch64,
    where that and a C compiler for AArch64 are installed.
    """
    from devproc.bundle.check import check_bundle

    for line in check_bundle(folder):
        click.echo(line)
