"""The digits programs and a camera's frames on a GPU, beside PyTorch and the CPU."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "examples")]

import camera  # noqa: E402
import digits  # noqa: E402  # pyright: ignore[reportMissingImports]

import devproc  # noqa: E402

Row = dict[str, object]
FRAMES = 20


def check_labels(target: str) -> list[Row]:
    """All labels of the held-out third of the digits, of two models."""
    data = digits.read_digits()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("mlp", digits.mlp), ("convnet", digits.convnet)):
            model = digits.train(make, data, 12)
            wanted = digits.run_torch(model, data.test)
            path = digits.export(model, Path(folder) / f"{name}.pt2")
            program = devproc.compile(digits.build_pipeline(name, path), target=target)
            ours = digits.run_program(program, data.test)
            difference = np.abs(ours.probabilities - wanted.probabilities).max()
            rows.append(
                {
                    "program": name,
                    "target": target,
                    "agree": int((ours.labels == wanted.labels).sum()),
                    "of": len(ours.labels),
                    "difference": float(difference),
                    "us": statistics.median(ours.seconds) * 1e6,
                }
            )
    return rows


def check_frames(target: str) -> list[Row]:
    """Colour conversion, letterbox, detector, decoding and suppression beside the CPU."""
    here, there = camera.build(), camera.build(target)
    agree, largest = 0, 0.0
    times: list[float] = []
    for frame in camera.frames(FRAMES):
        wanted = here(frame=frame)["found"]
        start = time.perf_counter()
        found = there(frame=frame)["found"]
        times.append(time.perf_counter() - start)
        agree += np.array_equal(found["count"], wanted["count"])
        difference = np.abs(found["boxes"] - wanted["boxes"]).max()
        largest = max(largest, float(difference))
    return [
        {
            "program": "camera",
            "target": target,
            "agree": agree,
            "of": FRAMES,
            "difference": largest,
            "us": statistics.median(times) * 1e6,
        }
    ]
