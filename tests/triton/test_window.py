"""Convolutions and poolings against torch: borders, strides, dilation, groups, NaN."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.triton.programs import conv2d, depthwise, max_pool2d
from tests.triton.support import run

CONVOLUTIONS: list[dict[str, Any]] = [
    {"n": 2, "c": 3, "size": (9, 7), "o": 5, "kernel": 3, "padding": 1},
    {"n": 1, "c": 17, "size": (6, 7), "o": 20, "kernel": 1},
    {"n": 2, "c": 5, "size": (11, 8), "o": 33, "kernel": 3, "stride": 2, "padding": 1},
    {
        "n": 1,
        "c": 4,
        "size": (12, 13),
        "o": 6,
        "kernel": 5,
        "padding": 2,
        "dilation": 2,
    },
    {"n": 2, "c": 6, "size": (9, 8), "o": 8, "kernel": 3, "padding": 1, "groups": 2},
]


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_conv2d_bias_relu(case: dict[str, Any]) -> None:
    groups = case.get("groups", 1)
    n, c, o, k = case["n"], case["c"], case["o"], case["kernel"]
    x = torch.randn(n, c, *case["size"])
    w, bias = torch.randn(o, c // groups, k, k), torch.randn(o)
    wanted = F.conv2d(
        x,
        w,
        bias,
        stride=case.get("stride", 1),
        padding=case.get("padding", 0),
        dilation=case.get("dilation", 1),
        groups=groups,
    ).relu()
    out = torch.full_like(wanted, float("nan"))
    # Shapes are text only: the bytes of a grouped operand are those of the plain one.
    assert run(conv2d(**case), x, w, bias, out) == 1
    torch.testing.assert_close(out, wanted, rtol=1e-4, atol=1e-4)


def test_depthwise() -> None:
    x, w = torch.randn(2, 5, 9, 8), torch.randn(5, 1, 3, 3)
    out = torch.empty(2, 5, 9, 8)
    assert run(depthwise(2, 5, (9, 8), 3, 1), x, w, out) == 1
    torch.testing.assert_close(
        out, F.conv2d(x, w, None, 1, 1, 1, 5), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize(
    ("kernel", "stride", "padding"), [(3, 2, 1), (2, 2, 0), (5, 1, 2)]
)
def test_max_pool(kernel: int, stride: int, padding: int) -> None:
    x = torch.randn(2, 3, 9, 8) - 5
    x[0, 0, 0, 0], x[1, 2, 4, 4] = float("nan"), float("-inf")
    wanted = F.max_pool2d(x, kernel, stride, padding)
    out = torch.empty_like(wanted)
    text = max_pool2d(2, 3, (9, 8), kernel, stride, padding)
    assert run(text, x, out) == 1
    torch.testing.assert_close(out, wanted, equal_nan=True)
