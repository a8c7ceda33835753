"""Compile time of the digits ConvNet pipeline: cold, and with everything cached.

Each measurement is a fresh process with its own cache folder. "cold" is the first
`devproc.compile` with an empty cache, "cached" the first one of another process with
the cache filled; both exclude the import of torch and the export, include the import of
everything the compiler itself needs. Writes the medians into `benchmarks/RESULTS.md`.

    python benchmarks/compile_time.py --runs 5
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from results import write_section

ROOT = Path(__file__).parent.parent

WORKER = """
import json, sys, time
import torch
from torch import nn
sys.path.insert(0, "examples")
import devproc, digits
from pathlib import Path
torch.manual_seed(0)
path = digits.export(digits.convnet().eval(), Path(sys.argv[1]) / "convnet.pt2")
pipe = digits.build_pipeline("convnet", path)
start = time.perf_counter()
program = devproc.compile(pipe, target="cpu")
total = time.perf_counter() - start
stages = {r.name: r.total_seconds for r in program.timings}
print(json.dumps({"total": total, "stages": stages}))
"""


def measure(cache: Path) -> dict[str, object]:
    """One compilation in a fresh process with this cache folder."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [sys.executable, "-c", WORKER, scratch],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env=_environment(cache),
        )
    return json.loads(done.stdout.splitlines()[-1])


def _environment(cache: Path) -> dict[str, str]:
    import os

    return {**os.environ, "DEVPROC_CACHE_DIR": str(cache)}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    cold, cached = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(measure(Path(cache)))
            cached.append(measure(Path(cache)))
    lines = ["| | median s | min s | goal s |", "|---|---|---|---|"]
    for name, rows, goal in (("cold", cold, 2.0), ("cached", cached, 0.2)):
        totals = [row["total"] for row in rows]
        lines.append(
            f"| {name} | {statistics.median(totals):.3f} | {min(totals):.3f} | {goal} |"
        )
    lines += ["", "Cold, median seconds by stage:", "", "| stage | s |", "|---|---|"]
    for stage in cold[0]["stages"]:
        seconds = statistics.median(row["stages"][stage] for row in cold)
        lines.append(f"| {stage} | {seconds:.3f} |")
    write_section(
        "Compile time of the digits ConvNet pipeline",
        f"python benchmarks/compile_time.py --runs {runs}",
        lines,
    )


if __name__ == "__main__":
    main()
