"""Answers to `05_pixels.py`, and wrong ones with a part of the hint that each must get."""

import math
import runpy
import sys
from pathlib import Path

import numpy as np

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def apart(a: np.ndarray, b: np.ndarray) -> tuple[int, int]:
    """In int16, which holds all differences of uint8."""
    if a.shape != b.shape:
        raise ValueError(f"shapes {a.shape} and {b.shape} differ")
    gap = np.abs(a.astype(np.int16) - b.astype(np.int16))
    return int((gap > 0).sum()), int(gap.max())


def place(i: int, n: int, m: int) -> int:
    """OpenCV multiplies with the inverse of its factor m / n."""
    step = 1.0 / (m / n)
    return min(math.floor(i * step), n - 1)


def build(pipe, image):
    """DevProc's sizes are (height, width), as everywhere but in OpenCV and Pillow."""
    x = pipe.color(image, "BGR->RGB")
    x = pipe.resize(x, (14, 20), like="opencv", mode="area")
    x = pipe.normalize(x, mean=MEAN, std=STD)
    return pipe.layout(x, "HWC->NCHW")


def signed(a, b):
    gap = np.abs(a.astype(np.int8).astype(int) - b.astype(np.int8).astype(int))
    return int((gap > 0).sum()), int(gap.max())


def one_sided(a, b):
    gap = a.astype(int) - b.astype(int)
    return int((gap > 0).sum()), int(gap.max())


def broadcasting(a, b):
    gap = np.abs(a.astype(int) - b.astype(int))
    return int((gap > 0).sum()), int(gap.max())


def rounded(i, n, m):
    return min(round(i * n / m), n - 1)


def exact(i, n, m):
    return i * n // m


def scaled(i, n, m):
    return min(math.floor(i * (n / m)), n - 1)


def centred(i, n, m):
    return min(math.floor((i + 0.5) * (1.0 / (m / n))), n - 1)


def steps(pipe, image, *, color=True, size=(14, 20), like="opencv", mode="area"):
    x = pipe.color(image, "BGR->RGB") if color else image
    x = pipe.resize(x, size, like=like, mode=mode)
    x = pipe.normalize(x, mean=MEAN, std=STD)
    return pipe.layout(x, "HWC->NCHW")


def swapped_size(pipe, image):
    return steps(pipe, image, size=(20, 14))


def without_color(pipe, image):
    return steps(pipe, image, color=False)


def pillow(pipe, image):
    return steps(pipe, image, like="pillow", mode="box")


def bilinear(pipe, image):
    return steps(pipe, image, mode="bilinear")


def unscaled(pipe, image):
    x = pipe.resize(pipe.color(image, "BGR->RGB"), (14, 20), like="opencv", mode="area")
    return pipe.layout(pipe.normalize(x, mean=MEAN, std=STD, scale=1), "HWC->NCHW")


ANSWERS = {"apart": apart, "place": place, "build": build}
WRONG = [
    ("apart", signed, "255 in int8"),
    ("apart", one_sided, "it says (0, 0)"),
    ("apart", broadcasting, "NumPy broadcasts"),
    ("place", rounded, "left edge"),
    ("place", centred, "left edge"),
    ("place", exact, "OpenCV starts from m / n"),
    ("place", scaled, "OpenCV starts from m / n"),
    ("build", swapped_size, "which size comes first"),
    ("build", without_color, "blue and red"),
    ("build", pillow, "which library"),
    ("build", bilinear, "which mode"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
