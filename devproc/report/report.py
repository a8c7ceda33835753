"""`Report`: the tables of a program, as plain data.

`devproc.report.make_report` reads it from the IR; a saved program has it as JSON, so that it
is there without the compiler.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

from devproc.report.optional_tables import (
    ExactnessTable,
    FallbackTable,
    LaunchTable,
    RegionTable,
    StateTable,
    TokenizerTable,
    WeightTable,
)
from devproc.report.rendering import Rendered, RenderedTable, render
from devproc.report.tables import (
    CopyTable,
    FusionTable,
    KernelTable,
    MemoryTable,
    MoveTable,
    PlacementTable,
    ScheduleTable,
    TimingTable,
)
from devproc.runtime.reading.typed_json import parse_json, read_as
from devproc.timings import StageRecord

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table


@dataclass(frozen=True, repr=False)
class Report(Rendered):
    """All tables of a program; printing it renders them."""

    placement: PlacementTable
    fallbacks: FallbackTable
    copies: CopyTable
    memory: MemoryTable
    states: StateTable
    kernels: KernelTable
    launches: LaunchTable
    regions: RegionTable
    schedules: ScheduleTable
    fusion: FusionTable
    moves: MoveTable
    timings: TimingTable
    exactness: ExactnessTable
    tokenizers: TokenizerTable
    weights: WeightTable

    def shown(self) -> list[RenderedTable]:
        """The tables that are not empty, in the order of a compilation."""
        optional = (self.tokenizers, self.fallbacks, self.exactness, self.weights)
        rest = (
            *(self.copies, self.memory),
            *([self.states] if self.states.rows else []),
            self.kernels,
            *([self.launches] if self.launches.rows else []),
            *([self.regions] if self.regions.rows else []),
            *(self.schedules, self.fusion, self.moves),
        )
        shown = [self.placement, *(t for t in optional if t.rows), *rest]
        return [*shown, *([self.timings] if self.timings.rows else [])]

    def tables(self) -> list[Table]:
        """The tables of `shown` for `rich`."""
        return [table.__rich__() for table in self.shown()]

    def __rich__(self) -> Group:
        from rich.console import Group

        return Group(*self.tables())

    def __str__(self) -> str:
        return render(self, self.shown())

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.shown())

    def __repr__(self) -> str:
        names = ", ".join(field.name for field in fields(self))
        kernels, ops = len(self.kernels.rows), len(self.placement.rows)
        return f"<Report of {ops} ops in {kernels} kernels; print it, or its {names}>"

    def with_timings(self, records: Sequence[StageRecord]) -> Report:
        """The same with the times of a compilation."""
        return replace(self, timings=TimingTable(tuple(records)))

    def to_json(self) -> str:
        """All tables but the times, which are those of one compilation."""
        return json.dumps(asdict(self.with_timings(())))

    @staticmethod
    def from_json(text: str) -> Report:
        """What `to_json` wrote; raises BundleError for another text."""
        return read_as(Report, parse_json(text, "the report"), "the report")
