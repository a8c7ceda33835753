"""Steps that move whole pixels, run on both targets, beside NumPy and torchvision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

import devproc
from devproc.exactness.bound import Key
from tests.exactness.geometry import LIBRARIES
from tests.exactness.measuring import Case
from tests.steps.both_targets import TARGETS, assert_equal
from tests.torchvision_import import functional


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    key = Key("", "", "", "")
    pixels = rng.integers(0, 65536, (2, 3, 5, 7), np.uint16)
    real = np.where(rng.random((7, 5)) < 0.2, np.nan, -0.0).astype(np.float32)
    yield Case(
        key, lambda p, x: p.crop(x, 1, 2, 3, 5), [pixels], pixels[..., 1:4, 2:], "NCHW"
    )
    yield Case(
        key, lambda p, x: p.flip(x, "vertical"), [pixels], pixels[:, :, ::-1], "NCHW"
    )
    turned = np.rot90(pixels, 3, (2, 3))
    yield Case(key, lambda p, x: p.rotate(x, 3), [pixels], turned, "NCHW")
    around = ((0, 0), (0, 0), (1, 4), (6, 2))
    for mode in ("reflect", "edge"):
        wanted = np.pad(pixels, around, mode)
        yield Case(
            key,
            lambda p, x, m=mode: p.pad(x, (6, 1, 2, 4), m),
            [pixels],
            wanted,
            "NCHW",
        )
    wanted = np.pad(real, ((0, 3), (1, 0)), constant_values=np.inf)
    yield Case(
        key, lambda p, x: p.pad(x, (1, 0, 0, 3), value=float("inf")), [real], wanted
    )
    image = torch.from_numpy(real.T.copy())
    wanted = functional.center_crop(image[None], [8, 4])[0].numpy().T
    # A layout with W before H: the sizes are those of the axes.
    yield Case(key, lambda p, x: p.center_crop(x, (8, 4)), [real], wanted, "WH")


@pytest.mark.parametrize("target", TARGETS)
def test_steps_that_move_pixels(target: str) -> None:
    assert_equal(list(_cases()), target)


@pytest.mark.parametrize("target", TARGETS)
def test_letterbox(target: str) -> None:
    """Of (4, 6) in (8, 8): 5 x 8 with 1 and 2 rows around."""
    x = np.random.default_rng(1).integers(0, 256, (4, 6, 3), np.uint8)
    cases = [
        Case(
            Key("", "", "", ""),
            lambda p, v, w=like: p.letterbox(v, (8, 8), 7, w),
            [x],
            np.pad(
                resize("bilinear")(x, (5, 8)),
                ((1, 2), (0, 0), (0, 0)),
                constant_values=7,
            ),
        )
        for like, resize in LIBRARIES.items()
    ]
    assert_equal(cases, target)


def test_truths_are_padded_with_truths() -> None:
    pipe = devproc.pipeline("mask")
    x = pipe.input("x", "bool", (2, 3), "HW")
    pipe.output("y", pipe.pad(x, (1, 0, 0, 1), value=1))
    message = "pad of bool .* with 7, which its dtype does not have"
    with pytest.raises(devproc.BuildError, match=message):
        pipe.pad(x, (1, 0, 0, 1), value=7)
    y = devproc.compile(pipe, threads=1)(x=np.zeros((2, 3), np.bool_))["y"]
    assert y.tolist() == [[True, False, False, False]] * 2 + [[True] * 4]


def test_letterbox_that_fits_copies() -> None:
    pipe = devproc.pipeline("fits")
    x = pipe.input("x", "float32", (3, 5))
    pipe.output("y", pipe.letterbox(x, (3, 9), 1, "pillow"))
    ramp = np.arange(15, dtype=np.float32).reshape(3, 5)
    y = devproc.compile(pipe, threads=1)(x=ramp)["y"]
    np.testing.assert_array_equal(y, np.pad(ramp, ((0, 0), (2, 2)), constant_values=1))
