"""The support matrix: measured in parallel, kept in `docs/support.json`.

A journal in `build/` holds what an interrupted run has measured; the next run goes on
from there. A measurement that takes its process down is repeated in one of its own.
"""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeAlias

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from tests.ops import families
from tests.ops.harness import operators
from tests.ops.support import ROUTES, Entry, Outcome, entries, measure

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "docs" / "support.json"
JOURNAL = ROOT / "build" / "support.jsonl"

Operators: TypeAlias = dict[str, dict[str, Any]]
"""Name in `op_db` -> `family`; per route, dtype -> [passed, eligible]; `aten`, route ->
overloads; `reasons` and `left_out`, why -> route and dtype -> samples; `examples`.
"""


KINDS = ("reasons", "left_out")


def run(names: Sequence[str], jobs: int, only_missing: bool) -> Operators:
    """Measures the whole matrix, or the operators named, or what it lacks."""
    known = load() if names or only_missing else {}
    wanted = [e for e in entries() if not names or e.operator in names]
    if only_missing:
        wanted = [e for e in wanted if not has(known, e)]
    found = dict(_journal())
    todo = [e for e in wanted if e not in found]
    JOURNAL.parent.mkdir(exist_ok=True)
    with Progress(
        "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    ) as progress, JOURNAL.open("a") as journal:  # fmt: skip
        task = progress.add_task("samples of op_db", total=len(todo))
        for entry, outcome in _measured(todo, jobs):
            found[entry] = outcome
            journal.write(_line(entry, outcome))
            journal.flush()
            progress.advance(task)
            if outcome.passed < outcome.eligible:
                cell = f"{outcome.passed}/{outcome.eligible}"
                text = f"{entry.operator} {entry.route} {entry.dtype} {cell}"
                progress.console.print(text, markup=False, highlight=False)
    rows = _rows(known, {e: found[e] for e in wanted})
    save(rows)
    JOURNAL.unlink()
    return rows


def has(rows: Operators, entry: Entry) -> bool:
    """Whether the matrix has a cell."""
    return entry.dtype in rows.get(entry.operator, {}).get(entry.route, {})


def load() -> Operators:
    """The operators of the committed matrix."""
    return json.loads(RESULT.read_text())["operators"] if RESULT.exists() else {}


def measured_with() -> str:
    """PyTorch's version at the time of the committed matrix."""
    return json.loads(RESULT.read_text())["torch"]


def save(rows: Operators) -> None:
    """Writes the matrix, a line for each operator, so that a change shows what it
    changes.
    """
    claimed = {name for family in families() for name in family.claimed}
    kept = {name: rows[name] for name in sorted(rows) if name in claimed}
    head = {
        "torch": torch.__version__.partition("+")[0],
        "samples": {n: [r.most, r.few or r.most] for n, r in ROUTES.items()},
        "not claimed": sorted(set(operators()) - claimed),
    }
    lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(r)}" for n, r in kept.items())
    text = json.dumps(head)[:-1] + f', "operators": {{\n{lines}\n}}}}\n'
    RESULT.write_text(text)


def _rows(known: Operators, found: Mapping[Entry, Outcome]) -> Operators:
    """The known rows with what was found in place of what they said."""
    rows = {name: dict(row) for name, row in known.items()}
    family_of = {name: family.name for family in families() for name in family.claimed}
    for entry, outcome in found.items():
        row = rows.setdefault(entry.operator, {})
        row["family"] = family_of[entry.operator]
        cell = [outcome.passed, outcome.eligible]
        row[entry.route] = {**row.get(entry.route, {}), entry.dtype: cell}
        aten = {**row.get("aten", {})}
        aten[entry.route] = sorted({*aten.get(entry.route, ()), *outcome.aten})
        row["aten"] = aten
        for kind in KINDS:
            row[kind] = _replaced(row.get(kind, {}), entry, getattr(outcome, kind))
        examples = {
            k: v for k, v in row.get("examples", {}).items() if k in row["reasons"]
        }
        row["examples"] = outcome.examples | examples
    return rows


def _replaced(
    table: Mapping[str, Mapping[str, int]], entry: Entry, counts: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """The reasons with those of one entry in place of what they said of it."""
    cell = f"{entry.route} {entry.dtype}"
    found = {
        why: {c: n for c, n in cells.items() if c != cell}
        for why, cells in table.items()
    }
    for why, count in counts.items():
        found.setdefault(why, {})[cell] = count
    return {why: cells for why, cells in found.items() if cells}


def _measured(todo: Sequence[Entry], jobs: int) -> Iterator[tuple[Entry, Outcome]]:
    """The outcomes as they come; after a process has died, what had not come is
    measured by processes that take one entry each, as far as the culprit.
    """
    left = list(todo)
    while left:
        try:
            for entry, outcome in _in_pool(left, jobs):
                left.remove(entry)
                yield entry, outcome
        except BrokenProcessPool:
            for entry in left[: 2 * jobs]:
                left.remove(entry)
                yield entry, _alone(entry)


def _in_pool(todo: Iterable[Entry], jobs: int) -> Iterator[tuple[Entry, Outcome]]:
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
        futures: dict[Future[Outcome], Entry] = {
            pool.submit(measure, entry): entry for entry in todo
        }
        for future in as_completed(futures):
            yield futures[future], future.result()


def _alone(entry: Entry) -> Outcome:
    try:
        return next(_in_pool([entry], 1))[1]
    except BrokenProcessPool:
        outcome = Outcome(eligible=1)
        outcome.reasons["fails: the process dies"] = 1
        return outcome


def _line(entry: Entry, outcome: Outcome) -> str:
    values = vars(outcome) | {"aten": sorted(outcome.aten)}
    return json.dumps([vars(entry), values]) + "\n"


def _journal() -> Iterator[tuple[Entry, Outcome]]:
    lines = JOURNAL.read_text().splitlines() if JOURNAL.exists() else []
    for line in lines:
        entry, values = json.loads(line)
        counts = {kind: Counter(values[kind]) for kind in KINDS}
        aten = set(values["aten"])
        yield Entry(**entry), Outcome(**values | counts | {"aten": aten})
