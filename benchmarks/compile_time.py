"""Compile time of the benchmark models: cold, warm, and OpenVINO's beside.

Each measurement is a fresh process; "cold" has an empty cache folder, "warm" the one
that the cold process left. Both exclude the import of torch and the export, and include
the import of everything the compiler itself needs, OpenVINO's too, from byte code, as
pip's installation leaves it. "CPU" is the processor time of the process, all threads
together: on a busy machine that is the figure to compare. The second table has the stages
of a cold compilation, in milliseconds of wall time. OpenVINO is measured where it is
installed.

    python benchmarks/compile_time.py [--models shared/bench] [--runs 3]
        [--peer-python P] [--write]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from results import write_section

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "bench"

NAMES = (
    "mlp",
    "resnet18",
    "resnet50",
    "mobilenet_v2",
    "vit_b16",
    "bert_base",
    "gpt2",
    "llama_small",
)

WORKER = """
import json, sys, time, warnings
warnings.filterwarnings("ignore")
import torch
sys.path.insert(0, sys.argv[1])
import models
module, inputs = models.build(sys.argv[2])
with torch.no_grad():
    exported = torch.export.export(module, inputs)
peer, threads = sys.argv[3], int(sys.argv[4])
stages = {}
wall, cpu = time.perf_counter(), time.process_time()
if peer == "openvino":
    import openvino
    model = openvino.convert_model(exported, example_input=inputs)
    openvino.Core().compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32"})
else:
    import devproc
    program = devproc.compile(exported, threads=threads)
    stages = {r.name: r.total_seconds for r in program.timings}
row = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
print(json.dumps({**row, "stages": stages}))
"""

COMPILE_PACKAGE = """
import compileall, importlib.util, sys
found = importlib.util.find_spec(sys.argv[1])
for folder in found.submodule_search_locations if found else ():
    compileall.compile_dir(folder, quiet=1)
"""

Row = dict[str, Any]


def measure(
    models: Path, name: str, peer: str, threads: int, cache: Path, python: str
) -> Row:
    """One compilation in a fresh process with this cache folder."""
    done = subprocess.run(
        [python, "-c", WORKER, str(models), name, peer, str(threads)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "DEVPROC_CACHE_DIR": str(cache)},
    )
    return json.loads(done.stdout.splitlines()[-1])


def compile_packages(python: str) -> None:
    """Byte code for the packages that a compilation imports, as far as they are there.

    An installation with `--no-compile` has none, nor has a checkout.
    """
    for package in ("devproc", "xdsl", "llvmlite", "openvino"):
        subprocess.run([python, "-c", COMPILE_PACKAGE, package], check=True, cwd=ROOT)


def _median(rows: list[Row], key: str) -> str:
    return f"{statistics.median(row[key] for row in rows):.2f}" if rows else "-"


def _stages(rows: list[Row]) -> list[str]:
    """The medians of the stages, in milliseconds."""
    return [
        f"{1000 * statistics.median(row['stages'][stage] for row in rows):.0f}"
        for stage in rows[0]["stages"]
    ]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=SHARED, help="holds models.py")
    parser.add_argument("--only", nargs="*", default=NAMES)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer-python", help="an interpreter that has OpenVINO")
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    given = parser.parse_args()
    peer_python = given.peer_python
    if peer_python is None and importlib.util.find_spec("openvino") is not None:
        peer_python = sys.executable
    for python in {sys.executable, peer_python or sys.executable}:
        compile_packages(python)
    stages: list[str] = []
    models = given.models.resolve()
    lines = [
        "| model | cold s | CPU | warm s | CPU | OpenVINO s | CPU |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in given.only:
        cold, warm, peer = [], [], []
        for _ in range(given.runs):
            with tempfile.TemporaryDirectory() as folder:
                cache, python = Path(folder), sys.executable
                run = (models, name, "devproc", given.threads, cache, python)
                cold.append(measure(*run))
                warm.append(measure(*run))
                if peer_python:
                    run = (models, name, "openvino", given.threads, cache)
                    peer.append(measure(*run, peer_python))
        cells = [_median(r, k) for r in (cold, warm, peer) for k in ("wall", "cpu")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
        if not stages:
            names = " | ".join(cold[0]["stages"])
            stages = [
                f"| model | {names} |",
                "|---" * (len(cold[0]["stages"]) + 1) + "|",
            ]
        stages.append(f"| {name} | {' | '.join(_stages(cold))} |")
        print(stages[-1], flush=True)
    if given.write:
        write_section(
            "Compile time of the benchmark models",
            f"python benchmarks/compile_time.py --runs {given.runs} "
            f"--threads {given.threads}",
            [*lines, "", *stages],
        )


if __name__ == "__main__":
    main()
