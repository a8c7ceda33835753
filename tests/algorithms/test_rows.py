"""Row chains: what is planned, what is refused, and that legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms.base import Refusal
from tests.algorithms.schedules import decisions, module_of, planned, problem, run_by
from tests.cpu.native_kernels import generic, memref_type

RNG = np.random.default_rng(7)
ROWS, COLUMNS = 5, 301


def softmax_arrays() -> list[np.ndarray]:
    x = RNG.standard_normal((ROWS, COLUMNS)).astype(np.float32)
    row, whole = np.zeros(ROWS, np.float32), np.zeros_like(x)
    return [x, row, whole, row.copy(), whole.copy()]


def softmax(**options: Any) -> ModuleOp:
    """Three passes: the largest; the exponentials and their sum; the quotients."""
    arrays = softmax_arrays()
    types = [memref_type(a) for a in arrays]
    whole, row = "i, j", "i"

    def op(n: list[int], inputs: int, kinds: str, body: str) -> str:
        text = generic(
            [row if i in (1, 3) else whole for i in n],
            [{"p": "parallel", "r": "reduction"}[k] for k in kinds],
            [types[i] for i in n], inputs, body, "i, j",
        )  # fmt: skip
        for place, number in reversed(list(enumerate(n))):
            text = text.replace(f"%a{place} ", f"%a#{number} ")
            text = text.replace(f"%a{place},", f"%a#{number},")
        return text.replace("#", "")

    text = (
        "%low = arith.constant 0xFF800000 : f32\n%zero = arith.constant 0.0 : f32\n"
        f"linalg.fill ins(%low : f32) outs(%a1 : {types[1]})\n"
        + op([0, 1], 1, "pr", "%r = arith.maximumf %y0, %x0 : f32")
        + op(
            [0, 1, 2], 2, "pp",
            "%d = arith.subf %x0, %x1 : f32\n%r = math.exp %d : f32",
        )
        + f"\nlinalg.fill ins(%zero : f32) outs(%a3 : {types[3]})\n"
        + op([2, 3], 1, "pr", "%r = arith.addf %y0, %x0 : f32")
        + op([2, 3, 4], 2, "pp", "%r = arith.divf %x0, %x1 : f32")
    )  # fmt: skip
    return module_of(text, arrays, "reduction", **options)


def sums(columns: int, dtype: str = "float32", **options: Any) -> ModuleOp:
    arrays = [np.zeros((ROWS, columns), dtype), np.zeros(ROWS, dtype)]
    types = [memref_type(a) for a in arrays]
    element = {"float32": "f32", "float64": "f64"}[dtype]
    body = f"%r = arith.addf %y0, %x0 : {element}"
    text = (
        f"%zero = arith.constant 0.0 : {element}\n"
        f"linalg.fill ins(%zero : {element}) outs(%a1 : {types[1]})\n"
        + generic(["i, j", "i"], ["parallel", "reduction"], types, 1, body, "i, j")
    )
    return module_of(text, arrays, "reduction", **options)


def test_plans() -> None:
    assert str(planned(softmax(), "rows")) == (
        "#sched.rows<lanes = 16, vectors = [4, 2, 4], block = none, grain = none>"
    )
    assert str(planned(sums(7), "rows")) == (
        "#sched.rows<lanes = 16, vectors = [1], block = none, grain = none>"
    )
    assert str(planned(sums(40001, "float64"), "rows")) == (
        "#sched.rows<lanes = 8, vectors = [4], block = 128, grain = 1>"
    )


def test_threads_change_the_grain_alone() -> None:
    one, two = (planned(sums(40001, threads=n), "rows") for n in (1, 2))
    assert one == two.replace(grain=None)
    assert two.values["grain"] == 1


def test_rows_of_a_table_run_along_the_results() -> None:
    """A sum of rows that are looked up reads each along its columns."""
    arrays = [np.zeros((3, 4), np.int64), np.zeros((3, 37), np.float32)]
    types = [memref_type(a) for a in (*arrays, np.zeros((9, 37), np.float32))]
    body = """%n = arith.index_cast %x0 : i64 to index
        %j = linalg.index 1 : index
        %e = memref.load %a2[%n, %j] : memref<9x37xf32>
        %r = arith.addf %y0, %e : f32"""
    kinds = ["parallel", "parallel", "reduction"]
    text = (
        "%zero = arith.constant 0.0 : f32\n"
        f"linalg.fill ins(%zero : f32) outs(%a1 : {types[1]})\n"
        + generic(["i, k", "i, j"], kinds, types[:2], 1, body, "i, j, k")
    )
    table = np.zeros((9, 37), np.float32)
    module = module_of(text, [*arrays, table], "reduction")
    (decision,) = decisions(module, "rows")
    assert isinstance(decision, Refusal)
    assert "contiguous along its results" in decision.why


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"vectors": (4, 2)}, "must have 3 numbers"),
        ({"lanes": 12}, "power of two, 2 to 64"),
        ({"lanes": 128}, "power of two, 2 to 64"),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    module = softmax()
    schedule = planned(module, "rows").replace(**changes)
    assert reason in str(problem(module, "rows", schedule))


@pytest.mark.parametrize(
    "changes",
    [
        {"vectors": (1, 1, 1)},
        {"vectors": (3, 7, 30)},
        {"lanes": 2, "block": 3},
        {"lanes": 4, "vectors": (2, 1, 1), "grain": 2},
        {"lanes": 64, "grain": 5},
    ],
)
def test_changes_compute_a_softmax(changes: dict[str, Any]) -> None:
    arrays, module = softmax_arrays(), softmax()
    schedule = planned(module, "rows").replace(**changes)
    x = arrays[0].astype(np.float64)
    wanted = np.exp(x - x.max(1, keepdims=True))
    wanted /= wanted.sum(1, keepdims=True)
    np.testing.assert_allclose(
        run_by(module, "rows", schedule, arrays)[4], wanted, rtol=2e-6
    )


@pytest.mark.parametrize("block", [None, 1, 5, 100])
def test_blocks_compute_sums(block: int | None) -> None:
    module = sums(1009)
    x = RNG.standard_normal((ROWS, 1009)).astype(np.float32)
    schedule = planned(module, "rows").replace(block=block, vectors=(2,), lanes=4)
    found = run_by(module, "rows", schedule, [x, np.zeros(ROWS, np.float32)])[1]
    np.testing.assert_allclose(found, x.sum(1, dtype=np.float64), atol=2e-4)


def test_an_arg_extreme_takes_one_vector() -> None:
    arrays = [
        np.zeros((ROWS, 67), np.float32),
        np.zeros(ROWS, np.float32),
        np.zeros(ROWS, np.int64),
    ]
    types = [memref_type(a) for a in arrays]
    body = """%better = arith.cmpf ogt, %x0, %y0 : f32
        %j = linalg.index 1 : index
        %n = arith.index_cast %j : index to i64
        %v = arith.select %better, %x0, %y0 : f32
        %r = arith.select %better, %n, %y1 : i64"""
    text = (
        "%low = arith.constant 0xFF800000 : f32\n%zero = arith.constant 0 : i64\n"
        f"linalg.fill ins(%low : f32) outs(%a1 : {types[1]})\n"
        f"linalg.fill ins(%zero : i64) outs(%a2 : {types[2]})\n"
        + generic(
            ["i, j", "i", "i"], ["parallel", "reduction"], types, 1, body, "i, j"
        ).replace("linalg.yield %r : i64", "linalg.yield %v, %r : f32, i64")
    )
    module = module_of(text, arrays, "reduction")
    schedule = planned(module, "rows")
    wider = schedule.replace(vectors=(2,))
    assert "takes one vector" in str(problem(module, "rows", wider))
    arrays[0] = RNG.permutation(ROWS * 67).reshape(ROWS, 67).astype(np.float32)
    found = run_by(module, "rows", schedule.replace(lanes=4), arrays)[2]
    np.testing.assert_array_equal(found, arrays[0].argmax(1))
