"""Checks of the family `warp`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from itertools import product

import cv2
import numpy as np
import torch
from PIL import Image

from devproc.exactness.bound import Key
from devproc.exactness.warp import BOUNDS, TIE
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

MATRICES = (
    (0.9, 0.2, 1.3, -0.15, 1.1, -2.7),
    (0.5, 0.0, 1.7, 0.0, 2.1, -3.3),
    (-0.7, 0.7, 9.0, 0.7, 0.7, 1.1),
)
SIZE, WIDTH_FIRST, VALUE = (21, 18), (18, 21), 9
BOXES = (
    (1, 2, 8, 9), (-3, -4, 5, 30), (0, 0, 17, 13), (5, 5, 5, 5), (40, 40, 50, 50),
    (2.25, 3.5, 11.75, 9.125),
)  # fmt: skip
"""x1, y1, x2, y2: inside, over the edges, all, of no size, outside, between pixels."""


def _pillow(x: Array, matrix: tuple[float, ...], mode: str) -> Array:
    image = Image.fromarray(x)
    value = (VALUE,) * 3 if x.ndim == 3 else VALUE
    filter_ = Image.Resampling[mode.upper()]
    affine = Image.Transform.AFFINE
    return np.asarray(
        image.transform(WIDTH_FIRST, affine, matrix, filter_, fillcolor=value)
    )


def _pillow_cases(x: Array) -> Iterator[Case]:
    for matrix in MATRICES if len(x) > 1 else MATRICES[:1]:
        for mode in ("nearest", "bilinear"):
            key = Key("affine", "pillow", mode, str(x.dtype))
            yield Case(
                key,
                lambda p, v, m=matrix, how=mode: p.affine(
                    v, m, SIZE, how, "pillow", value=VALUE
                ),
                [x],
                _pillow(x, matrix, mode),
            )


def _clear(
    matrix: Array, size: tuple[int, int], shape: tuple[int, ...], *, centred: bool
) -> Array:
    """Which pixels of a result lie nearer to one pixel of the image than to others."""
    y, x = np.mgrid[: size[0], : size[1]].astype(np.float64)
    if centred:
        y, x = y - (size[0] - 1) / 2, x - (size[1] - 1) / 2
    places = np.tensordot(matrix.reshape(2, 3), np.stack([x, y, x * 0 + 1]), 1)
    if centred:
        places += (np.array(shape[1::-1]).reshape(2, 1, 1) - 1) / 2
    across, down = np.abs(places - np.floor(places) - 0.5)
    limit = TIE * max(*size, *shape[:2])
    clear = (across > limit) & (down > limit)
    assert clear.mean() > 0.9
    return clear


def _opencv_cases(x: Array) -> Iterator[Case]:
    borders = {"constant": cv2.BORDER_CONSTANT, "edge": cv2.BORDER_REPLICATE}
    modes = {"nearest": cv2.INTER_NEAREST, "bilinear": cv2.INTER_LINEAR}
    forms = zip(MATRICES[:2], borders.items(), strict=True)
    for (numbers, (border, number)), mode in product(forms, modes):
        matrix = np.array(numbers).reshape(2, 3)
        wanted = cv2.warpAffine(
            x,
            matrix,
            WIDTH_FIRST,
            flags=modes[mode],
            borderMode=number,
            borderValue=(VALUE,) * 3,
        )
        inverse = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))[:2]
        clear = _clear(inverse, SIZE, x.shape, centred=False)
        yield Case(
            Key("affine", "opencv", mode, str(x.dtype)),
            lambda p, v, m=matrix, how=mode, b=border: p.affine(
                v, m, SIZE, how, border=b, value=VALUE
            ),
            [x],
            wanted,
            compared=clear if mode == "nearest" else None,
        )


def _torchvision_cases(x: Array) -> Iterator[Case]:
    image = torch.from_numpy(x).reshape(*x.shape[:2], -1).permute(2, 0, 1)
    geometry = import_module(functional.affine_image.__module__)
    inverse = geometry._get_inverse_affine_matrix
    modes = functional.InterpolationMode
    forms = (30, [2, -1], 1.3, [5.0, 0.0]), (-7, [0, 0], 0.6, [0.0, 9.0])
    for form, mode in product(forms, (modes.NEAREST, modes.BILINEAR)):
        wanted = functional.affine(image.contiguous(), *form, mode)
        angle, shift, scale, shear = form
        matrix = inverse([0.0, 0.0], angle, [float(s) for s in shift], scale, shear)
        clear = _clear(np.array(matrix), x.shape[:2], x.shape, centred=True)
        yield Case(
            Key("affine", "torchvision", mode.value, str(x.dtype)),
            lambda p, v, m=matrix, how=mode.value: p.affine(
                v, m, x.shape[:2], how, "torchvision"
            ),
            [x],
            wanted.permute(1, 2, 0).reshape(x.shape).contiguous().numpy(),
            compared=clear if mode == modes.NEAREST else None,
        )


def _grid_cases() -> Iterator[Case]:
    rng = np.random.default_rng(6)
    x = rng.random((2, 3, 5, 7), np.float32)
    grid = (rng.random((2, 9, 11, 2), np.float32) - 0.5) * 3
    grid[0, 0, 0], grid[0, 0, 1], grid[1, 0, 0] = np.nan, 1e30, -1
    forms = {
        "bilinear": (("zeros", False), ("reflection", True)),
        "nearest": (("zeros", True), ("reflection", False)),
        "bicubic": (("border", False),),
    }
    for mode in forms:
        for form in forms[mode]:
            tensors = torch.from_numpy(x), torch.from_numpy(grid)
            wanted = torch.nn.functional.grid_sample(*tensors, mode, *form)
            yield Case(
                Key("grid_sample", "", mode, "float32"),
                lambda p, v, g, m=mode, f=form: p.grid_sample(v, g, m, *f),
                [x, grid],
                wanted.numpy(),
                "NCHW",
            )


def _read(x: Array, y: float, column: float) -> Array:
    """The image between its pixels."""
    height, width = x.shape[:2]
    top, left = int(y), int(column)
    down, across = y - top, column - left
    below, right = min(top + 1, height - 1), min(left + 1, width - 1)
    upper = x[top, left] * (1 - across) + x[top, right] * across
    return (
        upper * (1 - down)
        + (x[below, left] * (1 - across) + x[below, right] * across) * down
    )


def roi_align(
    x: Array, box: tuple[float, ...], size: tuple[int, int], by: int
) -> Array:
    """`torchvision.ops.roi_align(..., aligned=True)` of one box, in float64."""
    left, top, right, bottom = (n - 0.5 for n in box)
    (height, width), result = x.shape[:2], np.zeros((*size, x.shape[2]))
    for row, column in np.ndindex(size):
        for i, j in np.ndindex(by, by):
            y = top + (row + (i + 0.5) / by) * (bottom - top) / size[0]
            place = left + (column + (j + 0.5) / by) * (right - left) / size[1]
            if -1 <= y <= height and -1 <= place <= width:
                held = min(max(y, 0), height - 1), min(max(place, 0), width - 1)
                result[row, column] += _read(x, *held) / by**2
    return result


def tf_crop(x: Array, box: tuple[float, ...], size: tuple[int, int]) -> Array:
    """`tf.image.crop_and_resize` of one box, in float64."""
    top, left, bottom, right = box
    (height, width), result = x.shape[:2], np.zeros((*size, x.shape[2]))

    def place(low: float, high: float, count: int, whole: int, at: int) -> float:
        if count == 1:
            return 0.5 * (low + high) * (whole - 1)
        return low * (whole - 1) + at * (high - low) * (whole - 1) / (count - 1)

    for row, column in np.ndindex(size):
        y = place(top, bottom, size[0], height, row)
        at = place(left, right, size[1], width, column)
        if 0 <= y <= height - 1 and 0 <= at <= width - 1:
            result[row, column] = _read(x, y, at)
    return result


def area_crop(x: Array, box: tuple[float, ...], size: tuple[int, int]) -> Array:
    """`interpolate(mode="area")` of the whole pixels of one box, in float64."""
    height, width = x.shape[:2]
    if not all(number == number for number in box):
        return np.zeros((*size, x.shape[2]))
    left, right = (int(min(max(n, 0), width)) for n in box[::2])
    top, bottom = (int(min(max(n, 0), height)) for n in box[1::2])
    part = torch.from_numpy(x[top:bottom, left:right].astype(np.float64))
    if not part.numel():
        return np.zeros((*size, x.shape[2]))
    planes = part.permute(2, 0, 1)[None]
    found = torch.nn.functional.interpolate(planes, size, mode="area")
    return found[0].permute(1, 2, 0).numpy()


def _area_cases(x: Array) -> Iterator[Case]:
    rng = np.random.default_rng(8)
    boxes = rng.uniform(-5, 40, (40, 4)).astype(np.float32)
    boxes[:20, 2:] += boxes[:20, :2]
    boxes[0], boxes[1, 2], boxes[2, :2] = (-np.inf, 0, np.inf, 9), np.nan, -3
    for size in ((3, 4), (1, 1), (24, 24)):
        found = [area_crop(x, tuple(box), size) for box in boxes.tolist()]
        yield Case(
            Key("crop_and_resize", "pytorch", "", "uint8"),
            lambda p, v, b, s=size: p.crop_and_resize(v, b, s, "pytorch"),
            [x, boxes],
            np.stack(found).astype(np.float32),
        )


def _box_cases(x: Array) -> Iterator[Case]:
    boxes, wide = np.array(BOXES, np.float32), x.astype(np.float64)
    for samples in (1, 3) if x.dtype == np.uint8 else (2,):
        found = [roi_align(wide, box, (3, 4), samples) for box in BOXES]
        yield Case(
            Key("crop_and_resize", "torchvision", "", str(x.dtype)),
            lambda p, v, b, s=samples: p.crop_and_resize(
                v, b, (3, 4), sampling_ratio=s
            ),
            [x, boxes],
            np.stack(found).astype(np.float32),
        )
    # A place on the border of the image is inside or not by its last bit: eighths are exact.
    parts = np.array(
        [(0.125, 0.25, 0.875, 0.5), (0.5, -0.5, 1.5, 0.75), (0.75, 0.5, 0.25, 0.0)]
    )
    for size in ((3, 5), (1, 2)) if x.dtype == np.uint8 else ((2, 3),):
        found = [tf_crop(wide, tuple(box), size) for box in parts]
        yield Case(
            Key("crop_and_resize", "tensorflow", "", str(x.dtype)),
            lambda p, v, b, s=size: p.crop_and_resize(v, b, s, "tensorflow"),
            [x, parts.astype(np.float32)],
            np.stack(found).astype(np.float32),
        )


@cache
def _measured() -> dict[Key, Measured]:
    rng = np.random.default_rng(7)
    row, image = random_images(rng, ((1, 9), (13, 17)))
    cases = [*_grid_cases(), *_pillow_cases(row)]
    photograph = photographs()[1][:61, 50:123]
    for x in (photograph.copy(), image[..., 0].astype(np.float32)):
        cases += [*_pillow_cases(x), *_opencv_cases(x), *_torchvision_cases(x)]
    for x in (image, image.astype(np.float32) / 255):
        cases += _box_cases(x)
    for x in (image, row, photograph.copy(), photographs()[0][:40]):
        cases += _area_cases(x)
    return measure(cases)


def _check(key: Key) -> Measured:
    return _measured()[key]


CHECKS: Mapping[Key, Check] = {key: partial(_check, key) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
