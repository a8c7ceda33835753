"""Times a model of a file on several engines in turns (`devproc.tools.bench`).

The file has a function `build(name)` that gives a module and example inputs. The engine
`devproc-fast` (or `-strict`) is ours with that `precision`. Needs the extra `bench`
(`pip install -e '.[bench]'`).
"""

from __future__ import annotations

from pathlib import Path

from devproc.tools.bench import measure as turns
from devproc.tools.bench.engines import OURS
from devproc.tools.bench.measure import Row, Task
from devproc.tools.bench.worker import load_module as load_models

OTHERS = ("onnxruntime", "openvino", "inductor")

__all__ = ["OTHERS", "OURS", "Row", "best_other", "load_models", "measure", "ratio"]


def measure(
    models: Path,
    model: str,
    threads: int,
    engines: tuple[str, ...] = (OURS, *OTHERS),
    rounds: int = 5,
    seconds: float = 0.6,
) -> dict[str, Row]:
    """Engine -> its facts and times; without those that cannot build the model."""
    options = {"threads": threads}
    tasks = [Task(model, engine, str(models), options) for engine in engines]
    rows = zip(engines, turns.measure(tasks, rounds, seconds), strict=True)
    return {engine: row for engine, row in rows if "failed" not in row}


def ratio(rows: dict[str, Row], engine: str = OURS) -> float:
    """An engine's time over the best other's: the median of the rounds' ratios."""
    others = [row for name, row in rows.items() if not name.startswith(OURS)]
    return turns.ratio(rows[engine], *others)


def best_other(rows: dict[str, Row]) -> str:
    """The engine with the least median that is not ours."""
    names = [name for name in rows if not name.startswith(OURS)]
    return min(names, key=lambda name: rows[name]["median"])
