"""Winograd on squares: what is planned and refused; legal changes compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import WinogradAttr
from devproc.reference.conversion.packing.winograd import pack
from tests.algorithms.convolutions import convolution, exact, floats
from tests.algorithms.schedules import decisions, planned, problem, run_by

NAME = "winograd"
IMAGES, LINES, COLUMNS, CHANNELS, OUTPUTS = 3, 11, 13, 32, 64
SIZES = [
    (IMAGES, LINES, COLUMNS, CHANNELS),
    (3, 3, CHANNELS, OUTPUTS),
    (OUTPUTS,),
    (IMAGES, LINES - 2, COLUMNS - 2, OUTPUTS),
]


def layer(tile: int = 4, width: int = 32, **options: Any) -> ModuleOp:
    """relu(conv(x, w) + bias): of each image 9 x 11 pixels, no multiple of a tile."""
    layout = f"#dev.winograd<{tile}, {width}>"
    return convolution("n, h + p, w + q, c", SIZES, layout, **options)


def test_plan() -> None:
    module = layer()
    assert str(planned(module, NAME)) == (
        "#sched.winograd<weight = #dev.winograd<4, 32>, block = 27, by_need = yes,"
        " rows = 9, depth = 16, filters = scratch, prefetch = 1, groups = 2, grain = 1>"
    )
    (decision,) = decisions(module, NAME)
    assert decision.why == (
        "27 tiles of 4 x 4, blocks 1 x 27, rows 3 x 9; 36 products for 144"
    )


def test_few_tiles_keep_filters_in_registers() -> None:
    sizes = [(1, 7, 7, 32), (3, 3, 32, 32), (32,), (1, 5, 5, 32)]
    module = convolution("n, h + p, w + q, c", sizes, "#dev.winograd<4, 32>")
    values = planned(module, NAME).values
    assert (values["block"], values["filters"]) == (4, "registers")


def test_threads_change_no_digits() -> None:
    one, many = (planned(layer(threads=threads), NAME) for threads in (1, 2))
    assert one != many
    assert one.fixed == many.fixed


def test_what_it_does_not_take() -> None:
    reason = "panels of 8 channels are no whole vectors of 16"
    assert decisions(layer(width=8), NAME) == [Refusal(reason)]
    reason = "transforms are not strict"
    assert decisions(layer(precision="strict"), NAME) == [Refusal(reason)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rows": 8}, "a block of 27 tiles is not register tiles of 8 or 7"),
        ({"block": 18, "rows": 9}, "a block of 18 tiles is not whole images of 9"),
        ({"depth": 8}, "'depth' must be whole vectors of 16 and divide 32 channels"),
        ({"depth": 48}, "'depth' must be whole vectors of 16 and divide 32 channels"),
        ({"groups": 3}, "'groups' must divide the 2 panels"),
        (
            {"block": 2700, "by_need": False},
            "bytes of scratch memory, of 1048576 at most",
        ),
    ],
)
def test_refusals(changes: dict[str, Any], reason: str) -> None:
    module = layer()
    schedule = planned(module, NAME).replace(**changes)
    assert reason in str(problem(module, NAME, schedule))


def test_another_weight() -> None:
    module, other = layer(), planned(layer(2), NAME)
    assert problem(module, NAME, other) == (
        "'weight' must be that of its memory, #dev.winograd<4, 32>"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"block": 9, "rows": 3, "groups": 1, "prefetch": 3},
        {
            "block": 10,
            "by_need": False,
            "rows": 4,
            "depth": 32,
            "groups": 1,
            "grain": None,
        },
        {"block": 2, "by_need": False, "rows": 1, "filters": "registers"},
        {"block": 40, "by_need": False, "rows": 7},
    ],
)
@pytest.mark.parametrize("tile", [2, 4])
def test_changes_compute_a_layer(tile: int, changes: dict[str, Any]) -> None:
    x, weight, bias, y = (floats(*size) for size in SIZES)
    layout = WinogradAttr.get(tile, 32)
    stored = pack(layout, torch.from_numpy(weight)).numpy()
    module = layer(tile)
    schedule = planned(layer(), NAME).replace(weight=layout, **changes)
    if tile == 2 and schedule.values["by_need"]:
        # An image has 30 smaller tiles.
        schedule = schedule.replace(block=30, rows=8)
    *_, found = run_by(module, NAME, schedule, [x, stored, bias, y])
    wanted = exact(x.transpose(0, 3, 1, 2), weight, bias)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-3)
