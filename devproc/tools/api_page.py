"""docs/api.md: every public name, for mkdocstrings, which shows signature and docstring."""

from __future__ import annotations

import inspect

import devproc
from devproc import errors

INTRODUCTION = """Everything in `devproc.__all__`, and the errors of `devproc.errors`. The
methods of a pipeline that add steps are on the page [Steps](steps.md).
"""


def _directive(name: str) -> str:
    """What mkdocstrings replaces by the documentation of a name."""
    thing = getattr(devproc, name)
    lines = [f"::: {thing.__module__}.{thing.__name__}", "    options:"]
    lines += [f"      heading: devproc.{name}", "      show_root_toc_entry: true"]
    if thing is devproc.Pipeline:
        lines.append("      members: false")
    return "\n".join(lines) + "\n"


def _errors() -> list[str]:
    """The names of the public errors, in the order in which they are defined."""
    return [
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.DevProcError)
    ]


def api_page(note: str) -> str:
    """docs/api.md."""
    raised = _errors()
    parts = ["# API\n\n", note, INTRODUCTION]
    for name in devproc.__all__:
        if name in raised:
            continue
        if name == "pipeline":
            parts.append("\n## devproc.pipeline\n\nThe same as `devproc.Pipeline`.\n")
            continue
        parts.append("\n" + _directive(name))
    parts.append("\n# Errors\n")
    parts += [f"\n::: devproc.errors.{name}\n" for name in raised]
    return "".join(parts)
