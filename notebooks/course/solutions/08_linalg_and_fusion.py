"""Answers to `08_linalg_and_fusion.py`, and typical wrong ones with their hints."""

import runpy
import sys
from math import prod
from pathlib import Path

import torch

MAPS = ["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (j)"]


def times_read(map_, sizes):
    """The product of the sizes of the loops that the map does not use."""
    used = map_.used_dims()
    return prod(size for loop, size in enumerate(sizes) if loop not in used)


def scores(x, w):
    return torch.softmax((x @ w) * 0.125, -1)


ANSWERS = {"MAPS": MAPS, "times_read": times_read, "scores": scores}

WRONG = [
    (
        "MAPS",
        ["(i, j) -> (j, i)", "(i, j) -> (i)", "(i, j) -> (j)"],
        "`x` would be used at",
    ),
    (
        "MAPS",
        ["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (i)"],
        "not those of",
    ),
    (
        "MAPS",
        ["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (i, j)"],
        "`y` has 1 dimensions",
    ),
    ("MAPS", ["(i, j) -> (i, j)", "(i, j) -> (i)"], "need one each"),
    (
        "times_read",
        lambda map_, sizes: prod(sizes),
        "1 of the 15 iterations read one element, not 15",
    ),
    (
        "times_read",
        lambda map_, sizes: prod(sizes[loop] for loop in map_.used_dims()),
        "read one element, not",
    ),
    (
        "times_read",
        lambda map_, sizes: len(sizes) - len(map_.used_dims()),
        "read one element, not",
    ),
    ("scores", lambda x, w: torch.softmax(x @ w, -1), "the numbers are others"),
    ("scores", lambda x, w: torch.softmax(x @ w, -1) * 0.125, "the numbers are others"),
    (
        "scores",
        lambda x, w: torch.softmax(x @ (w * 0.125), -1),
        "still 3 launches",
    ),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
