"""A frame to a network's input, beside the libraries that each result must equal.

`python benchmarks/preprocessing.py`: 1920x1080 uint8 -> 224x224 -> normalise -> NCHW
float32, in turns in one process, with one and two threads. Each library is composed as
its users do it at its fastest: OpenCV resizes, subtracts and multiplies in float32, and
splits into planes; PyTorch (torchvision's operators) resizes bytes, then normalises in
place; Pillow resizes, NumPy does the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from turns import Run, row, run_benchmark

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
FRAME, SIZE = (1080, 1920, 3), (224, 224)


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


def measured(form: str, run: Run, theirs: Run) -> str:
    """The row of a form; stops where the results differ."""
    first, second = np.asarray(run()), np.asarray(theirs())
    assert np.abs(first - second).max() < 1e-5, form
    return row(form, {"DevProc": run, "library": theirs})


def rows(threads: int) -> list[str]:
    """The rows of this number of threads."""
    import cv2
    import torch

    cv2.setNumThreads(threads)
    torch.set_num_threads(threads)
    frame = np.random.default_rng(0).integers(0, 256, FRAME, np.uint8)
    forms: dict[str, tuple[Run, Run]] = {
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
    return [measured(form, *pair) for form, pair in forms.items()]


if __name__ == "__main__":
    run_benchmark(__file__, "From a frame to a network's input", rows)
