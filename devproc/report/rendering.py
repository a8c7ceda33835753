"""Rendering of a report and its tables: as text, as HTML, and in one line."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from devproc.runtime.bundles.summary import html_table

if TYPE_CHECKING:
    from rich.table import Table

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
        from rich.console import Console

        stream = io.StringIO()
        console = Console(file=stream, width=WIDTH, highlight=False)
        console.print(self)
        return stream.getvalue()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.tables()[0].title}>"

    def _repr_html_(self) -> str:
        return "".join(map(_as_html, self.tables()))


@dataclass(frozen=True, repr=False)
class RenderedTable(Rendered):
    """Rows that are rendered as one table; as plain text where `rich` is not installed."""

    columns: ClassVar[tuple[str, ...]]
    """Headers, with `>` where a column holds numbers, and with `=attribute` where a row has
    another name for it."""
    rows: tuple[Any, ...]

    @property
    def title(self) -> str:
        """The line above the table."""
        raise NotImplementedError

    def cells(self) -> Iterable[Sequence[object]]:
        """The cells of each line: texts, tuples of texts, and integers."""
        names = [column.rpartition("=")[2].lstrip(">") for column in self.columns]
        return ([getattr(row, name) for name in names] for row in self.rows)

    @property
    def _headers(self) -> list[str]:
        return [column.partition("=")[0] for column in self.columns]

    def __rich__(self) -> Table:
        from devproc.report.rich_tables import make_table

        table = make_table(self.title, *self._headers)
        for cells in self.cells():
            table.add_row(*map(_cell_text, cells))
        return table

    def __str__(self) -> str:
        return render(self, [self])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.title}>"

    def html(self) -> str:
        """The table for a notebook."""
        names = [header.lstrip(">") for header in self._headers]
        right = [header.startswith(">") for header in self._headers]
        rows = (list(map(_cell_text, cells)) for cells in self.cells())
        return html_table(self.title, names, rows, right)

    def _repr_html_(self) -> str:
        return self.html()

    def plain_text(self) -> str:
        """The table in columns that are as wide as their cells."""
        lines = [list(map(_cell_text, cells)) for cells in self.cells()]
        names = [header.lstrip(">") for header in self._headers]
        widths = [max(map(len, column)) for column in zip(names, *lines, strict=True)]
        right = [header.startswith(">") for header in self._headers]

        def padded(cells: Sequence[str]) -> str:
            pairs = zip(cells, widths, right, strict=True)
            parts = (c.rjust(w) if is_right else c.ljust(w) for c, w, is_right in pairs)
            return "  ".join(parts).rstrip()

        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self.title, padded(names), rule, *map(padded, lines), ""])


def render(whole: Rendered, tables: Iterable[RenderedTable]) -> str:
    """The text of `whole`, which consists of `tables`."""
    try:
        return Rendered.__str__(whole)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rich":
            raise
        return "\n".join(table.plain_text() for table in tables)


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
