"""A frame to a network's input, beside the libraries that each result must equal.

`python benchmarks/preprocessing.py`: 1920x1080 uint8 -> 224x224 -> normalise -> NCHW
float32, in turns in one process, with one and two threads. Each library is composed as
its users do it at its fastest: OpenCV resizes, subtracts and multiplies in float32, and
splits into planes; PyTorch (torchvision's operators) resizes bytes, then normalises in
place; Pillow resizes, NumPy does the rest.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
FRAME, SIZE = (1080, 1920, 3), (224, 224)
COMMAND = "python benchmarks/preprocessing.py"
ROUNDS, SECONDS, PAUSE = 15, 0.1, 0.004
"""Turns, the length of each, and a rest between, in which idle threads fall asleep."""

Run = Callable[[], Any]


def ours(frame: Any, like: str, mode: str, antialias: bool | None, threads: int) -> Run:
    """Our program."""
    import devproc

    pipe = devproc.pipeline("frame")
    x = pipe.input("x", "uint8", FRAME)
    x = pipe.normalize(pipe.resize(x, SIZE, like, mode, antialias), MEAN, STD)
    pipe.output("y", pipe.layout(x, "HWC->NCHW"))
    program = devproc.compile(pipe, threads=threads)
    return lambda: program(x=frame)["y"]


def opencv(frame: Any, mode: str) -> Run:
    """OpenCV throughout."""
    import cv2

    cv: Any = cv2
    flag = {"bilinear": cv2.INTER_LINEAR, "area": cv2.INTER_AREA}[mode]
    mean = (*(255 * m for m in MEAN), 0.0)
    scale = (*(1 / (255 * s) for s in STD), 0.0)

    def run() -> Any:
        small = cv2.resize(frame, SIZE[::-1], interpolation=flag)
        moved = cv.subtract(small, mean, dtype=cv2.CV_32F)
        scaled = cv.multiply(moved, scale, dtype=cv2.CV_32F)
        planes = np.empty((1, 3, *SIZE), np.float32)
        cv2.split(scaled, list(planes[0]))
        return planes

    return run


def torchvision(frame: Any, antialias: bool) -> Run:
    """The operators that torchvision calls, on bytes with channels last."""
    import torch

    image = torch.from_numpy(frame).permute(2, 0, 1)[None]
    mean, std = (torch.tensor(v).view(1, 3, 1, 1) for v in (MEAN, STD))

    def run() -> Any:
        small = torch.nn.functional.interpolate(
            image, SIZE, mode="bilinear", antialias=antialias
        )
        return small.float().div_(255).sub_(mean).div_(std).contiguous().numpy()

    return run


def pillow(frame: Any) -> Run:
    """Pillow and NumPy."""
    from PIL import Image

    image = Image.fromarray(frame)
    mean, std = np.array(MEAN, np.float32), np.array(STD, np.float32)

    def run() -> Any:
        small = np.asarray(image.resize((SIZE[1], SIZE[0]), Image.Resampling.BILINEAR))
        scaled = (small.astype(np.float32) / np.float32(255) - mean) / std
        return np.ascontiguousarray(scaled.transpose(2, 0, 1))[None]

    return run


def candidates(frame: Any, threads: int) -> dict[str, tuple[Run, Run]]:
    """Form -> ours and the library's."""
    return {
        "OpenCV INTER_LINEAR": (
            ours(frame, "opencv", "bilinear", None, threads),
            opencv(frame, "bilinear"),
        ),
        "OpenCV INTER_AREA": (
            ours(frame, "opencv", "area", None, threads),
            opencv(frame, "area"),
        ),
        "torchvision, antialias": (
            ours(frame, "torchvision", "bilinear", None, threads),
            torchvision(frame, True),
        ),
        "torchvision, no antialias": (
            ours(frame, "torchvision", "bilinear", False, threads),
            torchvision(frame, False),
        ),
        "Pillow BILINEAR": (
            ours(frame, "pillow", "bilinear", None, threads),
            pillow(frame),
        ),
    }


def burst(run: Run) -> list[float]:
    """Times of one turn, in seconds, behind one run that wakes the threads."""
    time.sleep(PAUSE)
    run()
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return times


def measure(runs: dict[str, tuple[Run, Run]]) -> list[str]:
    """The rows of a table: medians, minima, and our time over the library's."""
    found = {name: ([], []) for name in runs}
    for name, pair in runs.items():
        first, second = (np.asarray(run()) for run in pair)
        assert np.abs(first - second).max() < 1e-5, name
    for _ in range(ROUNDS):
        for name, pair in runs.items():
            for times, run in zip(found[name], pair, strict=True):
                times.append(burst(run))
    rows: list[str] = []
    for name, sides in found.items():
        every = [[t * 1e3 for turn in side for t in turn] for side in sides]
        medians, least = map(statistics.median, every), map(min, every)
        ratios = [
            statistics.median(mine) / statistics.median(theirs)
            for mine, theirs in zip(*sides, strict=True)
        ]
        cells = [f"{a:.3f} / {b:.3f}" for a, b in zip(medians, least, strict=True)]
        ratio = f"{statistics.median(ratios):.2f}"
        fastest = min(every[0]) / min(every[1])
        rows.append(f"| {name} | {' | '.join(cells)} | {ratio} | {fastest:.2f} |")
    return rows


def main() -> None:
    """Both numbers of threads, in a process each: a pool keeps its size."""
    if len(sys.argv) == 1:
        import subprocess

        from results import write_section

        lines: list[str] = []
        for threads in ("1", "2"):
            command = [sys.executable, __file__, threads]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            lines += [*run.stdout.splitlines(), ""]
        write_section("From a frame to a network's input", COMMAND, lines[:-1])
        return
    import cv2
    import torch

    threads = int(sys.argv[1])
    cv2.setNumThreads(threads)
    torch.set_num_threads(threads)
    frame = np.random.default_rng(0).integers(0, 256, FRAME, np.uint8)
    print(
        f"{threads} thread{'s' * (threads > 1)}, ms, median / least; ratio below 1: ours"
    )
    print("is faster (median of the turns' ratios, and of the least times):")
    print()
    print("| as | DevProc | the library | ratio | ratio of least |")
    print("|---|---|---|---|---|")
    print("\n".join(measure(candidates(frame, threads))))


if __name__ == "__main__":
    # This folder's `kernels.py` must not stand in for a package that a library loads.
    here = Path(__file__).parent
    if len(sys.argv) > 1:
        sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != here]
    main()
