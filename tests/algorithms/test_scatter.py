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
    schedule = ScatterSchedule(grain=grain)
    module = module_of(text, arrays, "scatter")
    *_, found = run_by(module, "scatter", schedule, arrays)
    np.testing.assert_array_equal(found, added(arrays, 2))


def test_plan() -> None:
    module = module_of(*sums(512, 301, axis=1, size=9), "scatter")
    (choice,) = decisions(module, "scatter")
    assert isinstance(choice, Choice)
    assert choice.schedule == ScatterSchedule(grain=7)
    assert choice.why == "154112 updates, 512 times those that may meet"
    small = module_of(*sums(3, 5, axis=1, size=9), "scatter")
    assert planned(small, "scatter") == ScatterSchedule(grain=None)


def test_updates_that_may_meet_are_not_shared() -> None:
    module = module_of(*sums(700, 301, axis=0, size=9), "scatter")
    assert planned(module, "scatter") == ScatterSchedule(grain=None)
    assert problem(module, "scatter", ScatterSchedule(grain=1)) == (
        "'grain' must be none: there is no loop that threads could share"
    )
