"""Rendering of a report and its tables: as text, as HTML, and in one line."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from devproc.runtime.bundles.summary import html_table

Row = TypeVar("Row")

WIDTH = 120
"""Columns of a printed table."""


class Rendered:
    """Something that `rich` renders as tables: `print` shows text, a notebook HTML.

    `repr` shows the title of the first table; a dataclass needs `repr=False` to inherit it.
    """

    def __rich__(self) -> Any:
        """The table, or a group of tables."""
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


@dataclass(frozen=True, repr=False)
class RenderedTable(Rendered, Generic[Row]):
    """Rows that are rendered as one table."""

    columns: ClassVar[tuple[str, ...]]
    """Headers (see `make_table`), with `=attribute` where a row has another name for it."""
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """The line above the table."""
        raise NotImplementedError

    def cells(self) -> Iterable[Sequence[object]]:
        """The cells of each line: texts, tuples of texts, and integers."""
        names = [column.rpartition("=")[2].lstrip(">") for column in self.columns]
        return ([getattr(row, name) for name in names] for row in self.rows)

    def __rich__(self) -> Table:
        table = make_table(self.title, *(c.partition("=")[0] for c in self.columns))
        for cells in self.cells():
            table.add_row(*map(_cell_text, cells))
        return table


def _cell_text(cell: object) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return (
        ", ".join(cast(tuple[str, ...], cell)) if isinstance(cell, tuple) else str(cell)
    )


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
