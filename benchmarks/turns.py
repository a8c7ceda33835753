"""Times functions of one process in turns, and prints each beside the best other one."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from results import write_section

Run = Callable[[], Any]

ROUNDS, SECONDS, PAUSE = 15, 0.1, 0.004
"""Turns, the length of each, and a rest between, in which idle threads fall asleep."""

HEAD = (
    "| what | DevProc, ms | best other, ms | ratio | of least |",
    "|---|---|---|---|---|",
)


def burst(run: Run) -> list[float]:
    """Times of one turn, in seconds, behind one run that wakes the threads."""
    time.sleep(PAUSE)
    run()
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return times


def row(name: str, runs: Mapping[str, Run]) -> str:
    """A row of the table: the first run is ours.

    Medians and least times; the ratio is the median of the turns' ratios to the run that
    is best over all turns.
    """
    turns: dict[str, list[list[float]]] = {key: [] for key in runs}
    for _ in range(ROUNDS):
        for key, run in runs.items():
            turns[key].append(burst(run))
    median = {
        key: statistics.median(t for turn in found for t in turn)
        for key, found in turns.items()
    }
    least = {key: min(map(min, found)) for key, found in turns.items()}
    ours, *others = runs
    best = min(others, key=lambda key: median[key])
    ratio = statistics.median(
        statistics.median(mine) / statistics.median(theirs)
        for mine, theirs in zip(turns[ours], turns[best], strict=True)
    )
    cells = [f"{median[k] * 1e3:.3f} / {least[k] * 1e3:.3f}" for k in (ours, best)]
    quickest = least[ours] / min(least[k] for k in others)
    return f"| {name} | {cells[0]} | {best} {cells[1]} | {ratio:.2f} | {quickest:.2f} |"


def run_benchmark(file: str, title: str, rows: Callable[[int], list[str]]) -> None:
    """The table of 1 and of 2 threads, each in a process: a pool keeps its size.

    Writes the section `title`; in the processes that it starts, prints the rows.
    """
    if len(sys.argv) > 1:
        # This folder's `kernels.py` must not stand in for a package that a library loads.
        here = Path(__file__).parent
        sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != here]
        print("\n".join(rows(int(sys.argv[1]))))
        return
    lines: list[str] = []
    for threads in ("1", "2"):
        done = subprocess.run(
            [sys.executable, file, threads],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        lines += [f"{threads} thread(s), median / least:", "", *HEAD]
        lines += [line for line in done.stdout.splitlines() if line.startswith("|")] + [
            ""
        ]
    write_section(title, f"python benchmarks/{file.rpartition('/')[2]}", lines[:-1])
