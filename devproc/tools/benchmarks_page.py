"""docs/benchmarks.md and its plots: what was measured, and how to repeat it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from devproc.tools import results
from devproc.tools.diagrams import ratios_picture
from devproc.tools.markdown import markdown_table

INTRODUCTION = """\
Measurements are kept in `benchmarks/RESULTS.md`, each section with its command, date, machine
and versions; the plots are generated from it. A bar is our time divided by that of the fastest
other engine in the same run: below 1, DevProc is faster. The other engines are ONNX Runtime,
OpenVINO and `torch.compile`, and for steps around a model the libraries that they reproduce.
[Models](models.md) has the errors; [Comparison](comparison.md) says what was not measured.
"""

COMMANDS = {
    "models.py": "models of full size next to other engines, and their errors",
    "zoo_speed.py --threads 1": "the architectures of the tests in real widths",
    "compilers.py": "models beside IREE and TVM",
    "pipelines.py": "whole programs: pre-processing, model and post-processing",
    "operators.py": "single operators",
    "kernels.py": "generated kernels on one thread",
    "preprocessing.py": "from a frame to a network's input",
    "compile_time.py": "compile time",
    "call_overhead.py": "the overhead of a call",
    "memory.py": "memory of a process that loads and runs a program",
}
"""Script of `benchmarks/`, with options -> what it measures."""

REPEAT = """\
Run the commands in the root of a copy of the repository, after `pip install -e '.[bench]'`. With
`--write`, those that have this option replace their section of `benchmarks/RESULTS.md`; then
`make docs` renews this page and its plots. To time a model of your own against the engines that
are installed, use `devproc bench model.pt2` ([command line](commands.md#bench)).

Engines are timed in turns, so that a machine whose clock frequency drifts affects all of them
alike. On a shared machine only ratios are comparable, not times.
"""


@dataclass(frozen=True)
class Plot:
    """One plot: a file of docs/assets, and the section of the results that it shows."""

    heading: str
    file: str
    section: str
    label: Callable[[dict[str, str]], str]
    ratio: str = "ratio"
    only: tuple[str, str] | None = None
    """A column, and the cell that a row must have there to be shown."""

    def ratios(self) -> list[tuple[str, float]]:
        """The label and ratio of each row shown."""
        return [
            (self.label(row), float(row[self.ratio]))
            for row in results.first_table(self.section)
            if self.only is None or row[self.only[0]] == self.only[1]
        ]

    def picture(self) -> str:
        """The SVG."""
        title = f"{self.heading}: time / fastest other engine"
        return ratios_picture(title, self.ratios())

    def text(self) -> str:
        """The part of the page."""
        values = [ratio for _, ratio in self.ratios()]
        alt = (
            f"{self.heading}: bars of our time divided by that of the fastest other "
            f"engine, from {min(values):.2f} to {max(values):.2f}"
        )
        return (
            f"## {self.heading}\n\n![{alt}](assets/{self.file})\n\n"
            f"{results.origin(self.section)}\n"
        )


def _threads(row: dict[str, str]) -> str:
    count = row["threads"]
    return f"{row['model']}, {count} thread{'s' if count != '1' else ''}"


PLOTS = (
    Plot(
        "Models of full size", "models.svg", results.MODELS, _threads,
        "ratio of medians", ("precision", "default"),
    ),
    Plot(
        "Architectures, one thread", "architectures.svg", results.ARCHITECTURES,
        lambda row: row["model"], "to fastest",
    ),
    Plot(
        "Whole programs, one thread", "programs.svg", results.PROGRAMS,
        lambda row: row["what"],
    ),
    Plot(
        "Single operators, one thread", "operators.svg", results.OPERATORS,
        lambda row: row["what"],
    ),
)  # fmt: skip


def benchmarks_page(note: str) -> str:
    """docs/benchmarks.md."""
    lines = [
        (f"`python benchmarks/{command}`", what) for command, what in COMMANDS.items()
    ]
    table = markdown_table(("command", "measures"), lines)
    parts = [f"# Benchmarks\n\n{note}{INTRODUCTION}", *(p.text() for p in PLOTS)]
    parts += [f"## Repeat them\n\n{table}\n", REPEAT]
    return "\n".join(parts)


def figures() -> str:
    """The README's table of speed and exactness."""
    header = ("model", "DevProc", "fastest other", "ratio", "error", "PyTorch's")
    columns = ("model", "ours ms, median / min", "best other", "ratio of medians",
               "error", "PyTorch's")  # fmt: skip
    rows = [
        [row[column].partition(" /")[0] for column in columns]
        for row in results.first_table(results.MODELS)
        if (row["threads"], row["precision"]) == ("1", "default")
    ]
    return f"{markdown_table(header, rows)}\n\n{results.origin(results.MODELS)}\n"
