"""What resizing refuses."""

from __future__ import annotations

import pytest

from tests.frontends.refusals import Wrong, assert_refused

WRONG: dict[str, Wrong] = {
    "antialias of Pillow": (
        lambda p, x: p.resize(x, (2, 2), antialias=False),
        r"antialias=False is not what pillow does for mode 'bilinear'; leave antialias",
    ),
    "antialias of OpenCV": (
        lambda p, x: p.resize(x, (2, 2), "opencv", "area", antialias=True),
        r"antialias=True is not what opencv does for mode 'area'",
    ),
    "antialias of nearest": (
        lambda p, x: p.resize(x, (2, 2), "torchvision", "nearest", antialias=True),
        r"antialias=True is not what torchvision does",
    ),
    "a mode of Pillow alone": (
        lambda p, x: p.resize(x, (2, 2), "opencv", "hamming"),
        r"opencv has no resize mode 'hamming'; one of nearest, bilinear, bicubic, la",
    ),
    "other dtypes": (
        lambda p, x: p.resize(p.cast(x, "int32"), (2, 2), "opencv"),
        r"nn.resize takes uint8 or float32, got int32 \(8, 9, 3\)",
    ),
    "floats with alpha": (
        lambda p, x: p.resize(p.input("y", "float32", (4, 5, 4)), (2, 2)),
        r"would be LA or RGBA for Pillow, which has them in uint8 alone",
    ),
    "shorter edge of nothing": (
        lambda p, x: p.resize_shorter_edge(x, 0),
        r"resize_shorter_edge: size is \(0\); sizes must be positive",
    ),
    "shorter edge without axes": (
        lambda p, x: p.resize_shorter_edge(p.input("y", "uint8", (3, 8, 9)), 4),
        r"resize_shorter_edge needs axes H and W, got uint8 \(3, 8, 9\); declare",
    ),
    "no room for the longer edge": (
        lambda p, x: p.resize_shorter_edge(x, 4, 4),
        r"max_size 4 is not above size 4; give the longer edge more room",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_resizing_refuses(name: str) -> None:
    assert_refused(WRONG[name], __file__)
