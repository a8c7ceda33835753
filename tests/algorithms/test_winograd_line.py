"""Winograd along lines: what is planned and refused; legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import WinogradLineAttr
from devproc.reference.conversion.packing.winograd_line import pack
from tests.algorithms.convolutions import convolution, exact, floats
from tests.algorithms.schedules import decisions, planned, problem, run_by

NAME = "winograd_line"
# 7 x 7 taps with a stride of 2: images of 23 lines of 69 pixels.
SIZES = [(3, 3, 23, 69), (7, 7, 3, 32), (32,), (3, 9, 32, 32)]


def layer(width: int = 32, **options: Any) -> ModuleOp:
    """relu(conv(x, w) + bias)."""
    image = "n, c, h * 2 + p, w * 2 + q"
    return convolution(image, SIZES, f"#dev.winograd_line<2, {width}>", **options)


def test_plan() -> None:
    module = layer()
    assert str(planned(module, NAME)) == (
        "#sched.winograd_line<weight = #dev.winograd_line<2, 32>, lines = 5, rows = 8,"
        " grain = 1>"
    )
    (decision,) = decisions(module, NAME)
    assert decision.why == (
        "9 lines, blocks 2 x 5; 8 tiles of 4 in a line, rows 1 x 8; 7 products for 16"
    )


def test_threads_change_no_digits() -> None:
    one, many = (planned(layer(threads=threads), NAME) for threads in (1, 2))
    assert one != many
    assert one.fixed == many.fixed


def test_what_it_does_not_take() -> None:
    reason = "panels of 8 channels are no whole vectors of 16"
    assert decisions(layer(8), NAME) == [Refusal(reason)]
    reason = "transforms are not strict"
    assert decisions(layer(precision="strict"), NAME) == [Refusal(reason)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rows": 5, "lines": 3}, None),
        ({"rows": 6}, "the 8 tiles of a line are not tiles of 6 or 5"),
        ({"rows": 9}, None),
        ({"lines": 900}, "bytes of scratch memory, of 1048576 at most"),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str | None) -> None:
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    found = problem(module, NAME, schedule)
    assert found is None if reason is None else reason in str(found)


def test_another_weight() -> None:
    other = planned(layer(), NAME).replace(weight=WinogradLineAttr.get(2, 16))
    assert problem(layer(), NAME, other) == (
        "'weight' must be that of its memory, #dev.winograd_line<2, 32>"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"lines": 1, "rows": 1},
        {"lines": 4, "rows": 3},
        {"lines": 20, "grain": None},
    ],
)
def test_changes_compute_a_layer(changes: dict[str, Any]) -> None:
    x, weight, bias, y = (floats(*size) for size in SIZES)
    layout = WinogradLineAttr.get(2, 32)
    stored = pack(layout, torch.from_numpy(weight)).numpy()
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    *_, found = run_by(module, NAME, schedule, [x, stored, bias, y])
    np.testing.assert_allclose(
        found, exact(x, weight, bias, stride=2), rtol=1e-4, atol=1e-3
    )
