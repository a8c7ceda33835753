"""Register tiles: what is planned, what is refused, and that legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.algorithms.schedules import module_of, planned, problem, run_by
from tests.cpu.linear_kernels import MULTIPLY_ADD, linear
from tests.cpu.native_kernels import generic, kernel, memref_type

RNG = np.random.default_rng(5)
ROWS, DEPTH, COLUMNS, WIDTH = 49, 150, 100, 48
NAME = "register_tile"


def floats(*shape: int, dtype: str = "float32") -> np.ndarray:
    return RNG.standard_normal(shape).astype(dtype)


def panels(matrix: np.ndarray, width: int) -> np.ndarray:
    """A matrix (n, k) in panels of n: (panel, k, n)."""
    filled = np.pad(matrix, ((0, -len(matrix) % width), (0, 0)))
    parts = filled.reshape(-1, width, matrix.shape[1])
    return np.ascontiguousarray(parts.transpose(0, 2, 1))


def packed_type(matrix: np.ndarray, width: int) -> str:
    n, k = matrix.shape
    return f'memref<{n}x{k}xf32, #dev.on<"cpu", #dev.layout<[0, 1], [{width}, 1]>>>'


def layer(**options: Any) -> ModuleOp:
    """relu(x w^T + bias + residual), with the weight in panels."""
    shapes = [(ROWS, DEPTH), (COLUMNS,), (ROWS, COLUMNS), (ROWS, COLUMNS)]
    x, bias, y, residual = (memref_type(floats(*shape)) for shape in shapes)
    types = [x, packed_type(floats(COLUMNS, DEPTH), WIDTH), bias, y, residual]
    return kernel("contraction", types, linear(types, ["m"]), **options)


def product(
    maps: list[str], kinds: str, shapes: list[tuple[int, ...]], family: str, loops: str
) -> ModuleOp:
    """A sum of products from zero, of row-major float32."""
    arrays = [np.zeros(shape, np.float32) for shape in shapes]
    types = [memref_type(array) for array in arrays]
    names = [{"p": "parallel", "r": "reduction"}[kind] for kind in kinds]
    text = (
        "%zero = arith.constant 0.0 : f32\n"
        f"linalg.fill ins(%zero : f32) outs(%a2 : {types[2]})\n"
        + generic(maps, names, types, 2, MULTIPLY_ADD, loops)
    )
    return module_of(text, arrays, family)


def batch() -> ModuleOp:
    maps = ["b, m, k", "b, k, n", "b, m, n"]
    shapes = [(3, 13, 37), (3, 37, 29), (3, 13, 29)]
    return product(maps, "pppr", shapes, "contraction", "b, m, n, k")


def window(lines: int = 9, pixels: int = 11, channels: int = 8) -> ModuleOp:
    """A convolution 3 x 3 with channels last."""
    maps = ["n, h + p, w + q, c", "p, q, c, o", "n, h, w, o"]
    sizes = [(2, lines + 2, pixels + 2, channels), (3, 3, channels, 37)]
    shapes = [*sizes, (2, lines, pixels, 37)]
    return product(maps, "pppprrr", shapes, "window", "n, h, w, o, p, q, c")


def test_plans() -> None:
    assert str(planned(layer(), NAME)) == (
        "#sched.register_tile<weight = #dev.layout<[0, 1], [48, 1]>, rows = 7,"
        " vectors = 3, order = panels, cut = none, block = 64, accumulators = 8,"
        " prefetch_panel = no, prefetch_results = [], spread = 2, grain = 1>"
    )
    assert str(planned(batch(), NAME)) == (
        "#sched.register_tile<weight = none, rows = 7, vectors = 2, order = panels,"
        " cut = none, block = 64, accumulators = 8, prefetch_panel = no,"
        " prefetch_results = [], spread = 3, grain = 1>"
    )
    assert str(planned(window(), NAME)) == (
        "#sched.register_tile<weight = none, rows = 6, vectors = 3, order = rows,"
        " cut = none, block = 64, accumulators = 8, prefetch_panel = no,"
        " prefetch_results = [], spread = 3, grain = 1>"
    )


def test_threads_change_no_digits() -> None:
    one, two = (planned(layer(threads=n), NAME) for n in (1, 2))
    assert one == two.replace(spread=0, grain=None)
    assert one.fixed == two.fixed


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"weight": None}, "must be that of its memory, #dev.layout<[0, 1], [48, 1]>"),
        ({"vectors": 2}, "must make up a panel of 48 columns, of 16 each"),
        ({"rows": 30}, "49 rows are not tiles of 30 or 29"),
        ({"cut": (1, 2)}, "must be at a place below 1"),
        ({"spread": 3, "grain": 1}, "must be at most 2"),
        ({"prefetch_results": (1,)}, "numbers of results, of which there are 1"),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    assert reason in str(problem(module, NAME, schedule))


def test_refusals_without_panels() -> None:
    module = batch()
    schedule = planned(module, NAME).replace(prefetch_panel=True)
    assert "needs packed columns" in str(problem(module, NAME, schedule))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rows": 10, "block": 7},
        {"rows": 1, "accumulators": 64, "spread": 1},
        {"rows": 25, "spread": 0, "grain": None},
        {"order": "rows", "spread": 1, "prefetch_panel": True},
        {"cut": (0, 3), "prefetch_panel": True, "prefetch_results": (0,), "grain": 2},
    ],
)
def test_changes_compute_a_layer(changes: dict[str, Any]) -> None:
    x, weight, bias = floats(ROWS, DEPTH), floats(COLUMNS, DEPTH), floats(COLUMNS)
    y, residual = floats(ROWS, COLUMNS), floats(ROWS, COLUMNS)
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    arrays = [x, panels(weight, WIDTH), bias, y, residual]
    found = run_by(module, NAME, schedule, arrays)[3]
    wanted = x.astype(np.float64) @ weight.T + bias + residual
    np.testing.assert_allclose(found, np.maximum(wanted, 0), atol=1e-4)


@pytest.mark.parametrize(
    "changes",
    [
        {"vectors": 4, "rows": 5},
        {"vectors": 1, "rows": 1, "block": 10, "order": "rows"},
        {"cut": (0, 4), "rows": 3, "spread": 2, "grain": 1},
    ],
)
def test_changes_compute_a_batch(changes: dict[str, Any]) -> None:
    x, y = floats(3, 13, 37), floats(3, 37, 29)
    module = batch()
    schedule = planned(module, NAME).replace(**changes)
    found = run_by(module, NAME, schedule, [x, y, floats(3, 13, 29)])[2]
    np.testing.assert_allclose(found, x.astype(np.float64) @ y, atol=1e-4)


@pytest.mark.parametrize(
    "changes",
    [
        {"order": "panels", "cut": (1, 4), "rows": 4, "spread": 3},
        {"order": "panels", "cut": (0, 2), "vectors": 2, "block": 24, "spread": 1},
        {"block": 3, "rows": 11, "vectors": 1, "spread": 4},
    ],
)
def test_changes_compute_a_window(changes: dict[str, Any]) -> None:
    image, filters = floats(2, 11, 13, 8), floats(3, 3, 8, 37)
    module = window()
    schedule = planned(module, NAME).replace(**changes)
    found = run_by(module, NAME, schedule, [image, filters, floats(2, 9, 11, 37)])[2]
    parts = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (1, 2))
    wanted = np.einsum("nhwcpq,pqco->nhwo", parts.astype(np.float64), filters)
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def packed_rows() -> ModuleOp:
    """w x with the rows of w in panels."""
    types = [packed_type(floats(45, 67), 16), *map(memref_type, packed_arrays()[1:])]
    text = (
        "%zero = arith.constant 0.0 : f32\n"
        f"linalg.fill ins(%zero : f32) outs(%a2 : {types[2]})\n"
        + generic(
            ["m, k", "k, n", "m, n"],
            ["parallel", "parallel", "reduction"],
            ["memref<45x67xf32>", *types[1:]],
            2,
            MULTIPLY_ADD,
            "m, n, k",
        ).replace("memref<45x67xf32>", types[0])
    )
    return kernel("contraction", types, text)


def packed_arrays() -> list[np.ndarray]:
    return [floats(45, 67), floats(67, 29), floats(45, 29)]


def test_packed_rows() -> None:
    module, (weight, x, y) = packed_rows(), packed_arrays()
    schedule = planned(module, NAME)
    assert schedule.values["rows"] == 8
    wrong = schedule.replace(rows=6)
    assert "must divide a panel of 16 rows" in str(problem(module, NAME, wrong))
    changed = schedule.replace(rows=4, vectors=1, spread=1, grain=1)
    found = run_by(module, NAME, changed, [panels(weight, 16), x, y])[2]
    np.testing.assert_allclose(found, weight.astype(np.float64) @ x, atol=1e-4)
