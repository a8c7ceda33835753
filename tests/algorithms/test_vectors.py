"""Vectors along results: what is planned, refused, and that legal changes are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms import algorithm
from devproc.algorithms.base import Refusal
from devproc.algorithms.choosing import choose, nest_for
from devproc.dialects.dev import target_of
from tests.algorithms.schedules import (
    kernel_ops,
    mark_of,
    module_of,
    planned,
    problem,
    run_by,
)
from tests.cpu.native_kernels import generic, memref_type

RNG = np.random.default_rng(11)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


ADD = [floats(9, 37), floats(9), floats(9, 37)]
TRANSPOSE = [floats(5, 37, 19), floats(5, 19, 37)]
SUMS = [floats(300, 43), np.zeros(43, np.float32)]
PICK = [floats(4, 5, 12), RNG.integers(0, 5, 33), np.zeros((4, 33, 12), np.float32)]


def add(**options: Any) -> ModuleOp:
    """To each row a number of its own."""
    text = generic(
        ["i, j", "i", "i, j"], ["parallel"] * 2, list(map(memref_type, ADD)), 2,
        "%r = arith.addf %x0, %x1 : f32", "i, j",
    )  # fmt: skip
    return module_of(text, ADD, "pointwise", **options)


def transpose(**options: Any) -> ModuleOp:
    text = generic(
        ["i, k, j", "i, j, k"], ["parallel"] * 3, list(map(memref_type, TRANSPOSE)), 1,
        "%r = arith.negf %x0 : f32", "i, j, k",
    )  # fmt: skip
    return module_of(text, TRANSPOSE, "pointwise", **options)


def sums(**options: Any) -> ModuleOp:
    """Of each column."""
    types = list(map(memref_type, SUMS))
    text = (
        "%zero = arith.constant 0.0 : f32\n"
        f"linalg.fill ins(%zero : f32) outs(%a1 : {types[1]})\n"
        + generic(
            ["j, i", "i"], ["parallel", "reduction"], types, 1,
            "%r = arith.addf %y0, %x0 : f32", "i, j",
        )
    )  # fmt: skip
    return module_of(text, SUMS, "reduction", **options)


def pick(**options: Any) -> ModuleOp:
    """Rows of each image by number."""
    types = list(map(memref_type, PICK))
    body = f"""%i = linalg.index 0 : index
        %k = linalg.index 2 : index
        %n = arith.index_cast %x0 : i64 to index
        %r = memref.load %a0[%i, %n, %k] : {types[0]}"""
    text = generic(["j", "i, j, k"], ["parallel"] * 3, types[1:], 1, body, "i, j, k", 1)
    return module_of(text, PICK, "gather", **options)


def test_plans() -> None:
    assert str(planned(add(), "vectors")) == (
        "#sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none,"
        " ragged = mask, block = none, split = none, grain = none>"
    )
    assert str(planned(transpose(vector_bits=256), "vectors")) == (
        "#sched.vectors<loop = 2, lanes = 8, vectors = 2, inner = none, crossing = 1,"
        " ragged = repeat, block = none, split = none, grain = none>"
    )
    assert str(planned(sums(), "vectors")) == (
        "#sched.vectors<loop = 0, lanes = 16, vectors = 8, inner = none, crossing = none,"
        " ragged = mask, block = 64, split = none, grain = none>"
    )


def test_threads_change_what_is_split_alone() -> None:
    arrays = [floats(300, 801), floats(300), floats(300, 801)]
    text = generic(
        ["i, j", "i", "i, j"], ["parallel"] * 2, list(map(memref_type, arrays)), 2,
        "%r = arith.addf %x0, %x1 : f32", "i, j",
    )  # fmt: skip
    one, two = (
        planned(module_of(text, arrays, "pointwise", threads=n), "vectors")
        for n in (1, 2)
    )
    assert (two.values["split"], two.values["grain"]) == (0, 21)
    assert one == two.replace(split=None, grain=None)


def test_a_nest_is_found_again_of_its_own_ops() -> None:
    """Though the op after it reads its result."""
    arrays = [*SUMS, floats(5, 43)]
    types = list(map(memref_type, arrays))
    text = (
        f"%zero = arith.constant 0.0 : f32\n"
        f"linalg.fill ins(%zero : f32) outs(%a1 : {types[1]})\n"
        + generic(
            ["j, i", "i"], ["parallel", "reduction"], types[:2], 1,
            "%r = arith.addf %y0, %x0 : f32", "i, j",
        )
        + generic(
            ["j", "i, j"], ["parallel"] * 2, types[1:], 1,
            "%r = arith.negf %x0 : f32", "i, j", 1,
        )
    )  # fmt: skip
    module = module_of(text, arrays, "reduction")
    kernel, target = kernel_ops(module), target_of(module)
    found = choose(kernel, target, [algorithm("vectors")])
    assert [len(chosen.nest.ops) for chosen in found] == [2, 1]
    for chosen in found:
        schedule, ops = chosen.choice.schedule, chosen.nest.ops
        again = nest_for(schedule, ops, mark_of(module), target)
        assert not isinstance(again, Refusal)


@pytest.mark.parametrize(
    ("module", "changes", "reason"),
    [
        (add, {"loop": 0}, "'loop' must be 1"),
        (add, {"inner": 2}, "'inner': no parallel loop has the number 2"),
        (add, {"crossing": 0}, "no input is contiguous along loop 0"),
        (add, {"lanes": 24}, "power of two"),
        (add, {"lanes": 64, "ragged": "repeat"}, "37 elements are no whole vector"),
        (add, {"block": 64}, "nothing is a sum of floats"),
        (add, {"split": 1, "grain": 1}, "37 elements are no whole tile"),
        (sums, {"split": 1, "grain": 1}, "'split': no parallel loop has the number 1"),
        (sums, {"ragged": "repeat"}, "may read its outputs"),
        (sums, {"crossing": 1}, "no parallel loop"),
    ],
)
def test_refusals(module: Any, changes: dict[str, Any], reason: str) -> None:
    kernel = module()
    schedule = planned(kernel, "vectors").replace(**changes)
    assert reason in str(problem(kernel, "vectors", schedule))


@pytest.mark.parametrize(
    "changes",
    [
        {"lanes": 2, "vectors": 8},
        {"lanes": 8, "vectors": 3, "ragged": "repeat", "split": 0, "grain": 2},
        {"lanes": 32, "vectors": 1, "split": 1, "grain": 1},
        {"lanes": 64, "inner": 0},
        {"vectors": 1, "ragged": "repeat", "inner": 0, "split": 1, "grain": 1},
    ],
)
def test_changes_add(changes: dict[str, Any]) -> None:
    kernel = add()
    schedule = planned(kernel, "vectors").replace(**changes)
    found = run_by(kernel, "vectors", schedule, ADD)[2]
    np.testing.assert_array_equal(found, ADD[0] + ADD[1][:, None])


@pytest.mark.parametrize(
    "changes",
    [
        {"crossing": None},
        {"crossing": None, "inner": 1, "lanes": 4, "ragged": "repeat"},
        {"lanes": 4, "vectors": 3},
        {"lanes": 2, "ragged": "repeat"},
        {"lanes": 32, "vectors": 2, "split": 0, "grain": 3},
        {"lanes": 8, "ragged": "repeat", "split": 2, "grain": 1},
    ],
)
def test_changes_transpose(changes: dict[str, Any]) -> None:
    kernel = transpose()
    schedule = planned(kernel, "vectors").replace(**changes)
    found = run_by(kernel, "vectors", schedule, TRANSPOSE)[1]
    np.testing.assert_array_equal(found, -TRANSPOSE[0].transpose(0, 2, 1))


@pytest.mark.parametrize(
    "changes",
    [{"block": None}, {"block": 1}, {"block": 23}, {"block": 500}, {"lanes": 4},
     {"lanes": 64, "vectors": 2}, {"vectors": 2, "split": 0, "grain": 1}],
)  # fmt: skip
def test_changes_sum(changes: dict[str, Any]) -> None:
    kernel = sums()
    schedule = planned(kernel, "vectors").replace(**changes)
    found = run_by(kernel, "vectors", schedule, SUMS)[1]
    np.testing.assert_allclose(found, SUMS[0].sum(0, dtype=np.float64), atol=5e-5)


@pytest.mark.parametrize(
    "changes",
    [{}, {"inner": 1}, {"inner": 0, "lanes": 4}, {"split": 1, "grain": 4},
     {"lanes": 2, "ragged": "repeat", "split": 0, "grain": 1}],
)  # fmt: skip
def test_changes_pick(changes: dict[str, Any]) -> None:
    kernel = pick()
    schedule = planned(kernel, "vectors").replace(**changes)
    found = run_by(kernel, "vectors", schedule, PICK)[2]
    np.testing.assert_array_equal(found, PICK[0][:, PICK[1]])
