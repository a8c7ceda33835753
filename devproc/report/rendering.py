"""How a report and its tables show themselves: as text, as HTML, and in one line."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from devproc.runtime.bundles.summary import html_table

WIDTH = 120
"""Columns of a printed table."""


class Rendered:
    """What `rich` renders as tables: `print` gives them as text, a notebook as HTML.

    `repr` is the title of the one table; a dataclass needs `repr=False` to inherit it.
    """

    def __rich__(self) -> Any:
        """The one table, or a group of them."""
        raise NotImplementedError

    def tables(self) -> Sequence[Table]:
        """The tables, in order."""
        return [self.__rich__()]

    def __str__(self) -> str:
        stream = io.StringIO()
        console = Console(file=stream, width=WIDTH, highlight=False)
        console.print(self)
        return stream.getvalue()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.tables()[0].title}>"

    def _repr_html_(self) -> str:
        return "".join(map(_as_html, self.tables()))


def _as_html(table: Table) -> str:
    columns = table.columns
    cells = ([str(cell) for cell in column.cells] for column in columns)
    return html_table(
        str(table.title),
        [str(column.header) for column in columns],
        list(zip(*cells, strict=True)),
        [column.justify == "right" for column in columns],
    )


class _PlainTable(Table):
    """A table whose cells are shown as they are: `[name]` in one is no markup."""

    def add_row(self, *renderables: RenderableType | None, **style: Any) -> None:
        """Adds a row of cells."""
        cells = (Text(cell) if isinstance(cell, str) else cell for cell in renderables)
        super().add_row(*cells, **style)


def make_table(title: str, *columns: str) -> Table:
    """A table; a column whose name begins with `>` holds numbers, to the right."""
    heading = Text(title, style="table.title")
    table = _PlainTable(title=heading, title_justify="left", show_edge=False)
    for name in columns:
        number = name.startswith(">")
        table.add_column(
            name.lstrip(">"), justify="right" if number else "left", no_wrap=number
        )
    return table
