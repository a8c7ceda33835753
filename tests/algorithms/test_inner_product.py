"""Winograd's inner product: what is planned and refused; legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms.base import Choice, Refusal
from devproc.dialects.dev import InnerProductAttr
from devproc.dialects.sched import InnerProductSchedule
from devproc.targets.cpu.algorithms.inner_product.layout import slices_of
from tests.algorithms.schedules import decisions, planned, problem, run_by
from tests.cpu.linear_kernels import linear
from tests.cpu.native_kernels import kernel, memref_type
from tests.cpu.test_inner_product import floats, pack

NAME = "inner_product"
ROWS, DEPTH, COLUMNS = 23, 208, 93
LONG, SLICES = 4 * 208, 4


def layer(
    width: int = 16,
    terms: int = 192,
    slices: int = 1,
    depth: int = DEPTH,
    rows: int = ROWS,
    **options: Any,
) -> ModuleOp:
    """relu(x w^T + bias + residual)."""
    shapes = [(rows, depth), (COLUMNS,), (rows, COLUMNS), (rows, COLUMNS)]
    x, bias, y, residual = (memref_type(floats(*shape)) for shape in shapes)
    _, weight = pack(floats(COLUMNS, depth), width, terms, slices)
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


def test_plan_of_slices() -> None:
    """The sums of a group of panels and the copy of the rows fit a cache."""
    (decision,) = decisions(layer(16, 192, 5, 4800, rows=512), NAME)
    assert isinstance(decision, Choice)
    schedule = decision.schedule
    assert isinstance(schedule, InnerProductSchedule)
    block = schedule.tiles * schedule.rows
    assert 4 * 960 * block <= 512 * 1024
    assert 4 * 16 * block * schedule.group <= 384 * 1024
    assert decision.why.endswith("; 5 slices of 960 terms")


@pytest.mark.parametrize(
    ("depth", "slices"),
    [(768, 1), (3072, 1), (4096, 4), (4864, 8), (5632, 8), (25088, 28), (16 * 257, 1)],
)
def test_slices_of_a_layer(depth: int, slices: int) -> None:
    """The fewest of at most 1024 terms, if a long sum has such."""
    assert slices_of(depth, 16) == slices


def test_threads_change_no_digits() -> None:
    one, many = (planned(layer(threads=threads), NAME) for threads in (1, 8))
    assert one != many
    assert one.fixed == many.fixed


def test_what_it_does_not_take() -> None:
    for module, reason in (
        (layer(precision="strict"), "sums of pairs are not strict"),
        (layer(8), "panels of 8 columns are no vectors of 16"),
        (layer(16, 72), "blocks of 72 terms are no 3 parts of whole vectors of 16"),
        (layer(16, 48, 2), "slices of 104 terms are no whole vectors of 16"),
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


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"prefetch_results": (0,)}, "results follow the last slice of terms"),
        ({"tiles": 50, "group": 500}, "bytes of scratch memory, of 1048576 at most"),
    ],
)
def test_refusals_of_slices(changes: dict[str, Any], reason: str) -> None:
    module = layer(slices=SLICES, depth=LONG)
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
    check(DEPTH, 1, changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"prefetch_panel": False},
        {"prefetch_panel": True},
        {"rows": 6, "plain_rows": 3, "scale_rows": 4, "tiles": 2, "group": 4},
        {"rows": 1, "plain_rows": 1, "scale_rows": 1, "tiles": 23, "group": 1},
        {"tiles": 2, "group": 5, "grain": 1},
    ],
)
def test_changes_compute_slices(changes: dict[str, Any]) -> None:
    """Sums of several slices, each with terms after its last block."""
    check(LONG, SLICES, changes)


def check(depth: int, slices: int, changes: dict[str, Any]) -> None:
    """A changed schedule computes what NumPy computes in float64."""
    x, weight, bias = floats(ROWS, depth), floats(COLUMNS, depth), floats(COLUMNS)
    x[3, 10], x[5], x[7, :208] = 1e4, 0, 1e-20
    weight[4, :208], weight[6, 300 % depth] = 0, 1e4
    y, residual = floats(ROWS, COLUMNS), floats(ROWS, COLUMNS)
    exact = x.astype(np.float64) @ weight.T.astype(np.float64) + bias + residual
    stored, _ = pack(weight, 16, 192, slices)
    module = layer(slices=slices, depth=depth)
    schedule = planned(module, NAME).replace(**changes)
    *_, found, _ = run_by(module, NAME, schedule, [x, stored, bias, y, residual])
    wanted = np.maximum(exact, 0)
    size = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(weight, axis=1)
    assert (np.abs(found - wanted) <= 1e-6 * size + 1e-4).all()


def test_what_is_not_finite_in_a_slice() -> None:
    """It stays in its row or column."""
    x, weight = floats(ROWS, LONG), floats(COLUMNS, LONG)
    x[2, 250], x[9, 800], weight[11, 420] = np.nan, np.inf, np.inf
    bias, y = np.zeros(COLUMNS, np.float32), floats(ROWS, COLUMNS)
    residual = np.zeros_like(y)
    with np.errstate(invalid="ignore"):
        exact = x.astype(np.float64) @ weight.T.astype(np.float64)
    stored, _ = pack(weight, 16, 192, SLICES)
    module = layer(slices=SLICES, depth=LONG)
    schedule = planned(module, NAME)
    *_, found, _ = run_by(module, NAME, schedule, [x, stored, bias, y, residual])
    wanted = np.where(exact > 0, exact, np.where(np.isnan(exact), exact, 0))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-3)
