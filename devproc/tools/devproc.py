"""The `devproc` command line: its commands, each in a file of `commands/`, and its errors.

A command is loaded when it is called, and imports its dependencies when it runs.
"""

from __future__ import annotations

import sys
from importlib import import_module

import click

from devproc.errors import DevProcError, did_you_mean
from devproc.tools.commands.common.console import show_warnings_as_messages

COMMANDS = {
    "compile": "compile:compile_command",
    "run": "run:run_command",
    "bundle": "bundle:bundle_command",
    "bundle-check": "bundle_check:bundle_check_command",
    "verify": "verify:verify_command",
    "inspect": "inspect:inspect_command",
    "generate": "generate:generate_command",
    "explain": "explain:explain_command",
    "tune": "tune:tune_command",
    "targets": "targets:targets_command",
    "export-json": "export_json:export_json_command",
    "bench": "bench:bench_command",
    "survey": "survey:survey_command",
    "backend-test": "backend_test:backend_test_command",
    "cache": "cache:cache_group",
}
"""Name -> module in `commands/` and click command, in the order of `--help`."""


class Commands(click.Group):
    """A group that imports commands lazily."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        return getattr(import_module(f"devproc.tools.commands.{module}"), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises UsageError that lists the known names for an unknown one."""
        name = args[0]
        if not name.startswith("-") and name not in COMMANDS:
            known = f"the commands are {', '.join(COMMANDS)}"
            close = did_you_mean(name, COMMANDS)
            raise click.UsageError(f"no command '{name}'; {known}{close}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="devproc")
def main() -> None:
    """Compile, run, verify and inspect inference programs.

    A SOURCE is an exported model (model.pt2), a program as JSON (model.json), or a
    pipeline or model in a Python file (app.py:NAME); `devproc compile SOURCE -o FILE`
    makes a saved program of it, `devproc run FILE` runs that.
    """


def run() -> None:
    """Entry point: prints errors as messages, without tracebacks."""
    show_warnings_as_messages()
    try:
        main(prog_name="devproc")
    # OSError: a file that cannot be read or written.
    except (DevProcError, OSError) as error:
        click.echo(f"devproc: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    run()
