"""docs/command_options.md: every command with its arguments and options, as click has them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from devproc.tools.devproc import main
from devproc.tools.markdown import markdown_table

INTRODUCTION = """\
What `--help` of each command prints. [The command line](commands.md) explains how they are
used.
"""


def options_page(note: str) -> str:
    """docs/command_options.md."""
    root = click.Context(main, info_name="devproc")
    return "".join([f"# Command options\n\n{note}{INTRODUCTION}", *_sections(root)])


def _sections(parent: click.Context) -> Iterator[str]:
    """A section for each command of a group, and for each of a group in it."""
    group = parent.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=parent)
        yield _section(command, context)
        if isinstance(command, click.Group):
            yield from _sections(context)


def _section(command: click.Command, context: click.Context) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    records = [param.get_help_record(context) for param in command.get_params(context)]
    described = [record for record in records if record and record[1]]
    # Its names, `-h` among them, depend on whether the command has run already.
    rows = [
        (f"`{names}`", _plain(meaning))
        for names, meaning in described
        if "--help" not in names.split(", ")
    ]
    table = markdown_table(("option", "meaning"), rows)
    return (
        f"\n## `{context.command_path}`\n\n```text\n{usage}\n```\n\n{text}\n\n{table}\n"
    )


def _plain(text: str) -> str:
    """Without what markdown would read as markup: `[default: x]` and `<name>`."""
    return text.replace("[", r"\[").replace("]", r"\]").replace("<", r"\<")
