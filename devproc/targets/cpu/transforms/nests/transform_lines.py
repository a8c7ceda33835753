"""Applies small constant matrices to vectors, sharing sums between rows.

The rows of a Winograd transform for the points p and -p differ in signs only: the terms
with equal signs and those with opposite signs are each summed once, then added and
subtracted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from xdsl.ir import SSAValue

from devproc.ir.layouts.winograd import Matrix
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import AnyVector

Values = Sequence[SSAValue]
Row = Matrix
"""One row of a matrix."""


def weighted_sum(
    lanewise: Lanewise, weights: Sequence[float], values: Values
) -> SSAValue | None:
    """The sum of weight * value; None if all weights are 0."""
    terms = [(float(w), v) for w, v in zip(weights, values, strict=True) if w]
    # A term of weight 1 needs no multiplication.
    terms.sort(key=lambda term: term[0] != 1.0)
    total: SSAValue | None = None
    for weight, value in terms:
        if total is None:
            total = (
                value if weight == 1.0 else lanewise.mul(value, lanewise.number(weight))
            )
        elif weight == 1.0:
            total = lanewise.add(total, value)
        elif weight == -1.0:
            total = lanewise.sub(total, value)
        else:
            total = lanewise.fma(value, lanewise.number(weight), total)
    return total


def as_float32(matrix: Matrix) -> Matrix:
    """The weights with values that differ from 1, or from each other, only by rounding
    made equal."""
    return matrix.astype(np.float32).astype(np.float64)


def transform_line(lanewise: Lanewise, matrix: Matrix, values: Values) -> Values:
    """matrix @ values."""
    matrix = as_float32(matrix)
    pairs = _mirrored(matrix.T)
    if pairs:
        return _transform_columns(lanewise, matrix, values, pairs)
    done: dict[int, SSAValue] = {}
    for i, j in _mirrored(matrix):
        is_even = matrix[i] == matrix[j]
        even = weighted_sum(
            lanewise, np.where(is_even, matrix[i], 0.0).tolist(), values
        )
        assert even is not None
        odd = np.where(is_even, 0.0, matrix[i])
        done[i], done[j] = _both_signs(lanewise, even, odd, values)
    for row in range(len(matrix)):
        if row not in done:
            total = weighted_sum(lanewise, matrix[row].tolist(), values)
            assert total is not None
            done[row] = total
    return [done[row] for row in range(len(matrix))]


def _both_signs(
    lanewise: Lanewise, even: SSAValue, weights: Row, values: Values
) -> tuple[SSAValue, SSAValue]:
    """`even` plus the sum of weight * value, and `even` minus that sum."""
    factor = _common_factor(weights)
    odd = weighted_sum(lanewise, (weights / factor).tolist(), values)
    assert odd is not None
    if factor == 1.0:
        return lanewise.add(even, odd), lanewise.sub(even, odd)
    plus, minus = (lanewise.number(number) for number in (factor, -factor))
    return lanewise.fma(odd, plus, even), lanewise.fma(odd, minus, even)


def _common_factor(weights: Row) -> float:
    """A common factor that leaves a weight of 1; 1 if there is one already, or if the
    remaining weights would be rounded."""
    present = weights[weights != 0.0]
    factor = float(present[0])
    rest = as_float32(present / factor)
    is_exact = np.array_equal(as_float32(rest * factor), present)
    return 1.0 if 1.0 in np.abs(present) or not is_exact else factor


def _transform_columns(
    lanewise: Lanewise, matrix: Matrix, values: Values, pairs: list[tuple[int, int]]
) -> Values:
    """Columns that differ in signs only: the sum and difference of their values is
    shared."""
    sums = {
        i: (
            lanewise.add(values[i], values[j]),
            lanewise.sub(values[i], values[j]),
        )
        for i, j in pairs
    }
    second = {j for _, j in pairs}
    rest = [c for c in range(matrix.shape[1]) if c not in second]
    partner = dict(pairs)
    result: list[SSAValue] = []
    for row in matrix:
        inputs = [
            sums[c][int(row[c] != row[partner[c]])] if c in sums else values[c]
            for c in rest
        ]
        total = weighted_sum(lanewise, [row[c] for c in rest], inputs)
        assert total is not None
        result.append(total)
    return result


def _mirrored(matrix: Matrix) -> list[tuple[int, int]]:
    """Adjacent rows that are equal up to signs, and not identical or negated."""
    found: list[tuple[int, int]] = []
    row = 0
    while row + 1 < len(matrix):
        a, b = matrix[row], matrix[row + 1]
        same, other = (a == b) & (a != 0), (a == -b) & (a != 0)
        if np.all(np.abs(a) == np.abs(b)) and same.any() and other.any():
            found.append((row, row + 1))
            row += 1
        row += 1
    return found


def transform_square(
    lanewise: Lanewise,
    matrix: Matrix,
    scratch: SSAValue,
    load: Callable[[SSAValue], Values],
    store: Callable[[SSAValue, Values], None],
) -> None:
    """matrix @ square @ matrix.T, elementwise on vectors.

    A loop over the columns of the square, then one over the lines of the intermediate
    result: no register file holds a square of six by six vectors, and straight-line
    code would be most of a kernel and of its compile time. `scratch` holds the columns.

    `load` returns a column of the square, `store` stores a line of the result.
    """
    emitter, zero = lanewise.emitter, lanewise.emitter.index(0)
    (lanes,) = cast(AnyVector, lanewise.like).get_shape()
    rows, columns = matrix.shape

    def transform_column(column: SSAValue) -> None:
        done = transform_line(lanewise, matrix, load(column))
        for row, value in enumerate(done):
            emitter.store_vector(value, scratch, (emitter.index(row), column, zero))

    def transform_row(row: SSAValue) -> None:
        places = [(row, emitter.index(column), zero) for column in range(columns)]
        values = [emitter.load_vector(scratch, place, lanes) for place in places]
        store(row, transform_line(lanewise, matrix, values))

    emitter.loop_to(columns, transform_column)
    emitter.loop_to(rows, transform_row)
