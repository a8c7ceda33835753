"""Warps, run on both targets, beside the libraries they name."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import cv2
import numpy as np
import pytest
import torch
from PIL import Image

from devproc.exactness.bound import Key
from tests.exactness.measuring import Array, Case, results
from tests.exactness.warp import area_crop, roi_align, tf_crop
from tests.steps.both_targets import TARGETS, assert_equal
from tests.torchvision_import import functional

KEY = Key("", "", "", "")
MATRIX = (0.8, 0.3, -1.0, -0.2, 1.1, 0.7)


def _image(dtype: str, *shape: int) -> Array:
    return np.random.default_rng(4).integers(0, 256, shape).astype(dtype)


def _pillow() -> Iterator[Case]:
    x = _image("uint8", 5, 7, 3)
    for mode in ("nearest", "bilinear"):
        wanted = Image.fromarray(x).transform(
            (6, 4), Image.Transform.AFFINE, MATRIX, Image.Resampling[mode.upper()]
        )
        yield Case(
            KEY,
            lambda p, v, m=mode: p.affine(v, MATRIX, (4, 6), m, "pillow"),
            [x],
            np.asarray(wanted),
        )


def _grids() -> Iterator[Case]:
    x = _image("float32", 2, 3, 4, 5)
    grid = np.random.default_rng(5).uniform(-1.5, 1.5, (2, 3, 2, 2)).astype(np.float32)
    sample = torch.nn.functional.grid_sample
    wanted = sample(
        torch.from_numpy(x), torch.from_numpy(grid), "bilinear", "border", True
    )
    yield Case(
        KEY,
        lambda p, v, g: p.grid_sample(v, g, padding_mode="border", align_corners=True),
        [x, grid],
        wanted.numpy(),
        "NCHW",
    )


def _boxes() -> Iterator[Case]:
    x = _image("uint8", 1, 2, 5, 6)
    boxes = np.array([(0.5, 1, 4, 4.5), (-2, 0, 9, 3), (np.nan, 0, 3, 3)], np.float32)
    wide = np.moveaxis(x[0], 0, -1).astype(np.float64)
    found = [roi_align(wide, tuple(box), (3, 2), 2) for box in boxes[:2].tolist()]
    wanted = np.moveaxis(np.stack([*found, np.zeros((3, 2, 2))]), -1, 1)
    yield Case(
        KEY,
        lambda p, v, b: p.crop_and_resize(v, b, (3, 2), sampling_ratio=2),
        [x, boxes],
        wanted.astype(np.float32),
        "NCHW",
    )
    boxes = np.array(
        [(0.9, 1, 4.2, 4), (-2, 0, 9, 3), (np.nan, 0, 3, 3), (3, 1, 2, 2)], "f4"
    )
    found = [area_crop(wide, tuple(box), (2, 3)) for box in boxes.tolist()]
    yield Case(
        KEY,
        lambda p, v, b: p.crop_and_resize(v, b, (2, 3), "pytorch"),
        [x, boxes],
        np.moveaxis(np.stack(found), -1, 1).astype(np.float32),
        "NCHW",
    )
    parts = np.array([(0, 0.25, 1, 0.5), (0.5, 0, 0.75, 1.5)], np.float32)
    wanted = np.stack([tf_crop(wide, tuple(box), (2, 3)) for box in parts.tolist()])
    yield Case(
        KEY,
        lambda p, v, b: p.crop_and_resize(v, b, (2, 3), "tensorflow"),
        [x, parts],
        np.moveaxis(wanted, -1, 1).astype(np.float32),
        "NCHW",
    )


@pytest.mark.parametrize("target", TARGETS)
def test_warps(target: str) -> None:
    assert_equal(list(_pillow()), target)
    assert_equal([*_grids(), *_boxes()], target, rtol=2e-5)


def _between_pixels() -> Iterator[Case]:
    """Bilinear places like OpenCV's and torchvision's, of floats from 0 to 255."""
    x, matrix = _image("float32", 5, 7, 3), np.array(MATRIX).reshape(2, 3)
    wanted = cv2.warpAffine(x, matrix, (8, 9), flags=cv2.INTER_LINEAR)
    yield Case(KEY, lambda p, v: p.affine(v, matrix, (9, 8)), [x], wanted)
    planes = np.ascontiguousarray(np.moveaxis(x, -1, 0))
    form, mode = (30.0, [2, -1], 1.3, [5.0, 0.0]), functional.InterpolationMode.BILINEAR
    wanted = functional.affine(torch.from_numpy(planes), *form, mode)
    geometry = import_module(functional.affine_image.__module__)
    turned = geometry._get_inverse_affine_matrix([0.0, 0.0], *form)
    yield Case(
        KEY,
        lambda p, v: p.affine(v, turned, (5, 7), "bilinear", "torchvision"),
        [planes],
        wanted.numpy(),
        "CHW",
    )


@pytest.mark.parametrize("target", TARGETS)
def test_bilinear_places_of_opencv_and_torchvision(target: str) -> None:
    cases = list(_between_pixels())
    for case, y in zip(cases, results(cases, target), strict=True):
        assert np.ptp(case.wanted) > 100
        np.testing.assert_allclose(y, case.wanted, rtol=0, atol=1e-5 * 255)


@pytest.mark.parametrize("target", TARGETS)
def test_nearest_places_of_opencv(target: str) -> None:
    """Where two pixels are equally near, OpenCV's vectors and rest may differ."""
    x = _image("uint8", 5, 7, 3)
    matrix = np.array(MATRIX).reshape(2, 3)
    borders = {"constant": cv2.BORDER_CONSTANT, "edge": cv2.BORDER_REPLICATE}
    cases = [
        Case(
            KEY,
            lambda p, v, b=border: p.affine(v, matrix, (9, 8), "nearest", border=b),
            [x],
            cv2.warpAffine(
                x, matrix, (8, 9), flags=cv2.INTER_NEAREST, borderMode=number
            ),
        )
        for border, number in borders.items()
    ]
    for case, y in zip(cases, results(cases, target), strict=True):
        assert np.mean(y != case.wanted) < 0.02
