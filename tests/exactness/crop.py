"""Checks of the family `crop`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import cv2
import numpy as np
import torch

from devproc.exactness.bound import Key
from devproc.exactness.crop import BOUNDS
from tests.exactness.measuring import (
    Array,
    Case,
    Check,
    Measured,
    measure,
    photographs,
    random_images,
)
from tests.torchvision_import import functional

SIZES = ((1, 9), (8, 1))
"""Heights and widths: one row, one column."""

CENTERS = ((6, 7), (20, 3), (34, 52))


def _images(dtype: str) -> Iterator[Array]:
    rng = np.random.default_rng(2)
    for image in [*random_images(rng, SIZES), photographs()[0][:33, 100:151]]:
        yield image.astype(dtype)


def _center_crop(x: Array, size: tuple[int, int]) -> Array:
    image = torch.from_numpy(x).permute(2, 0, 1)
    return functional.center_crop(image, list(size)).permute(1, 2, 0).numpy()


def _cases_of(x: Array, dtype: str) -> Iterator[Case]:
    def case(step: str, apply: Any, wanted: Array, mode: str = "") -> Case:
        wanted = np.ascontiguousarray(wanted)
        return Case(Key(step, "", mode, dtype), apply, [x], wanted, "HWC")

    height, width, _ = x.shape
    top, left = height // 3, width // 4
    yield case(
        "crop",
        lambda p, v: p.crop(v, top, left, height - top, 1 + width // 2),
        x[top:, left : left + 1 + width // 2],
    )
    for size in CENTERS:
        wanted = _center_crop(x, size)
        yield case("center_crop", lambda p, v, s=size: p.center_crop(v, s), wanted)
    yield case("flip", lambda p, v: p.flip(v, "horizontal"), x[:, ::-1])
    yield case("flip", lambda p, v: p.flip(v, "vertical"), x[::-1])
    for turns in (-1, 0, 1, 2):
        yield case("rotate", lambda p, v, k=turns: p.rotate(v, k), np.rot90(x, turns))
    across, down = min(6, width - 1), min(5, height - 1)
    border = (across, down, max(across - 1, 0), 0)
    around = ((down, 0), (across, max(across - 1, 0)), (0, 0))
    for mode in ("reflect", "edge", "constant"):
        yield case(
            "pad",
            lambda p, v, m=mode: p.pad(v, border, m, 7 if m == "constant" else 0),
            np.pad(x, around, constant_values=7)
            if mode == "constant"
            else np.pad(x, around, mode),
            mode,
        )


def letterbox(x: Array, size: tuple[int, int], value: int) -> Array:
    """Ultralytics' `LetterBox` with its defaults, in its own steps."""
    ratio = min(size[0] / x.shape[0], size[1] / x.shape[1])
    width, height = round(x.shape[1] * ratio), round(x.shape[0] * ratio)
    across, down = (size[1] - width) / 2, (size[0] - height) / 2
    if x.shape[1::-1] != (width, height):
        x = cv2.resize(x, (width, height), interpolation=cv2.INTER_LINEAR)
    top, bottom = round(down - 0.1), round(down + 0.1)
    left, right = round(across - 0.1), round(across + 0.1)
    color = (value, value, value)
    border = cv2.BORDER_CONSTANT
    return cv2.copyMakeBorder(x, top, bottom, left, right, border, value=color)


def _letterboxes() -> Iterator[Case]:
    key = Key("letterbox", "opencv", "bilinear", "uint8")
    rng = np.random.default_rng(3)
    images = [*random_images(rng, ((37, 53), (9, 61), (20, 31))), photographs()[1]]
    sizes = ((64, 64), (32, 40), (31, 20), (160, 160))
    for x, size in zip(images, sizes, strict=True):
        wanted = letterbox(x, size, 114)
        yield Case(key, lambda p, v, s=size: p.letterbox(v, s), [x], wanted)


@cache
def _measured(dtype: str) -> dict[Key, Measured]:
    return measure([case for x in _images(dtype) for case in _cases_of(x, dtype)])


@cache
def _measured_letterboxes() -> dict[Key, Measured]:
    return measure(list(_letterboxes()))


def _check(key: Key) -> Measured:
    if key.step == "letterbox":
        return _measured_letterboxes()[key]
    return _measured(key.dtype)[key]


CHECKS: Mapping[Key, Check] = {key: partial(_check, key) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
