"""Kernels touch nothing but their operands: NaN and markers around every buffer."""

from __future__ import annotations

import pytest
import torch

from tests.triton import programs
from tests.triton.support import guarded, is_untouched, run

CASES = {
    "pointwise": (
        programs.elementwise(
            "%r = arith.addf %a, %b : f32", "f32", (7, 19), "f32", "f32"
        ),
        [(7, 19), (7, 19), (7, 19)],
    ),
    "transpose": (programs.transpose((3, 17, 5), (2, 0, 1)), [(3, 17, 5), (5, 3, 17)]),
    "softmax": (
        programs.softmax((5, 11), 1),
        [(5, 11), (5,), (5, 11), (5,), (5, 11)],
    ),
    "linear": (programs.linear(5, 7, 19), [(5, 19), (7, 19), (7,), (5, 7)]),
    "matmul": (
        programs.batched_matmul(3, 5, 6, 7),
        [(3, 5, 7), (1, 7, 6), (3, 5, 6)],
    ),
    "conv": (
        programs.conv2d(2, 3, (7, 6), 5, 3, stride=2, padding=1),
        [(2, 3, 7, 6), (5, 3, 3, 3), (5,), (2, 5, 4, 3)],
    ),
    "depthwise": (
        programs.depthwise(1, 3, (6, 5), 3, 1),
        [(1, 3, 6, 5), (3, 1, 3, 3), (1, 3, 6, 5)],
    ),
    "max_pool": (
        programs.max_pool2d(1, 3, (7, 6), 3, 2, 1),
        [(1, 3, 7, 6), (1, 3, 4, 3)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_outside_is_read_or_written(name: str) -> None:
    text, shapes = CASES[name]
    pairs = [guarded(torch.randn(shape)) for shape in shapes]
    run(text, *(inner for inner, _ in pairs))
    # A marker that was read is NaN, and makes the result NaN.
    assert not pairs[-1][0].isnan().any()
    assert all(is_untouched(buffer) for _, buffer in pairs)
