"""Latency of the architectures of `tests/zoo`, in real widths, beside other engines.

    python benchmarks/zoo_speed.py [swin t5 ...] [--threads 1 2] [--kernels] [--write]

Engines are timed in turns (`engines.py`). `--kernels` prints our own time by kernel instead.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from engines import OTHERS, OURS, Row, best_other, load_models, measure, ratio

MODELS = Path(__file__).parent / "zoo_models.py"
GOAL = 1.05
HEAD = [
    "| model | threads | ours ms | best other ms | ratio | error | PyTorch's |",
    "|---|---|---|---|---|---|---|",
]


def line_of(model: str, threads: int, rows: dict[str, Row]) -> str:
    """The row of the table: ours, the best other, the median ratio of the rounds."""
    if OURS not in rows or len(rows) < 2:
        return f"| {model} | {threads} | only {', '.join(rows) or 'none'} ran | | | | |"
    ours, best = rows[OURS], best_other(rows)
    found = ratio(rows)
    times = f"{ours['median'] * 1e3:.2f} | {best} {rows[best]['median'] * 1e3:.2f}"
    mark = "**" if found > GOAL else ""
    errors = f"{ours['error']:.1e} | {ours['torch_error']:.1e}"
    return f"| {model} | {threads} | {times} | {mark}{found:.2f}{mark} | {errors} |"


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
    for (_, name), time in least.items():
        times[name] += time  # type: ignore[assignment]
        counts[name] += 1
    total = sum(times.values())
    print(f"{model}: {total / 1e3:.3f} ms in kernels")
    for name, time in times.most_common():
        print(f"{time:10.1f} us {time / total:6.1%} {counts[name]:4} x {name}")


def main() -> None:
    """Measures each model and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help="some of them (default: all)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--engines", default=",".join((OURS, *OTHERS)))
    parser.add_argument("--kernels", action="store_true", help="our time by kernel")
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    from results import write_section

    zoo = load_models(MODELS)
    lines, engines = list(HEAD), tuple(args.engines.split(","))
    for model in args.models or zoo.MODELS:
        for threads in args.threads:
            if args.kernels:
                print_kernels(model, zoo.build, threads)
                continue
            rows = measure(MODELS, model, threads, engines, args.rounds, args.seconds)
            lines.append(line_of(model, threads, rows))
            print(lines[-1], flush=True)
    if args.write and not args.kernels:
        command = f"python benchmarks/zoo_speed.py {' '.join(args.models)}".strip()
        write_section("Architectures beside other engines", command, lines)


if __name__ == "__main__":
    main()
