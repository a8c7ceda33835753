"""Rows times picked matrices: what is planned and refused; schedules compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from xdsl.dialects.builtin import ModuleOp

import devproc
from devproc.algorithms.base import Refusal
from tests.algorithms.schedules import (
    decisions,
    module_of,
    planned,
    problem,
    run_by,
)

NAME = "grouped_rows"
MATRICES, COLUMNS, DEPTH = 5, 11, 72
RNG = np.random.default_rng(8)

TEXT = """
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a3 : {y})
  linalg.generic {{
    indexing_maps = [affine_map<(s, n, k) -> (s)>, affine_map<(s, n, k) -> (s, k)>,
      affine_map<(s, n, k) -> (s, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  }} ins(%a0, %a1 : {index}, {x}) outs(%a3 : {y}) {{
  ^bb0(%i: i64, %a: f32, %acc: f32):
    %least = arith.constant 0 : i64
    %most = arith.constant {last} : i64
    %low = arith.maxsi %i, %least : i64
    %high = arith.minsi %low, %most : i64
    %matrix = arith.index_cast %high : i64 to index
    %n = linalg.index 1 : index
    %k = linalg.index 2 : index
    {more}
    %b = memref.load %a2[{place}] : {w}
    %p = arith.mulf %b, %a : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }}"""


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def product(
    rows: int, place: str = "%matrix, %n, %k", more: str = "", **options: Any
) -> tuple[ModuleOp, list[np.ndarray]]:
    """A kernel, and its index, rows, matrices and results."""
    index = RNG.integers(0, MATRICES, rows)
    arrays = [
        index,
        floats(rows, DEPTH),
        floats(MATRICES, COLUMNS, DEPTH),
        floats(rows, COLUMNS),
    ]
    names = ["index", "x", "w", "y"]
    types = {
        name: f"memref<{'x'.join(map(str, a.shape))}x{'i64' if name == 'index' else 'f32'}>"
        for name, a in zip(names, arrays, strict=True)
    }
    text = TEXT.format(**types, place=place, more=more, last=MATRICES - 1)
    return module_of(text, arrays, "reduction", **options), arrays


def check(
    found: np.ndarray, index: np.ndarray, x: np.ndarray, matrices: np.ndarray
) -> None:
    wanted = np.einsum("snk,sk->sn", matrices[index].astype(np.float64), x)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=2e-5)


def test_plan() -> None:
    module, _ = product(40, threads=1)
    assert str(planned(module, NAME)) == (
        "#sched.grouped_rows<lanes = 16, rows = 6, few_rows = 2, columns = 4,"
        " tiles = 151, group = 3, prefetch_columns = no, grain = none>"
    )
    (decision,) = decisions(module, NAME)
    assert decision.why == "40 rows for 5 matrices; tiles of 6 x 4"


@pytest.mark.parametrize("rows", [2, 7])
def test_few_rows_are_refused(rows: int) -> None:
    module, _ = product(rows)
    assert decisions(module, NAME) == [Refusal(f"{rows} rows for 5 matrices are few")]


@pytest.mark.parametrize(
    ("place", "more"),
    [
        # Two rows of one matrix differ.
        ("%matrix, %n, %k", "%row = linalg.index 0 : index"),
        # The index depends on the column.
        ("%other, %n, %k", "%other = arith.addi %matrix, %n : index"),
        # What computes the index has another use.
        ("%matrix, %n, %k", "%other = arith.addi %high, %high : i64"),
        # Terms are not adjacent.
        ("%matrix, %n, %other", "%other = arith.constant 0 : index"),
    ],
)
def test_what_it_does_not_match(place: str, more: str) -> None:
    module, _ = product(40, place, more)
    assert decisions(module, NAME) == []


def test_lanes_that_are_no_blocks_are_refused() -> None:
    module, _ = product(40)
    schedule = planned(module, NAME).replace(lanes=2)
    assert problem(module, NAME, schedule) == "'lanes' must be a multiple of 4"


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"lanes": 4, "columns": 1, "rows": 1, "few_rows": 1},
        {"columns": 2, "rows": 3, "tiles": 1, "group": 2, "grain": 1},
        {"columns": 3, "few_rows": 5, "tiles": 2, "prefetch_columns": True},
        {"lanes": 8, "group": 1, "prefetch_columns": True},
    ],
)
@pytest.mark.parametrize("rows", [17, 129])
def test_changes(changes: dict[str, Any], rows: int) -> None:
    module, arrays = product(rows)
    schedule = planned(module, NAME).replace(**changes)
    *_, found = run_by(module, NAME, schedule, arrays)
    check(found, *arrays[:3])


@pytest.mark.parametrize("bits", [128, 256])
def test_short_vectors(bits: int) -> None:
    module, arrays = product(40, vector_bits=bits)
    *_, found = run_by(module, NAME, planned(module, NAME), arrays)
    check(found, *arrays[:3])


@pytest.mark.parametrize("index", [[4] * 40, [0, 2] * 20, [-3, 9, 1, 3] * 10])
def test_uneven_groups(index: list[int]) -> None:
    """All rows for one matrix, matrices without rows, indices that are clamped; what is not
    finite stays in its row, or with the rows of its matrix."""
    module, arrays = product(40)
    arrays[0][:] = index
    arrays[1][3, 5], arrays[2][2, 7, 1] = np.nan, np.inf
    *_, found = run_by(module, NAME, planned(module, NAME), arrays)
    with np.errstate(invalid="ignore"):
        check(found, np.clip(arrays[0], 0, MATRICES - 1), *arrays[1:3])


class Experts(nn.Module):
    """A gated feed-forward layer of experts, with biases, as transformers computes it."""

    def __init__(self, count: int, width: int, inner: int):
        super().__init__()
        self.count = count
        self.up = nn.Parameter(torch.from_numpy(floats(count, 2 * inner, width)) / 9)
        self.bias = nn.Parameter(torch.from_numpy(floats(count, 2 * inner)))
        self.down = nn.Parameter(torch.from_numpy(floats(count, width, inner)) / 9)

    def forward(self, x: torch.Tensor, expert: torch.Tensor) -> torch.Tensor:
        both = torch.bmm(self.up[expert], x.unsqueeze(-1)).squeeze(-1)
        gate, up = (both + self.bias[expert]).chunk(2, -1)
        inner = nn.functional.silu(gate) * up
        return torch.bmm(self.down[expert], inner.unsqueeze(-1)).squeeze(-1).cumsum(0)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rows", [1, 2, 7, 17, 129])
def test_experts(rows: int, threads: int) -> None:
    model = Experts(6, 96, 56).eval().requires_grad_(False)
    x = torch.from_numpy(floats(rows, 96))
    # An expert has no rows.
    expert = torch.from_numpy(RNG.integers(0, 5, rows))
    exported = torch.export.export(model, (x, expert))
    program = devproc.compile(exported, cache=False, threads=threads)
    assert ("#sched.grouped_rows" in program.ir("schedules")) == (rows > 8)
    wanted = model.double()(x.double(), expert).float()
    torch.testing.assert_close(program(x, expert), wanted, rtol=2e-5, atol=2e-4)
