"""Latency of whole models beside ONNX Runtime, OpenVINO and torch.compile, in one run.

    python benchmarks/models.py [resnet18 bert_base ...] [--threads 1 2] [--write]

Runs `bench/compare.py` of the folder `shared` beside this repository, which times the
engines in turns. Needs the extra `bench` (`pip install -e '.[bench]'`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from results import write_section

ROOT = Path(__file__).parent.parent
COMPARE = ROOT.parent / "shared" / "bench" / "compare.py"
GOALS = {
    "mlp": 0.70,
    "resnet18": 0.56,
    "resnet50": 0.82,
    "mobilenet_v2": 0.88,
    "bert_base": 0.92,
    "vit_b16": 0.92,
    "gpt2": 0.92,
    "llama_small": 0.92,
}
"""Model -> wanted ratio to the best other engine."""

Row = dict[str, Any]


def measure(
    model: str, threads: int, peers: str, rounds: int, seconds: float
) -> list[Row]:
    """One model on all engines, for so many threads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        command = [sys.executable, str(COMPARE), model, "--peers", peers]
        command += ["--threads", str(threads), "--rounds", str(rounds)]
        command += ["--seconds", str(seconds), "--json", str(path)]
        subprocess.run(command, check=True)
        return json.loads(path.read_text())


def line(model: str, threads: int, rows: list[Row]) -> str:
    """The row of the table: ours, the best other, their ratio, both errors."""
    found = {row["peer"]: row for row in rows}
    ours = found.get("devproc")
    if ours is None:
        return f"| {model} | {threads} | failed to build | | | | | | |"
    others = [row for row in rows if row["peer"] != "devproc"]
    best = min(others, key=lambda row: row["median_ms"])
    times = f"{ours['median_ms']:.3f} / {ours['min_ms']:.3f}"
    rest = f"{best['peer']} {best['median_ms']:.3f} / {best['min_ms']:.3f}"
    ratio = f"{ours['ratio']:.2f} | {ours['min_ms'] / best['min_ms']:.2f}"
    error = f"{ours['error']:.1e} | {ours['torch_error']:.1e}"
    goal = f"{GOALS[model]:.2f}" if model in GOALS else ""
    return f"| {model} | {threads} | {times} | {rest} | {ratio} | {goal} | {error} |"


def plot(points: list[tuple[str, float]], path: Path) -> None:
    """A bar for each model: our time over the best other engine's."""
    import matplotlib.pyplot as plt  # pyright: ignore[reportMissingImports]

    names, ratios = zip(*points, strict=True)
    figure, axes = plt.subplots(figsize=(8, 0.4 * len(points) + 1))
    axes.barh(names, ratios)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xlabel("time / best other engine (lower is better)")
    axes.invert_yaxis()
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Measure, print, and write the section where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(GOALS))
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--peers", default="devproc,onnxruntime,openvino,inductor")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.6)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    lines = [
        "| model | threads | ours ms, median / min | best other | ratio of medians "
        "| of minima | goal | error | PyTorch's |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    points: list[tuple[str, float]] = []
    for model in args.models:
        for threads in args.threads:
            rows = measure(model, threads, args.peers, args.rounds, args.seconds)
            lines.append(line(model, threads, rows))
            print(lines[-1], flush=True)
            ours = [r["ratio"] for r in rows if r["peer"] == "devproc" and r["ratio"]]
            points += [(f"{model}, {threads}", ratio) for ratio in ours]
    if args.write:
        command = f"python benchmarks/models.py {' '.join(args.models)}"
        write_section("Models beside other engines", command, lines)
        if points:
            plot(points, Path(__file__).parent / "models.png")


if __name__ == "__main__":
    main()
