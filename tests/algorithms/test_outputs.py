"""Padding, channels and row parts: what is planned, refused, and that changes are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms import algorithm
from devproc.algorithms.base import Refusal
from devproc.algorithms.choosing import choose
from tests.algorithms.schedules import (
    decisions,
    kernel_ops,
    module_of,
    planned,
    problem,
    run_by,
)
from tests.cpu.native_kernels import generic, memref_type
from tests.cpu.native_kernels import kernel as kernel_module
from tests.targets import target_attr

RNG = np.random.default_rng(13)

ALGORITHMS = ("rows", "padding", "channels", "row_parts", "vectors")


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


IMAGE = [floats(5, 37, 3), floats(5, 3), floats(5, 37, 3)]
ROWS = [floats(6, 21), floats(6, 40), np.zeros((6, 61), np.float32)]


def padding(**options: Any) -> ModuleOp:
    """Around the box [1:4, 5:38] of 6 x 43."""
    array = floats(6, 43)
    text = f"""%v = arith.constant -2.5 : f32
      linalg.fill {{kernel.inside = [[#builtin.int<1>, #builtin.int<3>],
        [#builtin.int<5>, #builtin.int<33>]]}}
        ins(%v : f32) outs(%a0 : {memref_type(array)})"""
    return module_of(text, [array], "pointwise", **options)


def image(pixels: int = 37, **options: Any) -> ModuleOp:
    """Each row of pixels by a number for each channel; the last channel twice that."""
    arrays = [floats(5, pixels, 3), floats(5, 3), floats(5, pixels, 3)]
    types = list(map(memref_type, arrays))
    body = """%k = linalg.index 2 : index
        %two = arith.constant 2 : index
        %is_last = arith.cmpi eq, %k, %two : index
        %m = arith.mulf %x0, %x1 : f32
        %n = arith.addf %m, %m : f32
        %r = arith.select %is_last, %n, %m : f32"""
    text = generic(
        ["i, j, k", "i, k", "i, j, k"], ["parallel"] * 3, types, 2, body, "i, j, k"
    )
    return module_of(text, arrays, "pointwise", **options)


def parts(between: str = "", **options: Any) -> ModuleOp:
    """Two arrays side by side."""
    types = list(map(memref_type, ROWS))
    kinds = ["parallel"] * 2
    text = "".join(
        between * number
        + generic(
            ["i, j", f"i, j + {21 * number}"], kinds, [types[number], types[2]], 1,
            "%r = arith.negf %x0 : f32", "i, j", number,
        ).replace(f"(%a{number + 1} :", "(%a2 :")
        for number in range(2)
    )  # fmt: skip
    return module_of(text, ROWS, "gather", **options)


PART = (
    "#sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none,"
    " ragged = mask, block = none, split = none, grain = none>"
)


def test_plans() -> None:
    assert str(planned(padding(), "padding")) == "#sched.padding<lanes = 16>"
    assert str(planned(image(), "channels")) == (
        "#sched.channels<lanes = 16, ragged = mask, split = none, grain = none>"
    )
    assert str(planned(parts(), "row_parts")) == (
        f"#sched.row_parts<parts = [{PART}, {PART}], split = none, grain = none>"
    )


def test_few_pixels_are_refused() -> None:
    (decision,) = decisions(image(7), "channels")
    assert isinstance(decision, Refusal)
    assert decision.why == "7 pixels leave most lanes empty"
    assert not decisions(image(0), "channels")


def test_parts_follow_each_other() -> None:
    """An op between two parts may read the first."""
    copy = generic(
        ["i, j", "i, j"], ["parallel"] * 2, [memref_type(ROWS[0])] * 2, 1,
        "%r = arith.addf %x0, %x0 : f32", "i, j",
    ).replace("(%a1 :", "(%a0 :")  # fmt: skip
    assert len(decisions(parts(), "row_parts")) == 1
    assert not decisions(parts(copy), "row_parts")


def test_each_op_is_taken_once() -> None:
    """The same ops are left to one algorithm after another."""
    for module, name in (
        (padding(), "padding"),
        (image(), "channels"),
        (parts(), "row_parts"),
    ):
        kernel = kernel_ops(module)
        found = choose(kernel, target_attr(), map(algorithm, ALGORITHMS))
        assert [chosen.algorithm.name for chosen in found] == [name]
        found = choose(kernel, target_attr(), [algorithm("vectors")])
        assert len(found) == len(kernel.ops)


@pytest.mark.parametrize(
    ("name", "module", "changes", "reason"),
    [
        ("padding", padding, {"lanes": 3}, "power of two, 2 to 64"),
        ("channels", image, {"lanes": 1}, "power of two, 2 to 64"),
        ("channels", image, {"lanes": 64, "ragged": "repeat"}, "no whole vector"),
        ("channels", image, {"split": 2, "grain": 1}, "no loop has the number 2"),
        ("channels", image, {"lanes": 64, "split": 1, "grain": 1}, "no whole vector"),
        ("row_parts", parts, {"split": 1, "grain": 1}, "no loop around the rows"),
    ],
)
def test_refusals(name: str, module: Any, changes: dict[str, Any], reason: str) -> None:
    kernel = module()
    schedule = planned(kernel, name).replace(**changes)
    assert reason in str(problem(kernel, name, schedule))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"loop": 0}, "'loop' must be 1"),
        ({"lanes": 5}, "power of two"),
        ({"block": 8}, "nothing is a sum of floats"),
        ({"split": 1, "grain": 1}, "no whole tile"),
    ],
)
def test_refused_parts(changes: dict[str, Any], reason: str) -> None:
    kernel = parts()
    schedule = planned(kernel, "row_parts")
    first, second = schedule.values["parts"]  # type: ignore[misc]
    changed = schedule.replace(parts=(first.replace(**changes), second))  # type: ignore[union-attr]
    assert reason in str(problem(kernel, "row_parts", changed))
    alone = schedule.replace(parts=(first,))
    assert "must have 2 schedules" in str(problem(kernel, "row_parts", alone))


def test_a_number_alone_is_taken_by_none() -> None:
    """An op without loops, and one whose loops have one iteration."""
    for type_, loops in (("memref<f32>", []), ("memref<1x1xf32>", ["i", "j"])):
        names, kinds = ", ".join(loops), ["parallel"] * len(loops)
        body = "%r = arith.negf %x0 : f32"
        text = generic([names] * 2, kinds, [type_] * 2, 1, body, names)
        module = kernel_module("pointwise", [type_] * 2, text)
        for name in ALGORITHMS:
            assert not decisions(module, name)


@pytest.mark.parametrize("lanes", [2, 8, 64])
def test_changes_fill(lanes: int) -> None:
    array, kernel = floats(6, 43), padding()
    schedule = planned(kernel, "padding").replace(lanes=lanes)
    (found,) = run_by(kernel, "padding", schedule, [array])
    wanted = np.full_like(array, -2.5)
    wanted[1:4, 5:38] = array[1:4, 5:38]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "changes",
    [
        {"lanes": 2, "split": 1, "grain": 3},
        {"lanes": 8, "ragged": "repeat"},
        {"lanes": 32, "ragged": "repeat", "split": 0, "grain": 2},
        {"lanes": 64},
    ],
)
def test_changes_of_pixels(changes: dict[str, Any]) -> None:
    kernel = image()
    schedule = planned(kernel, "channels").replace(**changes)
    found = run_by(kernel, "channels", schedule, IMAGE)[2]
    wanted = IMAGE[0] * IMAGE[1][:, None]
    wanted[..., 2] *= 2
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ({"split": 0, "grain": 4}, {"lanes": 8, "ragged": "repeat"}),
        ({}, {"lanes": 4, "vectors": 2, "split": 1, "grain": 1}),
        ({}, {"lanes": 64, "vectors": 8}),
    ],
)
def test_changes_of_parts(whole: dict[str, Any], part: dict[str, Any]) -> None:
    kernel = parts()
    schedule = planned(kernel, "row_parts")
    changed = tuple(p.replace(**part) for p in schedule.values["parts"])  # type: ignore[union-attr]
    found = run_by(kernel, "row_parts", schedule.replace(parts=changed, **whole), ROWS)
    np.testing.assert_array_equal(found[2], -np.concatenate(ROWS[:2], 1))
