"""What a call costs: programs of one tiny op, from NumPy and from torch.

`relu` on 4 floats as an exported model, and one step on a 2x2 image as a pipeline. A
figure is the mean of 300 calls in a row, of which the median and the minimum of many are
given. Writes a table into `benchmarks/RESULTS.md`.

    python benchmarks/call_overhead.py [--rounds 300]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import devproc

sys.path.insert(0, str(Path(__file__).parent))
from results import write_section

CALLS = 300


def seconds(call: Callable[[], object], rounds: int) -> list[float]:
    """The mean time of a call in each round."""
    found: list[float] = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        found.append((time.perf_counter() - begin) / CALLS)
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    given = parser.parse_args()
    tensor = torch.randn(4)
    model = devproc.compile(torch.export.export(torch.nn.ReLU(), (tensor,)))
    steps = devproc.pipeline("tiny")
    image = steps.input("image", "uint8", (2, 2, 3))
    scaled = steps.normalize(image, mean=(0.5, 0.5, 0.5), std=(0.2, 0.2, 0.2))
    steps.output("scaled", scaled)
    pipeline = devproc.compile(steps)
    array = tensor.numpy().copy()
    pixels = np.ones((2, 2, 3), np.uint8)
    calls: list[tuple[str, Callable[[], object], str]] = [
        ("model, NumPy", lambda: model(array), "3"),
        ("model, torch", lambda: model(tensor), "5"),
        ("pipeline, NumPy", lambda: pipeline(image=pixels), "3"),
        ("pipeline, torch", lambda: pipeline(image=torch_pixels), "5"),
    ]
    torch_pixels = torch.from_numpy(pixels)
    lines = ["| call | median us | min us | goal us |", "|---|---|---|---|"]
    for name, call, goal in calls:
        found = [1e6 * s for s in seconds(call, given.rounds)]
        median = statistics.median(found)
        lines.append(f"| {name} | {median:.2f} | {min(found):.2f} | {goal} |")
    write_section("Overhead of a call", "python benchmarks/call_overhead.py", lines)


if __name__ == "__main__":
    main()
