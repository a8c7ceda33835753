"""The time of each launch of a traced run, with the operations and bytes of its kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devproc.driver import parse_module, stage_text
from devproc.ir.program.kernel_work import Work, kernel_work
from devproc.report.rendering import RenderedTable
from devproc.runtime.execution.trace import Event

FIRST = 30
"""Rows that the table shows; the rest is summed up in one row."""


@dataclass(frozen=True)
class Launch:
    """A step of the program, and the seconds it took in all parts of the batch."""

    name: str
    where: str
    seconds: float
    work: Work

    def cells(self, total: float) -> tuple[str, ...]:
        """The row of the table; a rate of zero is left empty."""
        rates = (self.work.byte_count, self.work.flops)
        shown = (f"{r / self.seconds / 1e9:.1f}" if r else "" for r in rates)
        share = self.seconds / total if total else 0.0
        return (
            *(self.name, self.where, f"{self.seconds * 1e6:,.1f}"),
            *shown,
            f"{share:.1%}",
        )


@dataclass(frozen=True, repr=False)
class WorkTable(RenderedTable):
    """The launches of a run in program order; printed, the longest first."""

    columns = ("kernel", "source", ">us", ">GB/s", ">GFLOP/s", ">share")
    rows: tuple[Launch, ...]

    @property
    def seconds(self) -> float:
        """The sum of all steps."""
        return sum(row.seconds for row in self.rows)

    @property
    def title(self) -> str:
        """The sum, and the number of steps."""
        return f"time: {self.seconds * 1e6:,.1f} us in {len(self.rows)} steps"

    def cells(self) -> Iterator[Sequence[object]]:
        """A line for each of the longest launches, then one for the others."""
        ranked = sorted(self.rows, key=lambda row: row.seconds, reverse=True)
        shown, rest = ranked[:FIRST], ranked[FIRST:]
        if rest:
            seconds = sum(row.seconds for row in rest)
            shown.append(Launch(f"{len(rest)} others", "", seconds, Work(0, 0)))
        return (row.cells(self.seconds) for row in shown)


def read_work(program_text: str, events: Sequence[Event]) -> WorkTable:
    """The table of a traced run, from the text of the program's first stage."""
    work = kernel_work(parse_module(stage_text(program_text, "kernels")))
    seconds: dict[tuple[str, str, tuple[int, ...]], float] = {}
    known: dict[tuple[str, str, tuple[int, ...]], Work] = {}
    for step, begin, end in events:
        # Parts of a batch run the same steps.
        key = (" ".join(step.kernels) or step.kind, step.where, step.slots)
        moved = Work(0, step.byte_count)
        found = [work[name] for name in step.kernels if name in work] or [moved]
        seconds[key] = seconds.get(key, 0.0) + end - begin
        before = known.get(key, Work(0, 0))
        known[key] = Work(
            before.flops + sum(w.flops for w in found),
            before.byte_count + sum(w.byte_count for w in found),
        )
    return WorkTable(tuple(Launch(k[0], k[1], s, known[k]) for k, s in seconds.items()))
