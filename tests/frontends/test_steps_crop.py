"""Steps that move whole pixels: what they refuse, and where a result lies in its source."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

import devproc
from devproc.dialects.pipe.base.step import source_map_between
from devproc.frontends.dsl import Pipeline, Value
from tests.frontends.refusals import Wrong, assert_refused

WRONG: dict[str, Wrong] = {
    "crop outside": (
        lambda p, x: p.crop(x, 2, 0, 7, 3),
        r"the crop \[7, 3\] at \[2, 0\] reaches out of uint8 \(8, 9, 3\) HWC; stay with",
    ),
    "crop from above": (
        lambda p, x: p.crop(x, -1, 0, 2, 2),
        r"\[-1, 0\] reaches out of",
    ),
    "crop of nothing": (
        lambda p, x: p.crop(x, 0, 0, 0, 2),
        r"must be positive: \[0, 2\]",
    ),
    "crop at a fraction": (
        lambda p, x: p.crop(x, 0.5, 0, 2, 2),  # pyright: ignore
        r"crop: top is 0.5; give an integer",
    ),
    "crop without a layout": (
        lambda p, x: p.crop(p.input("y", "uint8", (3, 8, 9)), 0, 0, 2, 2),
        r"crop needs axes H and W, got uint8 \(3, 8, 9\)",
    ),
    "center crop of one size": (
        lambda p, x: p.center_crop(x, (4,)),
        r"center_crop needs a height and a width, got \[4\]; give \(height, width\)",
    ),
    "center crop of a number": (
        lambda p, x: p.center_crop(x, 4),  # pyright: ignore
        r"center_crop: size is 4; give a tuple of integers",
    ),
    "pad by two": (
        lambda p, x: p.pad(x, (1, 2)),
        r"pad needs \(left, top, right, bottom\), none of them negative, got \[1, 2\]",
    ),
    "pad by less than nothing": (
        lambda p, x: p.pad(x, (0, 0, -1, 0)),
        r"none of them neg",
    ),
    "pad with a mirror too far": (
        lambda p, x: p.pad(x, (0, 8, 0, 0), "reflect"),
        r"has not enough pixels for a border of 8 in mode 'reflect'",
    ),
    "pad in another mode": (
        lambda p, x: p.pad(x, (1, 1, 1, 1), "wrap"),
        r"unknown pad mode 'wrap'; one of constant, reflect, edge",
    ),
    "pad with what a byte is not": (
        lambda p, x: p.pad(x, (1, 1, 1, 1), value=256),
        r"pad of uint8 \(8, 9, 3\) HWC with 256, which its dtype does not have",
    ),
    "pad with text": (
        lambda p, x: p.pad(x, (1, 1, 1, 1), value="0"),  # pyright: ignore
        r"pad: value is '0'; give a number",
    ),
    "letterbox with half a byte": (
        lambda p, x: p.letterbox(x, (4, 4), value=0.5),
        r"letterbox of uint8 \(8, 9, 3\) HWC with 0.5, which its dtype does not have",
    ),
    "letterbox like a stranger": (
        lambda p, x: p.letterbox(x, (4, 4), like="gimp"),
        r"unknown reference 'gimp'",
    ),
    "flip along a diagonal": (
        lambda p, x: p.flip(x, "diagonal"),
        r"unknown direction 'diagonal'; one of horizontal, vertical",
    ),
    "flip of a vector": (
        lambda p, x: p.flip(p.input("y", "float32", (3,)), "vertical"),
        r"flip needs axes H and W, got float32 \(3\)",
    ),
    "rotate by half a turn": (
        lambda p, x: p.rotate(x, 0.5),  # pyright: ignore
        r"rotate: quarter_turns is 0.5; give an integer",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_step_is_refused_at_its_line(name: str) -> None:
    assert_refused(WRONG[name], __file__)


def _chain(p: Pipeline, x: Value) -> Value:
    x = p.letterbox(p.crop(x, 2, 3, 14, 20), (32, 48), 0, "pillow")
    x = p.pad(p.flip(x, "horizontal"), (5, 1, 0, 2))
    x = p.rotate(p.center_crop(x, (30, 57)), 2)
    return p.layout(p.flip(p.resize(x, (45, 38)), "vertical"), "HW->WH")


def test_source_map_leads_to_the_pixel_that_was_read() -> None:
    """A ramp's values are its places, so a result says where it was read."""
    rows, columns = np.mgrid[0:18, 0:26].astype(np.float32) + 0.5
    pipe = devproc.pipeline("ramps")
    x, y = (pipe.input(name, "float32", (18, 26)) for name in "xy")
    results = [_chain(pipe, value) for value in (x, y)]
    for name, value in zip("xy", results, strict=True):
        pipe.output(name, value)
    found = source_map_between(results[0].ssa, x.ssa)
    program = devproc.compile(pipe, threads=1)
    read = program(x=columns, y=rows)
    for got, axis, line in (
        (read["x"].T, found.horizontal, np.arange(38) + 0.5),
        (read["y"].T, found.vertical, (np.arange(45) + 0.5)[:, None]),
    ):
        wanted = np.broadcast_to(line * axis.scale + axis.offset, got.shape)
        # Filters bend the ramp at the edges of image and border, and a little between.
        inner = np.s_[12:-14, 9:-12]
        np.testing.assert_allclose(got[inner], wanted[inner], atol=0.03)


def test_source_map_refuses_what_it_does_not_know() -> None:
    pipe = devproc.pipeline("maps")
    x, y = (pipe.input(name, "uint8", (8, 9)) for name in "xy")
    assert source_map_between(x.ssa, x.ssa).vertical.scale == 1
    with pytest.raises(VerifyException, match=r"was not made of uint8 \(8, 9\) HW"):
        source_map_between(pipe.flip(x, "vertical").ssa, y.ssa)
    with pytest.raises(VerifyException, match="rotate does not move whole axes"):
        source_map_between(pipe.rotate(x, 1).ssa, x.ssa)
