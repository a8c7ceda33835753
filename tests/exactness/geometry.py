"""Checks of resizing, of the family `geometry`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from devproc.dialects.nn.resampling.filters import PLAIN
from devproc.exactness.bound import Key
from devproc.exactness.geometry import BOUNDS
from tests.exactness.measuring import (
    Array,
    Case,
    Check,
    Measured,
    measure,
    photographs,
    random_images,
)

Sizes = tuple[int, int]
"""Height and width."""

EXTREME = ((301, 5), (3, 40))
"""Before and after: ratios of a hundred and of eight."""

WHOLE_STEPS = (((24, 42), (12, 21)), ((36, 45), (12, 9)))
"""The same where OpenCV's bilinear and area go another way."""

OPENCV = {
    "nearest": cv2.INTER_NEAREST,
    "bilinear": cv2.INTER_LINEAR,
    "bicubic": cv2.INTER_CUBIC,
    "area": cv2.INTER_AREA,
    "lanczos": cv2.INTER_LANCZOS4,
}

Resize = Callable[[Array, Sizes], Array]


def pillow(mode: str) -> Resize:
    """Pillow's resize; multi-channel floats have no mode there."""

    def resize(x: Array, size: tuple[int, int]) -> Array:
        filter_ = Image.Resampling[mode.upper()]
        image = Image.fromarray(x)
        return np.asarray(image.resize((size[1], size[0]), filter_))

    return resize


def torchvision(mode: str) -> Resize:
    """What torchvision calls for an image on the CPU, here with its channels last."""
    name = mode.removesuffix(PLAIN)
    antialias = name == mode and not mode.startswith("nearest")

    def resize(x: Array, size: tuple[int, int]) -> Array:
        image = torch.from_numpy(x)[None].permute(0, 3, 1, 2)
        resized = F.interpolate(image, size, mode=name, antialias=antialias)
        return resized[0].permute(1, 2, 0).numpy()

    return resize


def opencv(mode: str) -> Resize:
    """OpenCV's resize by its own code; Intel's library may stand in for parts of it."""

    def resize(x: Array, size: tuple[int, int]) -> Array:
        was_on = cv2.ipp.useIPP()
        cv2.ipp.setUseIPP(False)
        resized = cv2.resize(x, size[::-1], interpolation=OPENCV[mode])
        cv2.ipp.setUseIPP(was_on)
        return resized.reshape(*size, *x.shape[2:])

    return resize


LIBRARIES = {"pillow": pillow, "torchvision": torchvision, "opencv": opencv}


def odd_size(rng: np.random.Generator, least: int, most: int) -> Sizes:
    """Odd numbers between two odd ones, the width not the height."""
    height, width = (2 * rng.permutation(np.arange(least // 2, most // 2 + 1)) + 1)[:2]
    return int(height), int(width)


def resizes(rng: np.random.Generator) -> list[tuple[Sizes, Sizes]]:
    """Sizes before and after: up, down, both or extreme; to one column, from one row."""
    small, large = odd_size(rng, 3, 25), odd_size(rng, 27, 61)
    ways = (
        (small, large),
        (large, small),
        ((small[0], large[1]), (large[0], small[1])),
        EXTREME,
    )
    return [ways[rng.integers(4)], (large, (small[0], 1)), ((1, small[0]), large)]


def cases(like: str, mode: str, dtype: str) -> Iterator[Case]:
    """The images of one row, of other sizes than another's."""
    library, name = LIBRARIES[like](mode), mode.removesuffix(PLAIN)
    antialias = False if name != mode else None
    rng = np.random.default_rng([*f"{like} {mode} {dtype}".encode()])
    pairs = resizes(rng)[: 3 if dtype == "uint8" else 2]
    if like == "opencv" and mode in ("bilinear", "area"):
        pairs += WHOLE_STEPS
    inputs = random_images(rng, [old for old, _ in pairs])
    images = [(x, new) for x, (_, new) in zip(inputs, pairs, strict=True)]
    images.append((photographs()[0], odd_size(rng, 71, 223)))
    if like == "pillow" and dtype == "uint8" and mode in ("bilinear", "lanczos"):
        images += [(image, (9, 31)) for image in random_images(rng, [(19, 23)], 4)]
        images += [(image, (25, 8)) for image in random_images(rng, [(19, 23)], 2)]
    for image, size in images:
        x = image.astype(dtype)
        if like == "pillow" and dtype == "float32":
            x = np.ascontiguousarray(x[..., 0])
        yield Case(
            Key("resize", like, mode, dtype),
            lambda p, v, s=size: p.resize(v, s, like, name, antialias),
            [x],
            library(x, size),
            "HWC"[: x.ndim],
        )


@cache
def _measured(like: str) -> dict[Key, Measured]:
    """All rows of a library."""
    keys = [key for key in BOUNDS if key.like == like]
    return measure([case for key in keys for case in cases(*key[1:])])


def _row(key: Key) -> Measured:
    return _measured(key.like)[key]


CHECKS: Mapping[Key, Check] = {key: partial(_row, key) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
