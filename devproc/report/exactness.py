"""The table of a program's promises: how far each step may be from its library."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table

from devproc.exactness.bound import StepBound
from devproc.report.rendering import Rendered, make_table


@dataclass(frozen=True, repr=False)
class ExactnessTable(Rendered):
    """The steps with their bounds; the tests hold them."""

    rows: tuple[StepBound, ...]

    def __rich__(self) -> Table:
        exact = sum(not row.limit for row in self.rows)
        title = f"exactness: {len(self.rows)} steps, {exact} of them bit-exact"
        table = make_table(title, "step", "where", "of", "bound", "reference")
        for row in self.rows:
            form = ", ".join(filter(None, (row.like, row.mode, row.dtype)))
            table.add_row(row.step, row.where, form, row.promise, row.reference)
        return table
