"""Strassen: what is planned and refused, and that legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import StrassenAttr
from tests.algorithms.schedules import decisions, planned, problem, run_by
from tests.cpu.linear_kernels import linear
from tests.cpu.native_kernels import kernel, memref_type
from tests.cpu.test_strassen import floats, pack

NAME = "strassen"
ROWS, DEPTH, COLUMNS = 33, 1024, 192


def layer(width: int = 48, **options: Any) -> ModuleOp:
    """relu(x w^T + bias + residual)."""
    shapes = [(ROWS, DEPTH), (COLUMNS,), (ROWS, COLUMNS), (ROWS, COLUMNS)]
    x, bias, y, residual = (memref_type(floats(*shape)) for shape in shapes)
    _, weight = pack(floats(COLUMNS, DEPTH), width)
    types = [x, weight, bias, y, residual]
    return kernel("contraction", types, linear(types, ["m"]), **options)


def test_plan() -> None:
    module = layer()
    assert str(planned(module, NAME)) == (
        "#sched.strassen<weight = #dev.strassen<48>, block = 17, rows = 6, slice = 256,"
        " group = 1, grain = 1>"
    )
    (decision,) = decisions(module, NAME)
    assert decision.why == (
        "33 rows, blocks 1 x 2 x 17, rows 2 x 6 + 1 x 5; 1024 terms, slices of 256;"
        " groups 2 x 1"
    )


def test_threads_change_no_digits() -> None:
    one, many = (planned(layer(threads=threads), NAME) for threads in (1, 8))
    assert one != many
    assert one.fixed == many.fixed


def test_what_it_does_not_take() -> None:
    for module, reason in (
        (layer(precision="strict"), "sums of blocks are not strict"),
        (layer(24), "panels of 24 columns are no whole vectors of 16"),
    ):
        assert decisions(module, NAME) == [Refusal(reason)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rows": 10}, "a block of 17 rows is not tiles of 10 or 9"),
        ({"slice": 24}, "'slice' must be whole vectors of 16"),
        ({"slice": 48}, "'slice' must divide 512, half of the terms"),
        ({"group": 4}, "'group' must divide the 2 panels"),
        ({"block": 800, "rows": 8}, "bytes of scratch memory, of 1048576 at most"),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    assert reason in str(problem(module, NAME, schedule))


def test_another_weight() -> None:
    other = planned(layer(), NAME).replace(weight=StrassenAttr.get(96))
    assert problem(layer(), NAME, other) == (
        "'weight' must be that of its memory, #dev.strassen<48>"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"block": 8, "rows": 8, "group": 2},
        {"block": 20, "rows": 5, "slice": 512, "grain": None},
        {"block": 5, "rows": 1, "slice": 16},
    ],
)
def test_changes_compute_a_layer(changes: dict[str, Any]) -> None:
    x, weight, bias = floats(ROWS, DEPTH), floats(COLUMNS, DEPTH), floats(COLUMNS)
    y, residual = floats(ROWS, COLUMNS), floats(ROWS, COLUMNS)
    exact = x.astype(np.float64) @ weight.T.astype(np.float64) + bias + residual
    stored, _ = pack(weight, 48)
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    *_, found, _ = run_by(module, NAME, schedule, [x, stored, bias, y, residual])
    np.testing.assert_allclose(found, np.maximum(exact, 0), rtol=1e-4, atol=1e-3)
