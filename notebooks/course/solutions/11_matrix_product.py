"""Answers to `11_matrix_product.py`, and typical wrong ones with their hints."""

import runpy
import sys
from pathlib import Path

from xdsl.dialects import memref, vector


def pick(planned, registers):
    """The same schedule with the tallest tile that fits the registers."""
    return planned.replace(rows=(registers - 1) // planned.vectors - 1)


def count(loop):
    """The multiply-adds and the loads in the body of a loop."""
    ops = list(loop.body.block.ops)
    fmas = sum(isinstance(op, vector.FMAOp) for op in ops)
    return fmas, sum(isinstance(op, vector.LoadOp | memref.LoadOp) for op in ops)


def share_of_peak(seconds, rows, columns, depth, peak):
    """The share of the peak, in floating-point operations per second, that is reached."""
    return 2 * rows * columns * depth / seconds / peak


ANSWERS = {"pick": pick, "count": count, "share_of_peak": share_of_peak}


def only_sums(planned, registers):
    return planned.replace(rows=registers // planned.vectors)


def a_row_less(planned, registers):
    return planned.replace(rows=(registers - 1) // planned.vectors - 2)


def only_rows(planned, registers):
    return (registers - 1) // planned.vectors - 1


def wider(planned, registers):
    return planned.replace(rows=6, vectors=planned.vectors % 4 + 1)


def numbers(loop):
    """Counts the numbers in the vectors."""
    fmas, loads = count(loop)
    return fmas * loop.results[0].type.get_shape()[0], loads


def loads_of_vectors(loop):
    fmas, _ = count(loop)
    return fmas, sum(isinstance(op, vector.LoadOp) for op in loop.body.block.ops)


WRONG = [
    ("pick", only_sums, "sums would be stored"),
    ("pick", a_row_less, "one more row fits"),
    ("pick", only_rows, "makes a schedule"),
    ("pick", wider, "only `rows` should differ"),
    ("count", numbers, "whatever its width"),
    ("count", loads_of_vectors, "single numbers and"),
    (
        "share_of_peak",
        lambda seconds, rows, columns, depth, peak: (
            rows * columns * depth / seconds / peak
        ),
        "50%, not 25.000%",
    ),
    (
        "share_of_peak",
        lambda seconds, rows, columns, depth, peak: (
            2 * rows * columns * depth * seconds / peak
        ),
        "50%, not 12.500%",
    ),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
