"""Block floating point: what is planned and refused, and that legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms import algorithm
from devproc.algorithms.base import Refusal
from tests.algorithms.schedules import decisions, kernel_ops, planned, problem, run_by
from tests.cpu.linear_kernels import BRANCHES, linear
from tests.cpu.native_kernels import kernel, memref_type
from tests.cpu.test_block_float import floats, pack, weight_type

NAME = "block_float"
ROWS, DEPTH, COLUMNS = 5, 96, 93


def layer(width: int = 64, terms: int = 48, **options: Any) -> ModuleOp:
    """relu(x w^T + bias + residual); with branches, an epilogue that has no vectors."""
    shapes = [(ROWS, DEPTH), (COLUMNS,), (ROWS, COLUMNS), (ROWS, COLUMNS)]
    x, bias, y, residual = (memref_type(floats(*shape)) for shape in shapes)
    weight = weight_type(floats(COLUMNS, DEPTH), width, terms)
    types = [x, weight, bias, y, residual]
    return kernel("contraction", types, linear(types, ["m"]), **options)


def test_plan() -> None:
    assert str(planned(layer(), NAME)) == (
        "#sched.block_float<weight = #dev.block_float<64, 48>, rows = 5,"
        " accumulators = 8, prefetch_results = [], spread = 2, grain = 1>"
    )


def test_what_it_does_not_take() -> None:
    for module, reason in (
        (layer(32), "a panel of 32 outputs is not 4 vectors of 16"),
        (layer(precision="strict"), "24 bits of a number are not strict"),
    ):
        (decision,) = decisions(module, NAME)
        assert decision == Refusal(reason)


def test_an_epilogue_without_vectors_stays() -> None:
    x, y = memref_type(floats(ROWS, DEPTH)), memref_type(floats(ROWS, COLUMNS))
    weight, bias = weight_type(floats(COLUMNS, DEPTH), 64, 48), f"memref<{COLUMNS}xf32>"
    types = [x, weight, bias, y, y, f"memref<{ROWS}x{COLUMNS}xi32>"]
    module = kernel("contraction", types, linear(types, ["m"], BRANCHES, 5))
    (nest,) = algorithm(NAME).match(kernel_ops(module))
    assert [op.name for op in nest.ops] == ["linalg.fill", "linalg.generic"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rows": 4}, "5 rows are not tiles of 4 or 3"),
        ({"spread": 3}, "must be at most 2"),
        ({"prefetch_results": (1,)}, "numbers of results, of which there are 1"),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    assert reason in str(problem(module, NAME, schedule))


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": 1, "accumulators": 16, "spread": 1},
        {"rows": 3, "grain": 2, "prefetch_results": (0,)},
        {"rows": 5, "accumulators": 1, "spread": 0, "grain": None},
    ],
)
def test_changes_compute_a_layer(changes: dict[str, Any]) -> None:
    x, weight, bias = floats(ROWS, DEPTH), floats(COLUMNS, DEPTH), floats(COLUMNS)
    y, residual = floats(ROWS, COLUMNS), floats(ROWS, COLUMNS)
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    arrays = [x, pack(weight, 64, 48), bias, y, residual]
    found = run_by(module, NAME, schedule, arrays)[3]
    wanted = x.astype(np.float64) @ weight.T + bias + residual
    np.testing.assert_allclose(found, np.maximum(wanted, 0), atol=1e-4)
