"""Answers to `13_blocks.py`, and wrong ones with a part of the hint each must get."""

import runpy
import sys
from pathlib import Path

import numpy as np

softmax = """
@triton.jit
def softmax(x_ptr, y_ptr):
    row = tl.program_id(0)
    lanes = tl.arange(0, 128)
    inside = lanes < 100
    x = tl.load(x_ptr + row * 100 + lanes, mask=inside, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(y_ptr + row * 100 + lanes, y, mask=inside)
"""


def step(most, total, acc, scores, values):
    new = np.maximum(most, scores.max(axis=1))
    p = np.exp(scores - new[:, None])
    down = np.exp(most - new)
    return new, total * down + p.sum(axis=1), acc * down[:, None] + p @ values


def traffic(heads: int, n: int, d: int, queries: int) -> int:
    programs = -(-n // queries)
    return 4 * heads * n * d * (1 + 2 * programs + 1)


no_store_mask = softmax.replace("y, mask=inside)", "y)")
no_shift = softmax.replace(" - tl.max(x, axis=0)", "")
zeros = softmax.replace('float("-inf")', "0.0")
zeros_in_max = zeros.replace(
    "e = tl.exp(x", "e = tl.where(inside, 1.0, 0.0) * tl.exp(x"
)


def ignores_earlier(most, total, acc, scores, values):
    new = np.maximum(most, scores.max(axis=1))
    p = np.exp(scores - new[:, None])
    return new, total + p.sum(axis=1), acc + p @ values


def forgets_acc(most, total, acc, scores, values):
    new = np.maximum(most, scores.max(axis=1))
    p = np.exp(scores - new[:, None])
    return new, total * np.exp(most - new) + p.sum(axis=1), acc + p @ values


def no_maximum(most, total, acc, scores, values):
    p = np.exp(scores)
    return most, total + p.sum(axis=1), acc + p @ values


def forgets_most(most, total, acc, scores, values):
    new = scores.max(axis=1)
    p = np.exp(scores - new[:, None])
    down = np.where(most < new, np.exp(most - new), 1)
    return new, total * down + p.sum(axis=1), acc * down[:, None] + p @ values


ANSWERS = {"softmax": softmax, "step": step, "traffic": traffic}
WRONG = [
    ("softmax", no_store_mask, "BoundsError"),
    ("softmax", no_shift, "exp leaves float32"),
    ("softmax", zeros, "what do the other 28 lanes add"),
    ("softmax", zeros_in_max, "one of the 100"),
    ("step", ignores_earlier, "scores rise"),
    ("step", forgets_acc, "scale `acc` like `total`"),
    ("step", no_maximum, "overflow"),
    ("step", forgets_most, "scores fall"),
    (
        "traffic",
        lambda h, n, d, q: 8 * h * n * d * (1 + n / q),
        "in blocks of 64 are 3 programs",
    ),
    (
        "traffic",
        lambda h, n, d, q: 4 * h * n * d * (1 + 2 * -(-n // q)),
        "nearly",
    ),
    ("traffic", lambda h, n, d, q: 4 * h * n * d * (2 + -(-n // q)), "counted"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
