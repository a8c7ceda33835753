"""Loops over elements: which loops threads share, and other schedules beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.sched import ElementsSchedule
from tests.algorithms.schedules import decisions, module_of, planned, problem, run_by
from tests.cpu.native_kernels import generic, memref_type

RANDOM = np.random.default_rng(5)
SHARED = ElementsSchedule(spread=1, grain=1)
ALONE = ElementsSchedule(spread=0, grain=None)


def row_sums(*shape: int) -> tuple[str, list[np.ndarray]]:
    """Sums over the last of three loops; the middle one is last in memory."""
    a, b, c = shape
    arrays = [
        RANDOM.integers(-9, 9, (a, c, b)).astype(np.float32),
        np.ones((a, b), np.float32),
    ]
    text = generic(
        ["i, k, j", "i, j"],
        ["parallel", "parallel", "reduction"],
        [memref_type(array) for array in arrays],
        1,
        "%r = arith.addf %y0, %x0 : f32",
        "i, j, k",
    )
    return text, arrays


def prefixes(*shape: int) -> tuple[str, list[np.ndarray]]:
    """Writes along a loop that is not parallel: no accumulator stays in a register."""
    arrays = [RANDOM.standard_normal(shape, np.float32), np.zeros(shape, np.float32)]
    text = generic(
        ["i, j", "i, j"],
        ["parallel", "reduction"],
        [memref_type(array) for array in arrays],
        1,
        "%r = arith.mulf %x0, %x0 : f32",
        "i, j",
    )
    return text, arrays


def sums_of(*shape: int) -> ModuleOp:
    return module_of(*row_sums(*shape), "reduction")


@pytest.mark.parametrize("spread", [0, 1, 2])
def test_other_schedules_give_the_same_sums(spread: int) -> None:
    text, arrays = row_sums(5, 7, 3)
    schedule = ElementsSchedule(spread=spread, grain=spread + 1 if spread else None)
    module = module_of(text, arrays, "reduction")
    _, found = run_by(module, "elements", schedule, arrays)
    wanted = 1 + arrays[0].sum(1, np.float64)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("schedule", [ALONE, SHARED])
def test_outputs_that_a_reduction_moves_over(schedule: ElementsSchedule) -> None:
    text, arrays = prefixes(5, 7)
    module = module_of(text, arrays, "reduction")
    _, found = run_by(module, "elements", schedule, arrays)
    np.testing.assert_array_equal(found, arrays[0] ** 2)


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ((5, 7, 3), ALONE),
        # 3 x 501 pieces are enough for two threads, 3 are not.
        ((3, 501, 301), ElementsSchedule(spread=2, grain=55)),
        ((501, 3, 301), ElementsSchedule(spread=1, grain=19)),
    ],
)
def test_plan(shape: tuple[int, int, int], wanted: ElementsSchedule) -> None:
    assert planned(sums_of(*shape), "elements") == wanted


def test_why() -> None:
    (choice,) = decisions(sums_of(5, 7, 3), "elements")
    assert choice.why == "105 scalar operations, one element at a time"


def test_what_is_not_legal() -> None:
    assert problem(sums_of(5, 7, 3), "elements", SHARED.replace(spread=3)) == (
        "'spread' must be at most 2: so many outer loops are parallel"
    )
    module = module_of(*prefixes(5, 7), "reduction")
    assert problem(module, "elements", SHARED.replace(spread=2)) == (
        "'spread' must be at most 1: so many outer loops are parallel"
    )
