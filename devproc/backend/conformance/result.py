"""What the kit found: a table, and a page in markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devproc.ir.dtypes import DTYPE_NAMES

if TYPE_CHECKING:
    from rich.table import Table


@dataclass
class Cell:
    """An op in one dtype: of `of` cases, those that failed; and what the device refused."""

    op: str
    dtype: str
    of: int = 0
    failures: list[str] = field(default_factory=list[str])
    refusals: list[str] = field(default_factory=list[str])

    @property
    def passed(self) -> int:
        """The number of cases within the tolerance."""
        return self.of - len(self.failures)

    def __str__(self) -> str:
        return f"{self.passed} / {self.of}" if self.of else ""


@dataclass(frozen=True)
class Check:
    """A check of programs, memory or code, by name."""

    name: str
    what: str
    """What has to hold."""
    failure: str | None = None
    skipped: str | None = None
    """Why it does not concern the device."""

    @property
    def verdict(self) -> str:
        """One word, and the reason if it did not pass."""
        if self.failure is not None:
            return f"failed: {self.failure}"
        return "passed" if self.skipped is None else f"not run: {self.skipped}"


@dataclass(frozen=True)
class Result:
    """All cells and checks of a device."""

    target: str
    package: str
    summary: str
    cells: Sequence[Cell]
    checks: Sequence[Check]

    @property
    def passed(self) -> bool:
        """Whether nothing failed, and the device took something."""
        failed = any(cell.failures for cell in self.cells)
        failed |= any(check.failure is not None for check in self.checks)
        return not failed and any(cell.of for cell in self.cells)

    @property
    def dtypes(self) -> list[str]:
        """The dtypes in which the device takes any op."""
        taken = {cell.dtype for cell in self.cells if cell.of}
        return [dtype for dtype in DTYPE_NAMES if dtype in taken]

    def failures(self) -> Iterator[str]:
        """A line for each check, and each case, that failed."""
        for check in self.checks:
            if check.failure is not None:
                yield f"{check.name}: {check.failure}"
        for cell in self.cells:
            yield from (f"{cell.op} in {cell.dtype}, {f}" for f in cell.failures)

    def rows(self) -> Iterator[list[str]]:
        """An op with its cell in each dtype; ops that the device refuses are left out."""
        by_op: dict[str, dict[str, Cell]] = {}
        for cell in self.cells:
            by_op.setdefault(cell.op, {})[cell.dtype] = cell
        for op, cells in by_op.items():
            if any(cell.of for cell in cells.values()):
                shown = (cells.get(dtype) for dtype in self.dtypes)
                yield [op, *("" if cell is None else str(cell) for cell in shown)]

    def refused(self) -> dict[str, str]:
        """The ops that the device takes in no dtype, with a reason."""
        taken = {cell.op for cell in self.cells if cell.of}
        return {
            cell.op: cell.refusals[0].rpartition(": ")[2]
            for cell in reversed(self.cells)
            if cell.op not in taken and cell.refusals
        }

    def line(self) -> str:
        """Totals, in one line."""
        cases = sum(cell.of for cell in self.cells)
        passed = sum(cell.passed for cell in self.cells)
        run = [check for check in self.checks if check.skipped is None]
        held = sum(check.failure is None for check in run)
        return (
            f"{self.target}: {passed} / {cases} cases of {len(list(self.rows()))} ops, "
            f"{held} / {len(run)} checks"
        )

    def tables(self) -> list[Table]:
        """The checks, and the ops by dtype, for a console."""
        from rich.box import SIMPLE
        from rich.table import Table

        checks = Table("check", "what has to hold", "", box=SIMPLE)
        for check in self.checks:
            checks.add_row(check.name, check.what, check.verdict)
        ops = Table("op", *self.dtypes, box=SIMPLE)
        for row in self.rows():
            ops.add_row(*row)
        return [checks, ops]

    def page(self) -> str:
        """The page of the device."""
        lines = [
            f"# Conformance of `{self.target}`",
            "",
            f"{self.summary} (package {self.package}). Measured by "
            f"`devproc backend-test {self.target}`: passed / of, by op and dtype. Each case "
            "is compared with PyTorch, in float64 where an op rounds.",
            "",
            "| check | what has to hold | |",
            "|---|---|---|",
            *(f"| {c.name} | {c.what} | {c.verdict} |" for c in self.checks),
            "",
            f"| op | {' | '.join(self.dtypes)} |",
            "|---|" + "---|" * len(self.dtypes),
            *(f"| {' | '.join(row)} |" for row in self.rows()),
        ]
        if refused := self.refused():
            lines += ["", "Ops that it leaves to other devices:", ""]
            lines += [f"- `{op}`: {why}" for op, why in sorted(refused.items())]
        if failures := list(self.failures()):
            lines += ["", "## Failures", "", *(f"- {text}" for text in failures)]
        return "\n".join(lines) + "\n"
