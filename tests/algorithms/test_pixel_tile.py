"""Tiles of pixels: what is planned, what is refused, and that legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.algorithms.schedules import module_of, planned, problem, run_by
from tests.cpu.linear_kernels import MULTIPLY_ADD
from tests.cpu.native_kernels import generic, memref_type

RNG = np.random.default_rng(6)
LINES, PIXELS, CHANNELS = 9, 21, 45
NAME = "pixel_tile"


def arrays_of(taps: int = 3, dtype: str = "float32") -> list[np.ndarray]:
    """An image of channels last, filters for each channel, and the result."""
    image = (2, LINES + taps - 1, PIXELS + taps - 1, CHANNELS)
    shapes = [image, (taps, taps, CHANNELS), (2, LINES, PIXELS, CHANNELS)]
    if dtype == "int32":
        return [RNG.integers(-9, 9, shape, np.int32) for shape in shapes]
    return [RNG.standard_normal(shape).astype(dtype) for shape in shapes]


def window(taps: int = 3, dtype: str = "float32", **options: Any) -> ModuleOp:
    """A depthwise convolution that starts from zero."""
    arrays = arrays_of(taps, dtype)
    types = [memref_type(array) for array in arrays]
    element, zero, body = "f32", "0.0", MULTIPLY_ADD
    if dtype == "int32":
        element, zero = "i32", "0"
        body = "%p = arith.muli %x0, %x1 : i32\n%r = arith.addi %y0, %p : i32"
    text = (
        f"%zero = arith.constant {zero} : {element}\n"
        f"linalg.fill ins(%zero : {element}) outs(%a2 : {types[2]})\n"
        + generic(
            ["n, h + p, w + q, c", "p, q, c", "n, h, w, c"],
            [*["parallel"] * 4, "reduction", "reduction"],
            types,
            2,
            body,
            "n, h, w, c, p, q",
        )
    )
    return module_of(text, arrays, "window", **options)


def test_plans() -> None:
    assert str(planned(window(), NAME)) == (
        "#sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = 1, grain = 1>"
    )
    assert str(planned(window(12), NAME)) == (
        "#sched.pixel_tile<vectors = 2, pixels = 4, block = 64, split = 1, grain = 1>"
    )


def test_threads_change_no_digits() -> None:
    one, two = (planned(window(12, threads=n), NAME) for n in (1, 2))
    assert one == two.replace(split=None, grain=None)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"pixels": 20}, "21 pixels are not tiles of 20 or 19"),
        ({"split": 2, "grain": 1}, "must be none or one of the loops [0, 1, 3]"),
        ({"split": 3, "grain": 1, "vectors": 3}, "45 channels are no whole tile"),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    module = window()
    schedule = planned(module, NAME).replace(**changes)
    assert reason in str(problem(module, NAME, schedule))


def test_integers_have_no_blocks() -> None:
    module = window(dtype="int32")
    schedule = planned(module, NAME).replace(block=8)
    assert "no floats" in str(problem(module, NAME, schedule))


@pytest.mark.parametrize(
    ("dtype", "changes"),
    [
        ("float32", {"vectors": 1, "pixels": 8, "split": 1, "grain": 2}),
        ("float32", {"vectors": 4, "pixels": 1, "block": 2}),
        ("float32", {"pixels": 6, "split": 3, "grain": 1, "block": 100}),
        ("int32", {"vectors": 3, "pixels": 5, "split": 0, "grain": 1}),
    ],
)
def test_changes_compute_a_window(dtype: str, changes: dict[str, Any]) -> None:
    module, arrays = window(dtype=dtype), arrays_of(dtype=dtype)
    schedule = planned(module, NAME).replace(**changes)
    found = run_by(module, NAME, schedule, arrays)[2]
    image, filters = (array.astype(np.float64) for array in arrays[:2])
    parts = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (1, 2))
    wanted = np.einsum("nhwcpq,pqc->nhwc", parts, filters)
    np.testing.assert_allclose(found, wanted, atol=1e-4)
