"""Orders of rows: the way that each op asks for, and other schedules beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from devproc.algorithms.base import Choice
from devproc.dialects.sched import SortSchedule
from tests.algorithms.schedules import (
    decisions,
    module_of,
    planned,
    problem,
    run_by,
)
from tests.cpu.native_kernels import memref_type

RANDOM = np.random.default_rng(5)
ROWS, SIZE = 3, 301

Arrays = list[np.ndarray]


def keys(rows: int = ROWS, size: int = SIZE, dtype: type = np.int32) -> np.ndarray:
    """Integers of which many are equal, and the extremes."""
    x = RANDOM.integers(-40, 40, (rows, size)).astype(dtype)
    limits = np.iinfo(dtype)
    x.flat[:2] = limits.min, limits.max
    return x


def op_text(name: str, arrays: Arrays, into: str) -> str:
    types = ", ".join(map(memref_type, arrays))
    return f"linalg_ext.{name} {into} : ({types}) -> ()"


def order(x: np.ndarray) -> np.ndarray:
    return np.argsort(x, axis=-1, kind="stable")


def places(x: np.ndarray, count: int) -> np.ndarray:
    return np.zeros((*x.shape[:-1], count), np.int64)


def all_of_short() -> tuple[str, Arrays, np.ndarray]:
    x = keys(size=101)
    arrays = [x, places(x, 101)]
    return op_text("sort", arrays, "%a0 into %a1"), arrays, order(x)


def all_of_long() -> tuple[str, Arrays, np.ndarray]:
    x = keys(dtype=np.int64)
    arrays = [x, places(x, SIZE), np.zeros((ROWS, 2, SIZE), np.int64)]
    return op_text("sort", arrays, "%a0 into %a1, %a2"), arrays, order(x)


def few_first() -> tuple[str, Arrays, np.ndarray]:
    x = keys()
    arrays = [x, places(x, 7)]
    return op_text("sort", arrays, "%a0 into %a1"), arrays, order(x)[:, :7]


def some_ranks() -> tuple[str, Arrays, np.ndarray]:
    x = keys()
    ranks = np.array([[0, 150], [300, 7], [-4, 999]])
    room = np.zeros((ROWS, 9), np.int32)
    arrays = [x, ranks, places(x, 2), room]
    wanted = np.take_along_axis(order(x), ranks.clip(0, SIZE - 1), -1)
    return op_text("kth_value", arrays, "%a0 at %a1 into %a2, %a3"), arrays, wanted


def up_to_one() -> tuple[str, Arrays, np.ndarray]:
    x = keys()
    first = order(x)[:, :120]
    arrays = [x, first[:, -1:].copy(), places(x, 120)]
    wanted = np.sort(first, axis=-1)
    return op_text("first_places", arrays, "%a0 up_to %a1 into %a2"), arrays, wanted


CASES = {
    "ranks": all_of_short,
    "digits": all_of_long,
    "insertion": few_first,
    "search": some_ranks,
    "first": up_to_one,
}
PLANNED = {"ranks": 4, "digits": 1, "insertion": 4, "search": 2, "first": 4}


@pytest.mark.parametrize("by", CASES)
def test_the_op_decides_about_the_way(by: str) -> None:
    text, arrays, _ = CASES[by]()
    module = module_of(text, arrays, "sort", threads=1)
    found = planned(module, "sort")
    assert found == SortSchedule(by=by, vectors=PLANNED[by], grain=None)
    other = "digits" if by == "ranks" else "ranks"
    wrong = problem(module, "sort", found.replace(by=other, vectors=1)) or ""
    assert wrong.startswith(f"'by' must be {by}: ")


@pytest.mark.parametrize("by", CASES)
@pytest.mark.parametrize("vectors", [1, 3])
def test_other_schedules_give_the_same_order(by: str, vectors: int) -> None:
    text, arrays, wanted = CASES[by]()
    vectors = 1 if by == "digits" else vectors
    schedule = SortSchedule(by=by, vectors=vectors, grain=2 if vectors == 1 else None)
    found = run_by(module_of(text, arrays, "sort"), "sort", schedule, arrays)
    index = 2 if by in ("search", "first") else 1
    np.testing.assert_array_equal(found[index], wanted)


def test_rows_are_shared() -> None:
    arrays = [keys(64, 100), places(keys(64, 100), 100)]
    module = module_of(op_text("sort", arrays, "%a0 into %a1"), arrays, "sort")
    (choice,) = decisions(module, "sort")
    assert isinstance(choice, Choice)
    assert str(choice.schedule) == "#sched.sort<by = ranks, vectors = 4, grain = 7>"
    assert choice.why == (
        "all elements are wanted, without room to move them: 64 rows of 100 elements"
    )


def test_what_is_not_legal() -> None:
    x = keys()[0]
    arrays = [x, places(x, SIZE)]
    module = module_of(op_text("sort", arrays, "%a0 into %a1"), arrays, "sort")
    found = planned(module, "sort")
    assert problem(module, "sort", found.replace(grain=1)) == (
        "'grain' must be none: there is no loop that threads could share"
    )
    arrays = [x[:20], places(x, 20)]
    module = module_of(op_text("sort", arrays, "%a0 into %a1"), arrays, "sort")
    assert problem(module, "sort", found.replace(vectors=3)) == (
        "'vectors' must be at most 2: a row has 20 elements"
    )
