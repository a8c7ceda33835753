"""docs/api.md: every public name, for mkdocstrings, which shows signature and docstring."""

from __future__ import annotations

import inspect

import devproc
from devproc import errors

INTRODUCTION = """Everything in `devproc.__all__`, and the errors of `devproc.errors`. The
methods of a pipeline that add steps are on the page [Steps](steps.md).
"""

RESULTS = (
    "devproc.frontends.dsl.values.value.Value",
    "devproc.frontends.dsl.values.detections.Detections",
    "devproc.frontends.dsl.audio.Tokens",
    "devproc.generation.properties.Generation",
    "devproc.verification.Verification",
    "devproc.verification.Comparison",
    "devproc.verification.Difference",
    "devproc.evaluation.passes.PassVerification",
    "devproc.evaluation.passes.PassComparison",
    "devproc.errors.Problem",
)
"""Classes that users do not make, but meet as results."""


INTERNAL = {
    "Entries": (),
    "LanguageModel": ("fail_step", "parts"),
    "Program": ("observe_flat", "run_flat", "saved_artifact"),
}
"""Class -> members that only DevProc calls."""
SPECIAL = ("__call__", "__getitem__")
"""Methods that users call by their syntax."""


def public_members(name: str) -> tuple[str, ...]:
    """The methods and properties of a public class, inherited ones too."""
    found = inspect.getmembers_static(getattr(devproc, name))
    return tuple(
        member
        for member, value in found
        if (not member.startswith("_") or member in SPECIAL)
        and member not in INTERNAL[name]
        and _module(value).startswith("devproc.")
    )


def _module(value: object) -> str:
    """Where a method or property is defined; empty for other values."""
    if isinstance(value, property):
        return value.fget.__module__ if value.fget else ""
    return getattr(value, "__module__", None) or ""


def _directive(name: str) -> str:
    """What mkdocstrings replaces by the documentation of a name."""
    thing = getattr(devproc, name)
    lines = [f"::: {thing.__module__}.{thing.__name__}", "    options:"]
    lines += [f"      heading: devproc.{name}", "      show_root_toc_entry: true"]
    if thing is devproc.Pipeline:
        lines += ["      members: false", "      inherited_members: false"]
    elif inspect.isclass(thing):
        lines.append(f"      members: [{', '.join(public_members(name))}]")
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
    parts.append("\n# Results\n\nWhat the above returns, or what is part of it.\n")
    options = "    options:\n      inherited_members: false\n"
    parts += [f"\n::: {name}\n{options}" for name in RESULTS]
    parts.append("\n# Errors\n")
    parts += [f"\n::: devproc.errors.{name}\n" for name in raised]
    return "".join(parts)
