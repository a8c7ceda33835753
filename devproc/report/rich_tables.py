"""Tables of the package `rich`."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text


class _PlainTable(Table):
    """A table whose cells are literal text: `[name]` is not markup."""

    def add_row(self, *renderables: RenderableType | None, **style: Any) -> None:
        """Adds a row of cells."""
        cells = (Text(cell) if isinstance(cell, str) else cell for cell in renderables)
        super().add_row(*cells, **style)


def make_table(title: str, *columns: str) -> Table:
    """A table; a column whose name begins with `>` holds numbers, aligned to the right."""
    heading = Text(title, style="table.title")
    table = _PlainTable(title=heading, title_justify="left", show_edge=False)
    for name in columns:
        number = name.startswith(">")
        table.add_column(
            name.lstrip(">"), justify="right" if number else "left", no_wrap=number
        )
    return table
