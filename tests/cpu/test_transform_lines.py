"""Small constant matrices on vectors, evaluated on fractions and compared with `@`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import Float32Type, VectorType, f32

from devproc.ir.layouts.winograd import filter_matrix, input_matrix, output_matrix
from devproc.targets.cpu.transforms.nests.transform_lines import (
    as_float32,
    transform_line,
    transform_square,
)


@dataclass
class Loops:
    """What `Emitter` makes loops and memory of, done at once; `memory` is by place."""

    memory: dict[tuple[int, ...], Fraction] = field(
        default_factory=dict[tuple[int, ...], Fraction]
    )

    def index(self, value: int) -> int:
        return value

    def loop_to(self, size: int, body: Callable[[int], None]) -> None:
        for index in range(size):
            body(index)

    def load_vector(self, _: object, place: tuple[int, ...], lanes: int) -> Fraction:
        assert lanes == 8
        return self.memory[place]

    def store_vector(self, value: Fraction, _: object, place: tuple[int, ...]) -> None:
        self.memory[place] = value


@dataclass
class Exact:
    """What `Lanewise` does to vectors, on fractions; counts what it is asked for."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    emitter: Loops = field(default_factory=Loops)
    like: VectorType[Float32Type] = field(default_factory=lambda: VectorType(f32, [8]))

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


def transformed_square(matrix: np.ndarray, square: np.ndarray) -> list[object]:
    """By columns, then by lines, which come in their order."""
    lines: list[object] = []

    def store(line: Any, values: Any) -> None:
        assert line == len(lines)
        lines.append(list(values))

    def load(column: Any) -> Any:
        return list(square[:, column])

    lanewise: Any = Exact()
    scratch: Any = None
    transform_square(lanewise, matrix, scratch, load, store)
    return lines


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
    wanted = product(matrix, product(matrix, square.T).T)
    assert transformed_square(matrix, square) == wanted.tolist()


@pytest.mark.parametrize(
    ("make", "tile", "operations"),
    [
        (input_matrix, 4, 12),
        (filter_matrix, 4, 6),
        (output_matrix, 4, 12),
        (input_matrix, 2, 4),
        (filter_matrix, 2, 3),
        (output_matrix, 2, 4),
    ],
)
def test_shared_sums_save_operations(make: Any, tile: int, operations: int) -> None:
    """The numbers are those of float32, where what mirrors is exactly equal."""
    matrix = as_float32(make(tile))
    np.testing.assert_allclose(matrix, make(tile), rtol=6e-8, atol=0)
    values = fractions(np.random.default_rng(tile), matrix.shape[1])
    found, count = run(transform_line, make(tile), list(values))
    assert list(found) == list(product(matrix, values))
    assert count == operations, f"{np.count_nonzero(matrix)} entries"
