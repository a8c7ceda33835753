"""Answers to `04_meaning.py`, and wrong ones with a part of the hint that each must get."""

import runpy
import sys
from pathlib import Path

import numpy as np
import torch


def allowed(a: np.ndarray, b: np.ndarray) -> float:
    """2n operations, each off by 2**-24 of at most the sum of the terms without signs."""
    terms = np.abs(a.astype(float) * b.astype(float))
    return 2 * len(a) * 2.0**-24 * float(terms.sum())


sample = torch.full((4, 8), 100.0)


def mended(x):
    """The exponential of a number that is not positive never overflows."""
    return x.maximum(0.0) + (-abs(x)).exp().log1p()


def of_the_result(a, b):
    return len(a) * 2.0**-23 * abs(float(a.astype(float) @ b.astype(float)))


def fixed(a, b):
    return 1e-3


def without_length(a, b):
    return 2.0**-22 * float(np.abs(a.astype(float) * b).sum())


def generous(a, b):
    return 0.1 * float(np.abs(a.astype(float) * b).sum())


def squared_length(a, b):
    return len(a) ** 2 * 2.0**-16 * float(np.abs(a.astype(float) * b).sum())


def without_log1p(x):
    return x.maximum(0.0) + (1 + (-abs(x)).exp()).log()


def only_log1p(x):
    return x.exp().log1p()


def relu(x):
    return x.maximum(0.0)


def one_sign(x):
    return x + (-x).exp().log1p()


ANSWERS = {"allowed": allowed, "sample": sample, "mended": mended}
WRONG = [
    ("allowed", of_the_result, "the terms cancel"),
    ("allowed", fixed, "all numbers are large"),
    ("allowed", without_length, "the sum is long"),
    ("allowed", generous, "a missing term"),
    ("allowed", squared_length, "a missing term"),
    ("sample", torch.zeros(4, 8), "it passes for numbers from 0 to 0"),
    ("sample", 5 * torch.ones(4, 8), "leave float32"),
    ("sample", torch.full((4, 8), torch.inf), "finite"),
    ("sample", torch.full((8, 4), 100.0), "4 by 8"),
    ("mended", only_log1p, "does not fit"),
    ("mended", without_log1p, "rounds to 1"),
    ("mended", relu, "nothing is extreme"),
    ("mended", one_sign, "for the other"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
