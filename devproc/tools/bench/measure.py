"""Starts a process for each engine and times them in alternation.

So a drift of the machine's speed affects all engines equally.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from devproc.settings import environment
from devproc.timings import announce
from devproc.tools.bench.engines import OURS

Row = dict[str, Any]
"""Facts of an engine: `failed`, or `error` and `torch_error` (NaN where unknown),
`build_s`, and times in seconds: `median`, `least`, and the median of each of the `rounds`.
"""


@dataclass(frozen=True)
class Task:
    """The task of a worker: a SOURCE, or a name in a Python file `models`."""

    source: str
    engine: str = OURS
    models: str | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: {"threads": 1})
    """Arguments of `devproc.compile`; other engines use only the threads."""


class _Worker:
    """The process of one engine, and its answers."""

    def __init__(self, task: Task):
        self.engine = task.engine
        module, text = "devproc.tools.commands.bench_worker", json.dumps(asdict(task))
        count = str(task.options["threads"])
        # Libraries read these when they are loaded.
        with environment(OMP_NUM_THREADS=count, MKL_NUM_THREADS=count):
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, text],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        self.bursts: list[list[float]] = []
        self.row: Row = self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else {"failed": "its process ended"}

    def burst(self, seconds: float) -> None:
        """One turn; skipped for an engine that has failed."""
        if "failed" in self.row:
            return
        assert self._process.stdin is not None
        print(seconds, file=self._process.stdin, flush=True)
        found = self._answer()
        if isinstance(found, dict):
            self.row |= found
        else:
            self.bursts.append(found)

    def result(self) -> Row:
        """The row, with the times of all turns."""
        return self.row if "failed" in self.row else self.row | times_of(self.bursts)

    def end(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()


def measure(tasks: Sequence[Task], rounds: int = 5, seconds: float = 0.6) -> list[Row]:
    """A row for each task, of `rounds` bursts of `seconds` each, in alternation."""
    workers: list[_Worker] = []
    try:
        for task in tasks:
            announce(f"{task.engine} builds")
            workers.append(_Worker(task))
        for number in range(rounds):
            for worker in workers:
                announce(f"turn {number + 1} of {rounds}: {worker.engine}")
                worker.burst(seconds)
        return [worker.result() for worker in workers]
    finally:
        for worker in workers:
            worker.end()


def times_of(bursts: Sequence[Sequence[float]]) -> Row:
    """The times of a row, from those of each turn."""
    every = [time for burst in bursts for time in burst]
    return {
        "rounds": [statistics.median(burst) for burst in bursts],
        "median": statistics.median(every),
        "least": min(every),
    }


def ratio(ours: Row, *others: Row) -> float:
    """The ratio of a row to the fastest other row: the median over the rounds."""
    theirs = zip(*(row["rounds"] for row in others), strict=True)
    pairs = zip(ours["rounds"], theirs, strict=True)
    return statistics.median(mine / min(rest) for mine, rest in pairs)
