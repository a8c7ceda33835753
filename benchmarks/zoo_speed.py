"""Latency of the architectures of `tests/zoo`, in real widths, beside other engines.

    python benchmarks/zoo_speed.py [swin t5 ...] [--threads 1 2] [--kernels] [--write]

Engines are timed in turns (`engines.py`), each in a process of its own, or with `--quick` all
in this one, on one thread and by the processor's time instead of the clock's: for a machine
that runs other programs meanwhile. `--kernels` prints our own time by kernel instead.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engines import OTHERS, OURS, Row, load_models, measure
from results import write_section

from devproc.tools.bench.engines import Call, Model, prepare
from devproc.tools.bench.measure import ratio, times_of
from devproc.tools.bench.worker import burst, errors_of

MODELS = Path(__file__).parent / "zoo_models.py"
DISTURBED = 1.2
"""Median over least time from which an engine's times are measured again."""


def header(others: Sequence[str]) -> list[str]:
    """The head of the table: a time and a ratio for each other engine."""
    pairs = [cell for name in others for cell in (f"{name}, ms", f"to {name}")]
    columns = [
        "model",
        "threads",
        "ours, ms",
        *pairs,
        "to fastest",
        "error",
        "PyTorch's",
    ]
    return [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]


def line_of(
    model: str, threads: int, rows: Mapping[str, Row], others: Sequence[str]
) -> str:
    """The row of the table: median times, and the medians of the rounds' ratios.

    The cells of an engine that does not run the model are empty.
    """
    cells = [model, str(threads)]
    if OURS not in rows:
        return f"| {' | '.join(cells)} | not run" + " |" * (2 * len(others) + 4)
    ours = rows[OURS]
    cells.append(f"{ours['median'] * 1e3:.2f}")
    ran = [rows[name] for name in others if name in rows]
    for name in others:
        row = rows.get(name)
        cells += (
            [f"{row['median'] * 1e3:.2f}", f"{ratio(ours, row):.2f}"]
            if row
            else ["", ""]
        )
    cells.append(f"{ratio(ours, *ran):.2f}" if ran else "")
    cells += [f"{ours['error']:.1e}", f"{ours['torch_error']:.1e}"]
    return f"| {' | '.join(cells)} |"


def spread(rows: Mapping[str, Row]) -> float:
    """The largest median over least time of an engine: large if the load changed."""
    return max((row["median"] / row["least"] for row in rows.values()), default=1.0)


def measure_here(
    model: str, build: Any, engines: Sequence[str], rounds: int, seconds: float
) -> dict[str, Row]:
    """As `engines.measure`, in this process, on one thread, in CPU time."""
    import torch

    torch.set_num_threads(1)
    module, inputs = build(model)
    task = Model(module.eval(), inputs, {})
    rows: dict[str, Row] = {}
    calls: dict[str, Call] = {}
    with torch.no_grad():
        for engine in engines:
            try:
                call = prepare(engine, task, {"threads": 1})()
                rows[engine] = dict(errors_of(call(), task))
            # An engine may raise anything; the others are timed without it.
            except Exception as error:
                print(f"{model}: {engine}: {error}", file=sys.stderr)
                continue
            calls[engine] = call
        turns = [
            {
                name: burst(call, seconds, time.process_time)
                for name, call in calls.items()
            }
            for _ in range(rounds)
        ]
    return {
        name: row | times_of([t[name] for t in turns]) for name, row in rows.items()
    }


def print_kernels(model: str, build: Any, threads: int) -> None:
    """Our own time by kernel, the least of several runs of each."""
    import torch

    import devproc

    torch.set_num_threads(threads)
    module, inputs = build(model)
    program = devproc.compile(
        torch.export.export(module.eval(), inputs), threads=threads
    )
    least: dict[tuple[int, str], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5):
            path = Path(folder) / "trace.json"
            program.trace(path, *inputs)
            events = json.loads(path.read_text())["traceEvents"]
            for number, event in enumerate(e for e in events if e["ph"] == "X"):
                key = number, event["name"]
                least[key] = min(event["dur"], least.get(key, event["dur"]))
    times, counts = Counter[str](), Counter[str]()
    for (_, name), spent in least.items():
        times[name] += spent  # type: ignore[assignment]
        counts[name] += 1
    total = sum(times.values())
    print(f"{model}: {total / 1e3:.3f} ms in kernels")
    for name, spent in times.most_common():
        print(f"{spent:10.1f} us {spent / total:6.1%} {counts[name]:4} x {name}")


def main() -> None:
    """Measures each model and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help="some of them (default: all)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--engines", default=",".join((OURS, *OTHERS)))
    parser.add_argument("--quick", action="store_true", help="in this process")
    parser.add_argument("--kernels", action="store_true", help="our time by kernel")
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    zoo = load_models(MODELS)
    cases = [(m, n) for m in args.models or zoo.MODELS for n in args.threads]
    if args.quick and args.threads != [1]:
        parser.error("--quick measures one thread: add --threads 1")
    if args.kernels:
        for model, threads in cases:
            print_kernels(model, zoo.build, threads)
        return
    engines = tuple(args.engines.split(","))
    others = [name for name in engines if name != OURS]
    found: dict[tuple[str, int], Mapping[str, Row]] = {}

    def measure_case(model: str, threads: int) -> None:
        how = engines, args.rounds, args.seconds
        if args.quick:
            rows = measure_here(model, zoo.build, *how)
        else:
            rows = measure(MODELS, model, threads, *how)
        before = found.setdefault((model, threads), rows)
        found[model, threads] = min(before, rows, key=spread)
        print(line_of(model, threads, rows, others), f"{spread(rows):.2f}", flush=True)

    for case in cases:
        measure_case(*case)
    for case in cases:
        if spread(found[case]) > DISTURBED:
            measure_case(*case)
    if args.write:
        lines = [line_of(*case, found[case], others) for case in cases]
        command = shlex.join(["python", "benchmarks/zoo_speed.py", *sys.argv[1:]])
        write_section(
            "Architectures beside other engines", command, [*header(others), *lines]
        )


if __name__ == "__main__":
    main()
