"""docs/steps.md: the docstring of each step of the DSL, by family."""

from __future__ import annotations

import inspect

from devproc.frontends.dsl import Pipeline
from devproc.frontends.dsl.building.builder import StepBuilder

INTRODUCTION = """A pipeline is built from these methods; each adds an op of the `pipe` dialect ([IR](ir.md))
and returns handles, and nothing is computed. Axes in parentheses, `(batch, time)`, are a
shape. How near a step comes to the library that it names is listed in
[Exactness](exactness.md). Programs of several of them are in `examples/`.
"""


def signature(name: str, method: object) -> str:
    """`resize(x, size, *, like='pillow')`, without types; `*` precedes keyword arguments."""
    assert callable(method)
    parameters = inspect.signature(method).parameters.values()
    shown: list[str] = []
    for parameter in parameters:
        if parameter.name in ("self", "cls"):
            continue
        starred = any(text.startswith("*") for text in shown)
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            shown.append(f"*{parameter.name}")
        elif parameter.default is inspect.Parameter.empty:
            shown.append(parameter.name)
        else:
            shown.append(f"{parameter.name}={_default(parameter.default)}")
    return f"{name}({', '.join(shown)})"


def _default(value: object) -> str:
    """The value in short form: dots for a long one."""
    text = repr(value)
    return text if len(text) <= 24 else "..."


def steps_page(note: str) -> str:
    """docs/steps.md."""
    parts = ["# Steps\n\n", note, INTRODUCTION]
    for class_ in Pipeline.__mro__:
        if not issubclass(class_, StepBuilder) or class_ is StepBuilder:
            continue
        text = inspect.cleandoc(class_.__doc__ or "")
        title, _, rest = text.partition("\n")
        title = "The pipeline itself" if class_ is Pipeline else title.rstrip(".")
        parts.append(f"\n## {title}\n" + (f"\n{rest.strip()}\n" if rest else ""))
        for name, member in vars(class_).items():
            method = getattr(member, "__func__", member)
            hidden = name.startswith("_") or name == "calling"
            if hidden or not inspect.isfunction(method):
                continue
            text = inspect.cleandoc(method.__doc__ or "")
            parts.append(f"\n### `{signature(name, method)}`\n\n{text}\n")
    return "".join(parts)
