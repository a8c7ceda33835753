"""Scans: the schedules of odd sizes, and others beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.sched import ScanSchedule
from tests.algorithms.schedules import decisions, module_of, planned, problem, run_by
from tests.cpu.native_kernels import memref_type

RANDOM = np.random.default_rng(5)

COLUMNS = ScanSchedule(
    way="columns",
    lanes=8,
    registers=8,
    unroll=False,
    rest=None,
    grain=None,
    rest_grain=None,
)
SQUARES = COLUMNS.replace(way="squares", registers=1)


def sums(*shape: int, axis: int) -> tuple[str, list[np.ndarray]]:
    """Sums of f32 in f64."""
    x = RANDOM.standard_normal(shape, np.float32)
    arrays = [x, np.zeros_like(x)]
    types = ", ".join(map(memref_type, arrays))
    text = f"""
      linalg_ext.scan %a0 into %a1 axis {axis} start [0.0 : f64] {{
      ^bb0(%before: f64, %here: f64):
        %sum = arith.addf %before, %here : f64
        linalg.yield %sum : f64
      }} : ({types}) -> ()"""
    return text, arrays


def maxima(*shape: int, axis: int) -> tuple[str, list[np.ndarray]]:
    """The largest element so far and its place, the last of equal ones."""
    x = RANDOM.integers(-9, 9, shape)
    arrays = [x, np.zeros_like(x), np.zeros_like(x)]
    types = ", ".join(map(memref_type, arrays))
    pairs = "%b: i64, %i: i64, %h: i64, %j: i64"
    text = f"""
      linalg_ext.scan %a0 into %a1, %a2 axis {axis} start [-99 : i64, 0 : i64] {{
      ^bb0({pairs}):
        %less = arith.cmpi sge, %h, %b : i64
        %v = arith.select %less, %h, %b : i64
        %p = arith.select %less, %j, %i : i64
        linalg.yield %v, %p : i64, i64
      }} : ({types}) -> ()"""
    return text, arrays


def sums_of(*shape: int, axis: int, **options: Any) -> ModuleOp:
    text, arrays = sums(*shape, axis=axis)
    return module_of(text, arrays, "scan", **options)


@pytest.mark.parametrize(
    ("shape", "axis", "wanted"),
    [
        ((9, 71), 0, COLUMNS),
        ((5, 7), 0, COLUMNS.replace(unroll=True)),
        # Rows shorter than a vector.
        ((50, 3), 1, COLUMNS.replace(unroll=True)),
        ((24, 103), 1, SQUARES),
        ((27, 103), 1, SQUARES.replace(rest="rows")),
        # Four rows of the rest are too few for a second thread, unless they are long.
        ((700, 301), 1, SQUARES.replace(grain=4, rest="rows")),
        ((7, 20_001), 1, SQUARES.replace(rest="rows", rest_grain=1)),
    ],
)
def test_plan(shape: tuple[int, int], axis: int, wanted: ScanSchedule) -> None:
    assert planned(sums_of(*shape, axis=axis), "scan") == wanted


def test_why() -> None:
    (rows,) = decisions(sums_of(27, 103, axis=1), "scan")
    assert rows.why == "27 rows = 3 x 8 + 3; 2 operations combine two"
    (columns,) = decisions(sums_of(9, 71, axis=0), "scan")
    assert columns.why == "71 columns of 9 elements; 2 operations combine two"


def test_expensive_combinations_take_two_registers() -> None:
    text, arrays = sums(13, 45, axis=1)
    dear = "%e = math.exp %here : f64\n%sum = arith.addf %before, %e : f64"
    text = text.replace("%sum = arith.addf %before, %here : f64", dear)
    module = module_of(text, arrays, "scan")
    wanted = SQUARES.replace(lanes=16, rest="square")
    assert planned(module, "scan") == wanted


def test_a_tuner_keeps_lanes_that_change_digits() -> None:
    assert SQUARES.fixed == {"rest": None}
    assert SQUARES.replace(rest="rows").fixed == {"lanes": 8, "rest": "rows"}


@pytest.mark.parametrize(
    ("shape", "axis", "schedule"),
    [
        ((3, 9, 71), 1, COLUMNS.replace(registers=1)),
        ((3, 9, 71), 1, COLUMNS.replace(lanes=3, registers=5, grain=2)),
        ((3, 9, 71), 1, COLUMNS.replace(unroll=True, registers=32)),
        ((27, 103), 1, COLUMNS),
        ((27, 103), 1, SQUARES.replace(rest="square", grain=1)),
        ((27, 103), 1, SQUARES.replace(rest="rows", lanes=4, rest_grain=2)),
        ((27, 103), 1, SQUARES.replace(rest="rows", lanes=32)),
        ((27, 3), 1, SQUARES.replace(rest="square", lanes=16)),
    ],
)
def test_other_schedules_give_the_same_values(
    shape: tuple[int, ...], axis: int, schedule: ScanSchedule
) -> None:
    text, arrays = sums(*shape, axis=axis)
    _, found = run_by(module_of(text, arrays, "scan"), "scan", schedule, arrays)
    wanted = np.cumsum(arrays[0], axis, np.float64)
    np.testing.assert_allclose(found, wanted, rtol=2e-7, atol=1e-6)

    text, arrays = maxima(*shape, axis=axis)
    module = module_of(text, arrays, "scan")
    _, values, places = run_by(module, "scan", schedule, arrays)
    wanted = np.maximum.accumulate(arrays[0], axis)
    np.testing.assert_array_equal(values, wanted)
    numbers = np.expand_dims(
        np.arange(shape[axis]), [d for d in range(len(shape)) if d != axis]
    )
    is_new = arrays[0] == wanted
    last = np.maximum.accumulate(np.where(is_new, numbers, 0), axis)
    np.testing.assert_array_equal(places, last)


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        (SQUARES.replace(lanes=6), "'lanes' must be a power of two, 2 or more, not 6"),
        (SQUARES.replace(lanes=1), "'lanes' must be a power of two, 2 or more, not 1"),
        (SQUARES, "'rest' must be rows or square: 3 of 27 rows fill no square"),
    ],
)
def test_what_is_not_legal_for_rows(schedule: ScanSchedule, reason: str) -> None:
    assert problem(sums_of(27, 103, axis=1), "scan", schedule) == reason


def test_what_is_not_legal() -> None:
    columns, rows = sums_of(9, 71, axis=0), sums_of(24, 103, axis=1)
    assert problem(columns, "scan", SQUARES) == (
        "'way' must be columns: there are 71 after the axis"
    )
    assert problem(rows, "scan", SQUARES.replace(rest="square")) == (
        "'rest' must be none: 0 of 24 rows fill no square"
    )
    module = module_of(*maxima(9, 71, axis=0), "scan")
    assert problem(module, "scan", COLUMNS.replace(lanes=1, registers=1)) == (
        "'registers': 2 values of a column need more lanes"
    )
