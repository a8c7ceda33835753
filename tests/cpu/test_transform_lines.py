"""Small constant matrices on vectors, evaluated on fractions and compared with `@`."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from devproc.ir.winograd import input_matrix, output_matrix
from devproc.transforms.cpu.transform_lines import transform_line, transform_square


@dataclass
class Exact:
    """What `Lanewise` does to vectors, on fractions; counts what it is asked for."""

    counts: dict[str, int] = field(default_factory=dict[str, int])

    def _count(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def number(self, value: float) -> Fraction:
        return Fraction(value)

    def add(self, a: Fraction, b: Fraction) -> Fraction:
        self._count("add")
        return a + b

    def sub(self, a: Fraction, b: Fraction) -> Fraction:
        self._count("sub")
        return a - b

    def mul(self, a: Fraction, b: Fraction) -> Fraction:
        self._count("mul")
        return a * b

    def fma(self, a: Fraction, b: Fraction, c: Fraction) -> Fraction:
        self._count("fma")
        return a * b + c


def run(function: Any, matrix: np.ndarray, values: Any) -> tuple[Any, int]:
    """The result, and how many operations it took."""
    lanewise = Exact()
    result = function(lanewise, matrix, values)
    return result, sum(lanewise.counts.values())


def fractions(rng: np.random.Generator, *shape: int) -> np.ndarray:
    numbers = rng.integers(-99, 100, shape)
    return np.vectorize(lambda n: Fraction(int(n), 7))(numbers)


def product(matrix: np.ndarray, values: np.ndarray) -> np.ndarray:
    """`@` on fractions."""
    return np.vectorize(Fraction)(matrix) @ values


def random_matrix(rng: np.random.Generator) -> np.ndarray:
    """Many zeros and ones; rows, and columns, that mirror their neighbours."""
    rows, columns = rng.integers(1, 7, 2)
    matrix = rng.choice([0.0, 0.0, 1.0, -1.0, 0.5, -3.0], (rows, columns))
    for axis in range(2):
        view = matrix if axis == 0 else matrix.T
        for i in range(len(view) - 1):
            if rng.random() < 0.5:
                view[i + 1] = view[i] * rng.choice([-1.0, 1.0], view.shape[1])
    for row in matrix:  # A row of zeros has no sum.
        if not row.any():
            row[rng.integers(columns)] = 1.0
    return matrix


@pytest.mark.parametrize("seed", range(150))
def test_random_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng)
    values = fractions(rng, matrix.shape[1])
    found, count = run(transform_line, matrix, list(values))
    assert list(found) == list(product(matrix, values)), matrix
    # Never more than one operation for each entry.
    assert count <= np.count_nonzero(matrix)
    square = fractions(rng, matrix.shape[1], matrix.shape[1])
    found, _ = run(transform_square, matrix, square.tolist())
    wanted = product(matrix, product(matrix, square.T).T)
    assert np.array(found).tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("make", "tile", "operations"),
    [
        (input_matrix, 4, 15),
        (output_matrix, 4, 12),
        (input_matrix, 2, 4),
        (output_matrix, 2, 4),
    ],
)
def test_shared_sums_save_operations(make: Any, tile: int, operations: int) -> None:
    matrix = make(tile)
    values = fractions(np.random.default_rng(tile), matrix.shape[1])
    found, count = run(transform_line, matrix, list(values))
    assert list(found) == list(product(matrix, values))
    assert count == operations, f"{np.count_nonzero(matrix)} entries"
