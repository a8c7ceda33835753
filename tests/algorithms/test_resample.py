"""Resampling: rows or columns of odd sizes, and other schedules beside NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.sched import ResampleSchedule
from tests.algorithms.schedules import decisions, module_of, planned, problem, run_by
from tests.cpu.native_kernels import ELEMENTS, memref_type

RANDOM = np.random.default_rng(5)
WIDTH = 3

ROWS = ResampleSchedule(way="rows", vectors=4, pairs=False, grain=None)
COLUMNS = ResampleSchedule(way="columns", vectors=1, pairs=False, grain=None)


def resampling(
    shape: Sequence[int],
    axis: int,
    count: int,
    taps: str = "int32",
    element: str = "uint8",
    listed: int = 0,
) -> tuple[str, list[np.ndarray]]:
    """Sums of three neighbours along an axis; `listed`: rows that a list selects."""
    total = "float32" if element == "float32" else "int32"
    x = RANDOM.integers(0, 256, shape).astype(element)
    first = RANDOM.integers(0, shape[axis] - WIDTH + 1, count).astype(np.int32)
    table = RANDOM.integers(-99, 99, (count, WIDTH)).astype(taps)
    target = [count if d == axis else n for d, n in enumerate(shape)]
    inputs = [first, table]
    if listed:
        target[0] = listed
        inputs.append(RANDOM.integers(0, shape[0], listed).astype(np.int32))
    arrays = [*inputs, x, np.zeros(target, total)]
    loops = [f"d{d}" for d in range(len(shape))]
    maps = [f"d{axis}", f"d{axis}, t", *(["d0"] if listed else []), ", ".join(loops)]
    affine = ", ".join(f"affine_map<({', '.join(loops)}, t) -> ({m})>" for m in maps)
    kinds = ", ".join(['"parallel"'] * len(shape) + ['"reduction"'])
    types = [memref_type(a) for a in arrays]
    names = [f"%a{n}" for n in range(len(arrays))]
    number, out = len(inputs), ELEMENTS[total]
    block = [
        "%start: i32",
        f"%tap: {ELEMENTS[taps]}",
        *(["%list: i32"] if listed else []),
    ]
    index = [f"%l{d}" for d in range(len(shape))]
    index[axis] = "%at"
    body = ["%i = arith.index_cast %start : i32 to index"]
    body += [
        f"%t = linalg.index {len(shape)} : index",
        "%at = arith.addi %i, %t : index",
    ]
    body += [f"%l{d} = linalg.index {d} : index" for d in range(len(shape))]
    if listed:
        body += ["%row = arith.index_cast %list : i32 to index"]
        index[0] = "%row"
    body += [f"%p = memref.load {names[-2]}[{', '.join(index)}] : {types[-2]}"]
    if element == "float32":
        body += ["%m = arith.mulf %p, %tap : f32", "%s = arith.addf %total, %m : f32"]
    else:
        wide = "%k = arith.extsi %tap : i16 to i32" if taps == "int16" else ""
        factor = "%k" if taps == "int16" else "%tap"
        body += [wide, "%w = arith.extui %p : i8 to i32"]
        body += [
            f"%m = arith.muli %w, {factor} : i32",
            "%s = arith.addi %total, %m : i32",
        ]
    zero = "0.0" if element == "float32" else "0"
    lines = "\n        ".join(body)
    text = f"""
      %zero = arith.constant {zero} : {out}
      linalg.fill ins(%zero : {out}) outs({names[-1]} : {types[-1]})
      linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
        ins({", ".join(names[:number])} : {", ".join(types[:number])})
        outs({names[-1]} : {types[-1]}) {{
      ^bb0({", ".join(block)}, %total: {out}):
        {lines}
        linalg.yield %s : {out}
      }}"""
    return text, arrays


def weighted(arrays: Sequence[np.ndarray], axis: int) -> np.ndarray:
    first, taps, *rows, x, _ = arrays
    x = x.astype(np.float64)
    x = x[rows[0]] if rows else x
    lines = np.moveaxis(x, axis, 0)
    sums = [
        np.tensordot(t, lines[f : f + WIDTH], 1)
        for f, t in zip(first, taps, strict=True)
    ]
    return np.moveaxis(np.array(sums), 0, axis)


def module(*arguments: Any, **options: Any) -> ModuleOp:
    text, arrays = resampling(*arguments, **options)
    return module_of(text, arrays, "gather")


@pytest.mark.parametrize(
    ("arguments", "schedule"),
    [
        (((9, 22, 3), 0, 5), ROWS.replace(vectors=1)),
        (((9, 22, 3), 0, 5), ROWS.replace(vectors=7, grain=2)),
        (((2, 9, 5), 1, 4, "float32", "float32"), ROWS.replace(grain=3)),
        (((7, 22, 3), 1, 5), ROWS.replace(vectors=2)),
        (((5, 9), 1, 4, "float32", "float32"), ROWS),
        (((7, 22, 3), 1, 5, "int16"), COLUMNS),
        (((7, 22, 3), 1, 5, "int16"), COLUMNS.replace(pairs=True, grain=1)),
        (((6, 22, 4), 1, 5, "int32", "uint8", 7), COLUMNS),
    ],
)
def test_other_schedules_give_the_same_sums(
    arguments: tuple[Any, ...], schedule: ResampleSchedule
) -> None:
    text, arrays = resampling(*arguments)
    kernel = module_of(text, arrays, "gather")
    *_, found = run_by(kernel, "resample", schedule, arrays)
    np.testing.assert_allclose(
        found, weighted(arrays, arguments[1]), rtol=1e-6, atol=1e-2
    )


def test_plan() -> None:
    assert planned(module((9, 22, 3), 0, 5), "resample") == ROWS
    assert planned(module((99, 122, 3), 0, 51), "resample") == ROWS.replace(grain=2)
    assert planned(module((7, 22, 3), 1, 5), "resample") == COLUMNS
    pairs = module((7, 22, 3), 1, 5, taps="int16")
    assert planned(pairs, "resample") == COLUMNS.replace(pairs=True)


def test_why() -> None:
    (rows,) = decisions(module((9, 22, 3), 0, 5), "resample")
    assert rows.why == "66 neighbours have the same 3 taps"
    (columns,) = decisions(module((7, 22, 3), 1, 5), "resample")
    assert columns.why == "pixels of 3 bytes, 4 of 7 rows at a time"
    (few,) = decisions(module((3, 22, 3), 1, 5), "resample")
    assert few.why == "3 neighbours have the same taps, not 8"
    (listed,) = decisions(module((3, 22, 3), 1, 5, listed=2), "resample")
    assert listed.why == "its rows are selected by a list"


@pytest.mark.parametrize(
    ("arguments", "schedule", "reason"),
    [
        (
            ((9, 22, 5), 1, 5),
            COLUMNS,
            "'way' must be rows: pixels have 5 channels, not 3 or 4",
        ),
        (
            ((3, 22, 3), 1, 5),
            COLUMNS,
            "'way' must be rows: there are 3 rows, fewer than 4",
        ),
        (
            ((9, 22, 3), 1, 5, "float32", "float32"),
            COLUMNS,
            "'way' must be rows: elements are no integers of 8 bits that are summed in 32",
        ),
        (
            ((9, 22, 3), 1, 5),
            COLUMNS.replace(pairs=True),
            "'pairs' must be no: taps are no integers of 16 bits",
        ),
        (
            ((6, 22, 4), 1, 5, "int32", "uint8", 7),
            ROWS,
            "'way' must be columns: a list selects the rows",
        ),
    ],
)
def test_what_is_not_legal(
    arguments: tuple[Any, ...], schedule: ResampleSchedule, reason: str
) -> None:
    assert problem(module(*arguments), "resample", schedule) == reason
