"""The weights of a program: what `@prepare` makes of them, in memory of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from devproc.ir.prepare import prepare_function
from devproc.ir.weights import WeightTable
from devproc.reference.preparation import Preparation, prepared
from tests.repository import parse

PROGRAM = """
func.func private @prepare() -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %w = nn.weight @w hash "1f" : tensor<2x3xf32>
  %t = nn.transpose %w by [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %e = nn.exp %w : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %t, %e : tensor<3x2xf32>, tensor<2x3xf32>
}
"""


def numbers() -> np.ndarray:
    return np.arange(6, dtype=np.float32).reshape(2, 3)


def weights(array: np.ndarray | None = None) -> WeightTable:
    table = WeightTable()
    table.add("w", numbers() if array is None else array)
    return table


def test_all_results() -> None:
    table = prepared(parse(PROGRAM), weights())
    np.testing.assert_array_equal(table.array("prepare.0"), numbers().T)
    np.testing.assert_allclose(table.array("prepare.1"), np.exp(numbers()), rtol=1e-6)


def test_results_that_are_used() -> None:
    """Another result is not copied: a packed weight leaves its transpose behind."""
    table = prepared(parse(PROGRAM), weights(), {"prepare.1", "w"})
    assert set(table) == {"w", "prepare.1"}
    assert table.array("prepare.1").shape == (2, 3)


def test_lent_memory_is_copied() -> None:
    memory = numbers()
    with ThreadPoolExecutor(1) as pool:
        function, names = prepare_function(parse(PROGRAM)), ["w", "prepare.0"]
        work = Preparation(function, weights(memory), names, True, pool)
        kept = work.kept(names)
    memory[...] = 9
    np.testing.assert_array_equal(kept.array("w"), numbers())
    np.testing.assert_array_equal(kept.array("prepare.0"), numbers().T)
