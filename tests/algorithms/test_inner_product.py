"""Winograd's inner product: what is planned and refused; legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import InnerProductAttr
from tests.algorithms.schedules import decisions, planned, problem, run_by
from tests.cpu.linear_kernels import linear
from tests.cpu.native_kernels import kernel, memref_type
from tests.cpu.test_inner_product import floats, pack

NAME = "inner_product"
ROWS, DEPTH, COLUMNS = 23, 208, 93


def layer(width: int = 16, terms: int = 192, **options: Any) -> ModuleOp:
    """relu(x w^T + bias + residual)."""
    shapes = [(ROWS, DEPTH), (COLUMNS,), (ROWS, COLUMNS), (ROWS, COLUMNS)]
    x, bias, y, residual = (memref_type(floats(*shape)) for shape in shapes)
    _, weight = pack(floats(COLUMNS, DEPTH), width, terms)
    types = [x, weight, bias, y, residual]
    return kernel("contraction", types, linear(types, ["m"]), **options)


def test_plan() -> None:
    module = layer()
    assert str(planned(module, NAME)) == (
        "#sched.inner_product<weight = #dev.inner_product<16, 192>, rows = 8,"
        " plain_rows = 4, scale_rows = 8, tiles = 1, group = 6, prefetch_panel = no,"
        " prefetch_results = [], grain = 1>"
    )
    (decision,) = decisions(module, NAME)
    assert decision.why == (
        "23 rows, blocks 3 x 1 x 8; 6 panels, groups 1 x 6; 8 sums fit 32 registers"
    )


def test_threads_change_no_digits() -> None:
    one, many = (planned(layer(threads=threads), NAME) for threads in (1, 8))
    assert one != many
    assert one.fixed == many.fixed


def test_what_it_does_not_take() -> None:
    for module, reason in (
        (layer(precision="strict"), "sums of pairs are not strict"),
        (layer(8), "panels of 8 columns are no vectors of 16"),
        (layer(16, 72), "blocks of 72 terms are no 3 parts of whole vectors of 16"),
    ):
        assert decisions(module, NAME) == [Refusal(reason)]


def test_lines_that_are_no_vectors() -> None:
    rows, depth = 8, 200
    shapes = [(rows, depth), (64,), (rows, 64), (rows, 64)]
    x, bias, y, residual = (memref_type(floats(*shape)) for shape in shapes)
    _, weight = pack(floats(64, depth), 16, 96)
    types = [x, weight, bias, y, residual]
    module = kernel("contraction", types, linear(types, ["m"]))
    reason = "lines of 200 terms are no whole vectors of 16"
    assert decisions(module, NAME) == [Refusal(reason)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"prefetch_results": (1,)}, "there are 1 results of several rows"),
        ({"tiles": 200}, "bytes of scratch memory, of 1048576 at most"),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    assert reason in str(problem(module, NAME, schedule))


def test_another_weight() -> None:
    other = planned(layer(), NAME).replace(weight=InnerProductAttr.get(16, 96))
    assert problem(layer(), NAME, other) == (
        "'weight' must be that of its memory, #dev.inner_product<16, 192>"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rows": 6, "plain_rows": 3, "scale_rows": 4, "tiles": 2, "group": 1},
        {"rows": 1, "plain_rows": 1, "scale_rows": 1, "tiles": 40, "group": 4},
        {"prefetch_panel": True, "prefetch_results": (0,), "group": 9, "grain": None},
    ],
)
def test_changes_compute_a_layer(changes: dict[str, Any]) -> None:
    """Also where a row is too uneven for pairs."""
    x, weight, bias = floats(ROWS, DEPTH), floats(COLUMNS, DEPTH), floats(COLUMNS)
    x[3, 10] = 1e4
    y, residual = floats(ROWS, COLUMNS), floats(ROWS, COLUMNS)
    exact = x.astype(np.float64) @ weight.T.astype(np.float64) + bias + residual
    stored, _ = pack(weight, 16, 192)
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    *_, found, _ = run_by(module, NAME, schedule, [x, stored, bias, y, residual])
    np.testing.assert_allclose(found, np.maximum(exact, 0), rtol=1e-4, atol=2e-3)
