"""`devproc cache`: the entries of the cache, and why a program has none."""

from __future__ import annotations

import time
from typing import Any

import click

from devproc import settings
from devproc.tools.commands.common.options import (
    keywords,
    program_options,
)
from devproc.tools.commands.common.source import HELP, read


@click.group("cache")
def cache_group() -> None:
    """The programs on disk: list, explain, remove (docs/cache.md)."""


@cache_group.command("path")
def path_command() -> None:
    """Print the folder."""
    click.echo(settings.cache_dir())


@cache_group.command("list")
def list_command() -> None:
    """Print the compiled programs, most recently used first."""
    from devproc.runtime.cache.cache_reasons import cached_programs

    entries = cached_programs()
    for entry in entries:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
        click.echo(
            f"{entry.name[:16]}  {used}  {entry.size:>12,} bytes  {entry.options()}"
        )
    click.echo(f"{len(entries)} programs in {settings.cache_dir()}")


@cache_group.command("clear")
def clear_command() -> None:
    """Remove all entries."""
    from devproc.runtime.cache.cache_reasons import clear_cache

    count, size = clear_cache()
    click.echo(f"removed {count} files, {size:,} bytes, of {settings.cache_dir()}")


@cache_group.command(
    "why",
    help=f"Say which part of SOURCE's key differs from what is in the cache.{HELP}",
)
@program_options
def why_command(source: str, target: str, **options: Any) -> None:
    """The command; its help is in the decorator."""
    from devproc.entry import why_not_cached

    given = read(source, options)
    click.echo(str(why_not_cached(given, target, **keywords(options))))
