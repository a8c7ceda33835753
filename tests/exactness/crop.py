"""Checks of the family `crop`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from devproc.dialects.pipe.crop import PAD_MODES
from devproc.exactness.bound import ANY, Key
from devproc.exactness.crop import BOUNDS
from tests.exactness.dtypes import Step, of_dtype, random_array
from tests.exactness.geometry import LIBRARIES, Resize, Sizes, odd_size
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

LETTERBOX = (160, 160)
"""For a whole photograph, in the form that detectors have; others are smaller."""

CENTERS = ((6, 7), (20, 3), (34, 52))


SMALL = ("float64", "int64", "int32", "int16", "int8", "uint16", "float16", "bfloat16")
"""Dtypes whose pixels are moved as those of the others are; a small image shows it."""


def _images() -> Iterator[tuple[str, Array]]:
    rng = np.random.default_rng(2)
    for image in [*random_images(rng, SIZES), photographs()[0][:33, 100:151]]:
        yield "uint8", np.ascontiguousarray(image)
    for dtype in (*SMALL, "float32", "bool"):
        yield dtype, random_array(rng, (5, 7, 2), dtype)


def _center_crop(x: Array, size: tuple[int, int]) -> Array:
    # Its padding knows no bool and no uint16.
    wide = {"bool": "uint8", "uint16": "int32"}.get(str(x.dtype), str(x.dtype))
    image = torch.from_numpy(x.astype(wide)).permute(2, 0, 1)
    cropped = functional.center_crop(image, list(size))
    return cropped.permute(1, 2, 0).numpy().astype(x.dtype)


def _forms(x: Array) -> Iterator[tuple[str, str, list[tuple[Step, Array]]]]:
    """Step, mode, and what the step does in some of its forms beside what it should."""
    height, width, _ = x.shape
    top, left, right = height // 3, width // 4, 1 + width // 2
    yield (
        "crop",
        "",
        [
            (
                lambda p, v: p.crop(v, top, left, height - top, right),
                x[top:, left : left + right],
            )
        ],
    )
    yield (
        "center_crop",
        "",
        [
            (lambda p, v, s=size: p.center_crop(v, s), _center_crop(x, size))
            for size in CENTERS
        ],
    )
    yield (
        "flip",
        "",
        [
            (lambda p, v: p.flip(v, "horizontal"), x[:, ::-1]),
            (lambda p, v: p.flip(v, "vertical"), x[::-1]),
        ],
    )
    yield (
        "rotate",
        "",
        [
            (lambda p, v, k=turns: p.rotate(v, k), np.rot90(x, turns))
            for turns in (-1, 0, 1, 2)
        ],
    )
    across, down = min(6, width - 1), min(5, height - 1)
    border = (across, down, max(across - 1, 0), 0)
    around: Any = ((down, 0), (across, max(across - 1, 0)), (0, 0))
    for mode in ("reflect", "edge"):
        wanted = np.pad(x, around, mode)
        yield "pad", mode, [(lambda p, v, m=mode: p.pad(v, border, m), wanted)]
    value = 1 if x.dtype == np.bool_ else 7
    wanted = np.pad(x, around, constant_values=value)
    yield "pad", "constant", [(lambda p, v: p.pad(v, border, value=value), wanted)]


def _cases() -> Iterator[Case]:
    for number, (dtype, x) in enumerate(_images()):
        for step, mode, forms in _forms(x):
            if dtype in SMALL and mode not in ("", PAD_MODES[number % 3]):
                continue
            key = Key(step, "", mode, ANY)
            some = forms if len(x) == 33 else [forms[number % len(forms)]]
            for apply, wanted in some:
                yield of_dtype(dtype, key, apply, x, wanted, "HWC")


def letterbox(x: Array, size: tuple[int, int], value: int, resize: Resize) -> Array:
    """Ultralytics' `LetterBox` with its defaults, in its own steps."""
    ratio = min(size[0] / x.shape[0], size[1] / x.shape[1])
    width, height = round(x.shape[1] * ratio), round(x.shape[0] * ratio)
    across, down = (size[1] - width) / 2, (size[0] - height) / 2
    if x.shape[1::-1] != (width, height):
        x = resize(x, (height, width))
    top, bottom = round(down - 0.1), round(down + 0.1)
    left, right = round(across - 0.1), round(across + 0.1)
    around: Any = ((top, bottom), (left, right), *[(0, 0)] * (x.ndim - 2))
    return np.pad(x, around, constant_values=value)


def _letterbox_images(key: Key) -> Iterator[tuple[Array, Sizes]]:
    """Noise or one row of pixels, and a photograph's part, with the sizes to fit into."""
    rng = np.random.default_rng([*" ".join(key).encode()])
    small, large = odd_size(rng, 3, 25), odd_size(rng, 27, 61)
    noise = small if rng.random() < 0.5 else (1, large[1])
    yield next(random_images(rng, [noise])), large
    top, left = rng.integers(0, 200, 2)
    yield photographs()[0][top : top + large[1], left : left + large[0]], small
    if key[1:] == ("opencv", "bilinear", "uint8"):
        yield photographs()[1], LETTERBOX


def _letterboxes() -> Iterator[Case]:
    for key in (k for k in BOUNDS if k.step == "letterbox"):
        resize = LIBRARIES[key.like](key.mode)
        for image, size in _letterbox_images(key):
            x = image.astype(key.dtype)
            if key.like == "pillow" and key.dtype == "float32":
                x = x[..., 0]
            x = np.ascontiguousarray(x)
            step = partial(
                lambda p, v, s, form: p.letterbox(v, s, 114, *form),
                s=size,
                form=(key.like, key.mode),
            )
            yield Case(key, step, [x], letterbox(x, size, 114, resize), "HWC"[: x.ndim])


@cache
def _measured() -> dict[Key, Measured]:
    return measure([*_cases(), *_letterboxes()])


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
