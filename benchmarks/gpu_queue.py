"""What only a GPU can tell, in one command: correctness, latency and resources.

Runs the digits programs on the GPU against PyTorch (every label of the held-out third),
a camera's frames against the CPU's boxes, and times the models beside `torch.compile` and
eager PyTorch. Writes `benchmarks/RESULTS.md`; exits with 1 where a value is wrong.

    python benchmarks/gpu_queue.py
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "examples"), str(Path(__file__).parent)]

import camera  # noqa: E402
import digits  # noqa: E402  # pyright: ignore[reportMissingImports]
from results import write_section  # noqa: E402

import devproc  # noqa: E402


def median_microseconds(call: Callable[[], object], repeats: int = 200) -> float:
    """Median time of a call that ends with the device idle."""
    for _ in range(20):
        call()
    torch.cuda.synchronize()
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def check_labels(name: str, model: torch.nn.Module, data: digits.Digits) -> list[str]:
    """All labels of the held-out third, on `cuda` and on `cpu+cuda`."""
    rows: list[str] = []
    reference = digits.run_torch(model, data.test)
    with tempfile.TemporaryDirectory() as folder:
        path = digits.export(model, Path(folder) / f"{name}.pt2")
        pipe = digits.build_pipeline(name, path)
        for target in ("cuda", "cpu+cuda"):
            program = devproc.compile(pipe, target=target)
            ours = digits.run_program(program, data.test)
            agree = int((ours.labels == reference.labels).sum())
            largest = np.abs(ours.probabilities - reference.probabilities).max()
            micros = statistics.median(ours.seconds) * 1e6
            rows.append(
                f"| {name} | {target} | {agree} of {len(ours.labels)} "
                f"| {largest:.1e} | {micros:.0f} |"
            )
            if agree != len(ours.labels):
                raise SystemExit(f"{name} on {target}: labels differ\n{rows[-1]}")
    return rows


def time_model(name: str, model: torch.nn.Module) -> str:
    """The model alone on the GPU, input on the host, beside PyTorch."""
    x = torch.randn(1, 1, *digits.SIZE)
    program = devproc.compile(torch.export.export(model, (x,)), target="cuda")
    eager = model.cuda()
    compiled = torch.compile(eager)
    with torch.no_grad():
        ours = median_microseconds(lambda: program(x))
        theirs = median_microseconds(lambda: eager(x.cuda()).cpu())
        best = median_microseconds(lambda: compiled(x.cuda()).cpu())
    model.cpu()
    return f"| {name} | {ours:.0f} | {theirs:.0f} | {best:.0f} |"


def check_frames(target: str, count: int = 20) -> str:
    """Colour conversion, letterbox, detector, decoding and suppression beside the CPU."""
    here, there = camera.build(), camera.build(target)
    largest = 0.0
    times: list[float] = []
    for frame in camera.frames(count):
        wanted = here(frame=frame)["found"]
        start = time.perf_counter()
        found = there(frame=frame)["found"]
        times.append(time.perf_counter() - start)
        if not np.array_equal(found["count"], wanted["count"]):
            raise SystemExit(f"camera on {target}: other boxes than on the CPU")
        difference = np.abs(found["boxes"] - wanted["boxes"]).max()
        largest = max(largest, float(difference))
    micros = statistics.median(times) * 1e6
    agree = f"{count} of {count}"
    return f"| camera | {target} | {agree} | {largest:.1e} | {micros:.0f} |"


def main() -> None:
    """Runs the queue."""
    if not torch.cuda.is_available():
        raise SystemExit("no GPU here: run this where PyTorch sees one")
    data = digits.read_digits()
    models = {
        "mlp": digits.train(digits.mlp, data, 12),
        "convnet": digits.train(digits.convnet, data, 12),
    }
    lines = [
        f"{torch.cuda.get_device_name()}.",
        "",
        "| program | target | results agree | largest difference | median us |",
        "|---|---|---|---|---|",
    ]
    for name, model in models.items():
        lines += check_labels(name, model, data)
    lines += [check_frames(target) for target in ("cuda", "cpu+cuda")]
    lines += ["", "| model | devproc us | eager us | torch.compile us |"]
    lines += ["|---|---|---|---|"]
    lines += [time_model(name, model) for name, model in models.items()]
    write_section("GPU: the digits programs", "python benchmarks/gpu_queue.py", lines)


if __name__ == "__main__":
    main()
