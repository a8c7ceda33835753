"""Times models on several engines in turns, each engine in a process of its own.

A process is `bench/worker.py` of the folder `shared` beside this repository; where the
models come from is a file with a function `build(name)`. The engine `devproc-fast` (or
`-strict`) is ours with that `precision`. Needs the extra `bench` (`pip install -e '.[bench]'`).
"""

from __future__ import annotations

import json
import runpy
import statistics
import subprocess
import sys
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WORKER = HERE.parent.parent / "shared" / "bench" / "worker.py"
OURS = "devproc"
OTHERS = ("onnxruntime", "openvino", "inductor")

Row = dict[str, Any]
"""Facts of an engine: `error`, `torch_error`, `build_s`, and times in seconds: `median`,
`least`, and the median of each of the `rounds`."""


def load_models(path: Path) -> Any:
    """The module in a file. This folder must not be on the path while libraries load:
    they would take its `kernels.py` for a package."""
    sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def work(models: str, model: str, engine: str, threads: str) -> None:
    """Be the worker of one engine, with these models in the place of its own."""
    sys.modules["models"] = load_models(Path(models))
    engine, _, precision = engine.partition("-")
    if precision:
        import devproc

        devproc.compile = partial(devproc.compile, precision=precision)
    sys.argv[1:] = [model, engine, threads, "cpu"]
    runpy.run_path(str(WORKER), run_name="__main__")


def start(models: Path, model: str, engine: str, threads: int) -> subprocess.Popen[str]:
    """The process that holds a model on one engine."""
    command = [sys.executable, __file__, str(models), model, engine, str(threads)]
    pipe = subprocess.PIPE
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, text=True)


def measure(
    models: Path,
    model: str,
    threads: int,
    engines: tuple[str, ...] = (OURS, *OTHERS),
    rounds: int = 5,
    seconds: float = 0.6,
) -> dict[str, Row]:
    """Engine -> its facts and times; without those that cannot build the model."""
    workers: dict[str, subprocess.Popen[str]] = {}
    rows: dict[str, Row] = {}
    bursts: dict[str, list[list[float]]] = {}
    for engine in engines:
        worker = start(models, model, engine, threads)
        assert worker.stdout is not None
        if line := worker.stdout.readline():
            workers[engine], rows[engine] = worker, json.loads(line)
            bursts[engine] = []
    for _ in range(rounds):
        for engine, worker in workers.items():
            assert worker.stdin is not None
            assert worker.stdout is not None
            print(seconds, file=worker.stdin, flush=True)
            bursts[engine].append(json.loads(worker.stdout.readline()))
    for engine, worker in workers.items():
        worker.communicate()
        every = [time for burst in bursts[engine] for time in burst]
        rows[engine] |= {
            "rounds": [statistics.median(burst) for burst in bursts[engine]],
            "median": statistics.median(every),
            "least": min(every),
        }
    return rows


def ratio(rows: dict[str, Row], engine: str = OURS) -> float:
    """An engine's time over the best other's: the median of the rounds' ratios."""
    others = zip(
        *(row["rounds"] for name, row in rows.items() if not name.startswith(OURS)),
        strict=True,
    )
    pairs = zip(rows[engine]["rounds"], others, strict=True)
    return statistics.median(mine / min(theirs) for mine, theirs in pairs)


def best_other(rows: dict[str, Row]) -> str:
    """The engine with the least median that is not ours."""
    names = [name for name in rows if not name.startswith(OURS)]
    return min(names, key=lambda name: rows[name]["median"])


if __name__ == "__main__":
    work(*sys.argv[1:])
