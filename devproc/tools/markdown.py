"""Tables in markdown, written and read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence


def row(cells: Iterable[str]) -> str:
    """One row of a table; a bar inside a cell is escaped."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    return "\n".join([row(header), "|" + " --- |" * len(header), *map(row, rows)])


def read_tables(text: str) -> Iterator[list[dict[str, str]]]:
    """The rows of each table of a text, as header -> cell; no cell contains a bar."""
    lines = [line.strip() for line in text.splitlines()]
    starts = [n for n, line in enumerate(lines) if re.match(r"\| ?--", line)]
    for start in starts:
        header = _cells(lines[start - 1])
        rows: list[dict[str, str]] = []
        for line in lines[start + 1 :]:
            if not line.startswith("|"):
                break
            rows.append(dict(zip(header, _cells(line), strict=True)))
        yield rows


def _cells(line: str) -> list[str]:
    return [cell.strip(" *") for cell in line.strip("|").split("|")]
