"""Scatters: what threads share, and other schedules beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from devproc.algorithms.base import Choice
from devproc.dialects.sched import ScatterSchedule
from tests.algorithms.schedules import decisions, module_of, planned, problem, run_by
from tests.cpu.native_kernels import memref_type

RANDOM = np.random.default_rng(5)


def sums(*shape: int, axis: int, size: int) -> tuple[str, list[np.ndarray]]:
    """Updates added to a target, some at places out of range."""
    updates = RANDOM.integers(-99, 99, shape).astype(np.float32)
    index = RANDOM.integers(-1, size + 1, shape)
    target = np.ones(
        [size if d == axis else n for d, n in enumerate(shape)], np.float32
    )
    arrays = [updates, index, target]
    types = ", ".join(map(memref_type, arrays))
    text = f"""
      linalg_ext.scatter %a0 at %a1 into %a2 axis {axis} {{
      ^bb0(%new: f32, %old: f32):
        %sum = arith.addf %old, %new : f32
        linalg.yield %sum : f32
      }} : ({types}) -> ()"""
    return text, arrays


def added(arrays: list[np.ndarray], axis: int) -> np.ndarray:
    updates, index, target = arrays
    wanted = target.astype(np.float64)
    for point in np.ndindex(updates.shape):
        place = index[point]
        if 0 <= place < target.shape[axis]:
            wanted[(*point[:axis], place, *point[axis + 1 :])] += updates[point]
    return wanted


@pytest.mark.parametrize("grain", [None, 1, 4, 100])
def test_other_schedules_give_the_same_sums(grain: int | None) -> None:
    text, arrays = sums(3, 5, 11, 2, axis=2, size=7)
    schedule = ScatterSchedule(grain=grain, lanes=1)
    module = module_of(text, arrays, "scatter")
    *_, found = run_by(module, "scatter", schedule, arrays)
    np.testing.assert_array_equal(found, added(arrays, 2))


def test_plan() -> None:
    module = module_of(*sums(512, 301, axis=1, size=9), "scatter")
    (choice,) = decisions(module, "scatter")
    assert isinstance(choice, Choice)
    assert choice.schedule == ScatterSchedule(grain=7, lanes=1)
    assert choice.why == "154112 updates, 512 times those that may meet"
    small = module_of(*sums(3, 5, axis=1, size=9), "scatter")
    assert planned(small, "scatter") == ScatterSchedule(grain=None, lanes=1)


def test_updates_that_may_meet_are_not_shared() -> None:
    module = module_of(*sums(700, 301, axis=0, size=9), "scatter")
    assert planned(module, "scatter") == ScatterSchedule(grain=None, lanes=1)
    assert problem(module, "scatter", ScatterSchedule(grain=1, lanes=1)) == (
        "'grain' must be none: there is no loop that threads could share"
    )


def rows(columns: int, dtype: type = np.float32) -> tuple[str, list[np.ndarray]]:
    """Rows that replace those of a target, one of them at a place out of range."""
    updates = RANDOM.integers(-99, 99, (3, 4, columns)).astype(dtype)
    index = np.array([2, 6, 0, 2], np.int64).reshape(1, 4, 1)
    target = np.ones((3, 6, columns), dtype)
    arrays = [updates, index, target]
    types = ", ".join(map(memref_type, arrays))
    element = memref_type(updates).split("x")[-1].split(",")[0].rstrip(">")
    text = f"""
      linalg_ext.scatter %a0 at %a1 into %a2 axis 1 {{
      ^bb0(%new: {element}, %old: {element}):
        linalg.yield %new : {element}
      }} : ({types}) -> ()"""
    return text, arrays


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8])
def test_rows_are_replaced_by_vectors(lanes: int, dtype: type) -> None:
    text, arrays = rows(24, dtype)
    schedule = ScatterSchedule(grain=None, lanes=lanes)
    *_, found = run_by(module_of(text, arrays, "scatter"), "scatter", schedule, arrays)
    updates, _, wanted = arrays[0], arrays[1], arrays[2].copy()
    wanted[:, 2], wanted[:, 0] = updates[:, 3], updates[:, 2]
    np.testing.assert_array_equal(found, wanted)


def test_lanes() -> None:
    module = module_of(*rows(24), "scatter")
    assert planned(module, "scatter") == ScatterSchedule(grain=None, lanes=8)
    assert problem(module, "scatter", ScatterSchedule(grain=None, lanes=3)) == (
        "'lanes' must divide 24, the adjacent elements that replace others, and the 16 of "
        "a register"
    )
    combined = module_of(*sums(3, 5, axis=1, size=9), "scatter")
    assert problem(combined, "scatter", ScatterSchedule(grain=None, lanes=2)) == (
        "'lanes' must divide 1, the adjacent elements that replace others, and the 16 of "
        "a register"
    )
