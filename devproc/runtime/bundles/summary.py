"""The summary of a compiled program: one line, a few lines, and HTML for a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devproc.errors import counted
from devproc.runtime.calls.interface import Interface

if TYPE_CHECKING:
    from devproc.runtime.bundles.artifact import Artifact

FIRST = 3
"""Inputs and outputs that one line names."""


@dataclass(frozen=True)
class Summary:
    """A program's name, options, tensors and sizes; `str` shows a line for each group."""

    title: str
    interface: Interface
    sizes: tuple[str, ...]

    @property
    def line(self) -> str:
        """Everything in one line; long lists are cut."""
        return f"{self.title}: {self.interface.line(FIRST)}; {', '.join(self.sizes)}"

    @property
    def rows(self) -> list[tuple[str, str]]:
        """(group, entry); only the first entry of a group has its name."""
        found: list[tuple[str, str]] = []
        for group in ("inputs", "outputs", "states"):
            specs = getattr(self.interface, group)
            names = [group] + [""] * len(specs)
            found += [(n, str(s)) for n, s in zip(names, specs, strict=False)]
        return [*found, ("sizes", ", ".join(self.sizes))]

    def __str__(self) -> str:
        lines = [f"  {group:8} {entry}" for group, entry in self.rows]
        return "\n".join([self.title, *lines])

    def html(self) -> str:
        """The same lines as a table for a notebook."""
        return html_table(self.title, (), self.rows)


def summarize(artifact: Artifact, weight_bytes: int | None = None) -> Summary:
    """The summary of a program, with the size of its weights if known."""
    from devproc.runtime.calls.tokenizing import TextCalling

    # The options are attributes of the module, in the first line of the text.
    head = artifact.program_text.partition("\n")[0]
    name = re.search(r'devproc\.name = "([^"]*)"', head)
    precision = re.search(r'\bprecision = "(\w+)"', head)
    words = [f"program '{name[1]}'" if name else "program"]
    calling = artifact.calling
    # A call takes texts, the program their tokens.
    taken = calling.named if isinstance(calling, TextCalling) else artifact
    options = [f"for {artifact.devices}", counted(artifact.threads, "thread")]
    options += [f"precision {precision[1]}"] if precision else []
    # A device whose options begin with the name of what it is: `#cpu.machine<processor =`.
    kinds = re.findall(r'(\w+) = #[\w.]+<processor = "([^"]+)"', head)
    options += [" ".join(kind) for kind in kinds]
    return Summary(
        " ".join([*words, ", ".join(options)]),
        taken.interface,
        tuple(_sizes(artifact, weight_bytes)),
    )


def _sizes(artifact: Artifact, weight_bytes: int | None) -> Iterable[str]:
    names = {name for step in artifact.host.steps for name in step.kernels}
    yield counted(len(names), "kernel")
    if weight_bytes is not None:
        yield f"{format_bytes(weight_bytes)} of weights"
    if artifact.code:
        yield f"{format_bytes(sum(map(len, artifact.code.values())))} of code"
    arenas = sum(artifact.host.arenas.values())
    yield f"{format_bytes(arenas)} of memory during a call"


def format_bytes(count: int) -> str:
    """A number of bytes with a unit: `812 bytes`, `5.2 kB`, `10.3 MB`."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return counted(count, "byte")


def html_table(
    title: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[bool] | None = None,
) -> str:
    """A table for a notebook; columns marked in `right` are aligned to the right."""
    from html import escape  # with its table of all entities

    ends = right or [False] * max(len(header), 2)
    styles = [f' style="text-align: {"right" if end else "left"}"' for end in ends]

    def line(cells: Sequence[str], tag: str) -> str:
        pairs = zip(cells, styles, strict=False)
        body = (f"<{tag}{style}>{escape(cell)}</{tag}>" for cell, style in pairs)
        return f"<tr>{''.join(body)}</tr>"

    lines = [line(header, "th")] if header else []
    lines += [line(cells, "td") for cells in rows]
    caption = f'<caption style="text-align: left">{escape(title)}</caption>'
    return f"<table>{caption}{''.join(lines)}</table>"
