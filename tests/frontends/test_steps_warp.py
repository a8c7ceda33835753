"""Steps that read images between their pixels: what they refuse."""

from __future__ import annotations

import pytest

from tests.frontends.refusals import Wrong, assert_refused

UNIT = ((1, 0, 0), (0, 1, 0))

WRONG: dict[str, Wrong] = {
    "affine by a square": (
        lambda p, x: p.affine(x, ((1, 0), (0, 1)), (4, 4)),
        r"a matrix has 2 rows of 3 finite numbers, got \[1.0, 0.0, 0.0, 1.0\]; give an",
    ),
    "affine by no number": (
        lambda p, x: p.affine(x, ((1, 0, float("nan")), (0, 1, 0)), (4, 4)),
        r"2 rows of 3 finite numbers",
    ),
    "affine by one number": (
        lambda p, x: p.affine(x, 1, (4, 4)),  # pyright: ignore
        r"affine: matrix is None; give numbers",
    ),
    "affine of int32": (
        lambda p, x: p.affine(p.cast(x, "int32"), UNIT, (4, 4)),
        r"affine takes uint8 or float32, got int32 \(8, 9, 3\) HWC",
    ),
    "affine in an unknown mode": (
        lambda p, x: p.affine(x, UNIT, (4, 4), "cubic"),
        r"unknown mode 'cubic'; one of nearest, bilinear",
    ),
    "affine like a stranger": (
        lambda p, x: p.affine(x, UNIT, (4, 4), like="scipy"),
        r"unknown like 'scipy'; one of opencv, pillow, torchvision",
    ),
    "affine with a border that Pillow lacks": (
        lambda p, x: p.affine(x, UNIT, (4, 4), like="pillow", border="edge"),
        r"unknown border 'edge'; one of constant",
    ),
    "affine with a value that torchvision lacks": (
        lambda p, x: p.affine(x, UNIT, (4, 4), like="torchvision", value=3),
        r"affine like torchvision has zeros outside of the image, not 3",
    ),
    "affine beyond Pillow's places": (
        lambda p, x: p.affine(x, ((1, 1, 0), (9000, 1, 0)), (4, 4), "nearest", "pillow"),
        r"the matrix leads to place 36004, which Pillow's fixed point does not have",
    ),
    "grid sample of rows": (
        lambda p, x: p.grid_sample(p.cast(x, "float32"), p.input("g", "float32", (1, 2, 2, 2))),
        r"grid_sample reads a float32 image NCHW, got float32 \(8, 9, 3\) HWC; put the",
    ),
    "grid sample at places in space": (
        lambda p, x: p.grid_sample(
            p.input("y", "float32", (2, 3, 4, 5), "NCHW"), p.input("g", "float32", (1, 2, 2, 2), "")
        ),
        r"is float32 \(2, height, width, 2\), got float32 \(1, 2, 2, 2\)",
    ),
    "grid sample in an unknown mode": (
        lambda p, x: p.grid_sample(x, x, "lanczos"),
        r"unknown mode 'lanczos'; one of bilinear, nearest, bicubic",
    ),
    "grid sample with unknown padding": (
        lambda p, x: p.grid_sample(x, x, padding_mode="wrap"),
        r"unknown padding 'wrap'; one of zeros, border, reflection",
    ),
    "boxes of integers": (
        lambda p, x: p.crop_and_resize(x, p.input("b", "int32", (5, 4)), (2, 2)),
        r"boxes are float32 \(count, 4\), got int32 \(5, 4\)",
    ),
    "boxes of two images": (
        lambda p, x: p.crop_and_resize(
            p.stack([x, x]), p.input("b", "float32", (5, 4), ""), (2, 2)
        ),
        r"takes one image, uint8 or float32, got uint8 \(2, 8, 9, 3\) NHWC",
    ),
    "areas of floats": (
        lambda p, x: p.crop_and_resize(
            x / 255, p.input("b", "float32", (5, 4), ""), (2, 2), "pytorch"
        ),
        r"like pytorch averages uint8, got float32 .*; cut the boxes out of the bytes",
    ),
    "boxes with too many samples": (
        lambda p, x: p.crop_and_resize(
            x, p.input("b", "float32", (5, 4), ""), (2, 2), "tensorflow", 2
        ),
        r"tensorflow takes 1 to 1 samples, got 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_step_is_refused_at_its_line(name: str) -> None:
    assert_refused(WRONG[name], __file__)
