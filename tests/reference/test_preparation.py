"""The weights of a program: what `@prepare` makes of them, in memory of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

from devproc.ir.weights.prepare import prepare_function
from devproc.ir.weights.table import WeightTable
from devproc.reference.run.interpreter import prepare_results
from devproc.reference.run.preparation import Preparation, prepared
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


class Shelf:
    """A store that keeps copies, or keeps nothing."""

    def __init__(self, keeps: bool):
        self.keeps = keeps
        self.seen: list[tuple[str, str]] = []

    def __call__(
        self, arrays: Iterable[tuple[str, str, np.ndarray]]
    ) -> tuple[WeightTable, dict[str, Any]] | None:
        table = WeightTable()
        for name, dtype, array in arrays:
            self.seen.append((name, dtype))
            if not self.keeps:
                return None
            table.add(name, array.copy(), dtype)
        return table, {"place": 7}


@pytest.mark.parametrize("keeps", [True, False])
def test_store(keeps: bool) -> None:
    """Where it cannot keep them, the weights are prepared in memory."""
    shelf, memory = Shelf(keeps), numbers()
    with ThreadPoolExecutor(1) as pool:
        function, names = prepare_function(parse(PROGRAM)), ["w", "prepare.0", "w"]
        work = Preparation(function, weights(memory), names, True, pool, shelf)
        kept, stored = work.kept(["prepare.0", "w"]), work.stored()
    assert stored == ({"place": 7} if keeps else None)
    float32 = [("w", "float32"), ("prepare.0", "float32")]
    assert shelf.seen == (float32 if keeps else float32[:1])
    memory[...] = 9
    np.testing.assert_array_equal(kept.array("w"), numbers())
    np.testing.assert_array_equal(kept.array("prepare.0"), numbers().T)


@pytest.fixture
def threads() -> Iterator[int]:
    """Of PyTorch: more than the one of the test suite."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield 3
    torch.set_num_threads(before)


def test_other_cores_are_left_alone(threads: int) -> None:
    """PyTorch's loops have one thread there, and everywhere else as many as before."""
    seen: list[int] = []

    def store(arrays: Iterable[tuple[str, str, np.ndarray]]) -> None:
        next(iter(arrays))
        seen.append(torch.get_num_threads())

    with ThreadPoolExecutor(1) as pool:
        function = prepare_function(parse(PROGRAM))
        Preparation(function, weights(), ["prepare.1"], True, pool, store).stored()
        after = pool.submit(torch.get_num_threads).result()
    assert [*seen, after] == [1, 1]
    assert torch.get_num_threads() == threads
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(torch.get_num_threads).result() == threads


def test_results_come_one_by_one() -> None:
    """A weight is not computed before the one before it has been taken."""
    ops: list[str] = []
    module = parse(
        PROGRAM.replace("%t, %e :", "%t, %e, %t :")
        .replace("tensor<2x3xf32>) {", "tensor<2x3xf32>, tensor<3x2xf32>) {")
        .replace(
            "func.return %t, %e, %t : tensor<3x2xf32>, tensor<2x3xf32>",
            "func.return %t, %e, %t : tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x2xf32>",
        )
    )
    for name, array in prepare_results(module, weights()):
        ops.append(name)
        wanted = np.exp(numbers()) if name == "prepare.1" else numbers().T
        np.testing.assert_allclose(array, wanted, rtol=1e-6)
    assert ops == ["prepare.0", "prepare.2", "prepare.1"]


def test_lent_memory_is_copied() -> None:
    memory = numbers()
    with ThreadPoolExecutor(1) as pool:
        function, names = prepare_function(parse(PROGRAM)), ["w", "prepare.0"]
        work = Preparation(function, weights(memory), names, True, pool)
        kept = work.kept(names)
    memory[...] = 9
    np.testing.assert_array_equal(kept.array("w"), numbers())
    np.testing.assert_array_equal(kept.array("prepare.0"), numbers().T)
