"""Checks of the family `spaces`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import cv2
import numpy as np
from PIL import Image

from devproc.exactness.bound import Key
from devproc.exactness.spaces import BOUNDS
from tests.exactness.measuring import (
    Array,
    Case,
    Check,
    Measured,
    measure,
    photographs,
    random_images,
)

CHANGES = ("RGB->BGR", "BGR->GRAY", "RGB->RGBA", "GRAY->RGB")
WITH_ALPHA = ("RGBA->GRAY", "BGRA->RGB")
KR_KB = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}
FRAMES = ((2, 2), (34, 50))


def _color_cases(x: Array) -> Iterator[Case]:
    opaque = {"uint8": 255, "uint16": 65535, "float32": 1}[str(x.dtype)] // 3
    alpha = np.concatenate([x, np.full_like(x[..., :1], opaque)], -1)
    for change in (*CHANGES, *WITH_ALPHA):
        given = alpha if change in WITH_ALPHA else x
        given = x[..., :1].copy() if change.startswith("GRAY") else given
        number = getattr(cv2, "COLOR_" + change.replace("->", "2"))
        wanted = cv2.cvtColor(given, number).reshape(*x.shape[:2], -1)
        key = Key("color", "opencv", "", str(x.dtype))
        yield Case(key, lambda p, v, c=change: p.color(v, c), [given], wanted, "HWC")


def _pillow_cases(x: Array) -> Iterator[Case]:
    key = Key("color", "pillow", "", "uint8")
    modes = {"RGB": "RGB", "GRAY": "L", "RGBA": "RGBA"}
    for source, target in (("RGB", "GRAY"), ("RGB", "RGBA"), ("GRAY", "RGB")):
        given = x[..., 0].copy() if source == "GRAY" else x
        converted = Image.fromarray(given, modes[source]).convert(modes[target])
        wanted = np.asarray(converted).reshape(*x.shape[:2], -1)
        change = f"{source}->{target}"
        yield Case(key, lambda p, v, c=change: p.color(v, c, "pillow"), [given], wanted)


def _frames() -> Iterator[tuple[str, Array]]:
    rng = np.random.default_rng(4)
    for height, width in FRAMES:
        for name in ("NV12", "NV21", "I420"):
            yield name, rng.integers(0, 256, (height * 3 // 2, width), np.uint8)
        yield "YUYV", rng.integers(0, 256, (height, width, 2), np.uint8)


def _planes(name: str, frame: Array) -> tuple[Array, ...]:
    """Y, U and V in float64, one for each pixel."""
    if name == "YUYV":
        colors = frame[..., 1].reshape(len(frame), -1, 2).repeat(2, 1)
        y, u, v = frame[..., 0], colors[..., 0], colors[..., 1]
    else:
        height = len(frame) * 2 // 3
        y, rest = frame[:height], frame[height:]
        if name == "I420":
            u, v = rest.reshape(2, height // 2, -1)
        else:
            u, v = np.moveaxis(rest.reshape(height // 2, -1, 2), -1, 0)
        u, v = (c.repeat(2, 0).repeat(2, 1) for c in (u, v))
        if name == "NV21":
            u, v = v, u
    return tuple(c.astype(np.float64) for c in (y, u, v))


def itu(name: str, frame: Array, matrix: str, range_: str) -> Array:
    """R, G and B by the standard's definitions of Y, Cb and Cr."""
    y, u, v = _planes(name, frame)
    if range_ == "limited":
        y, u, v = (y - 16) / 219, (u - 128) / 224, (v - 128) / 224
    else:
        y, u, v = y / 255, (u - 128) / 255, (v - 128) / 255
    red_part, blue_part = KR_KB[matrix]
    red = y + v * 2 * (1 - red_part)
    blue = y + u * 2 * (1 - blue_part)
    green = (y - red_part * red - blue_part * blue) / (1 - red_part - blue_part)
    pixels = np.stack([red, green, blue], -1) * 255
    return np.rint(pixels.clip(0, 255)).astype(np.uint8)


def _yuv_cases() -> Iterator[Case]:
    numbers = {"YUYV": "YUY2"}
    for name, frame in _frames():
        layout = "HWC" if name == "YUYV" else "HW"
        for target in ("RGB", "BGR")[: 2 if name == "YUYV" else 1]:
            number = f"COLOR_YUV2{target}_{numbers.get(name, name)}"
            wanted = cv2.cvtColor(frame, getattr(cv2, number))
            change = f"{name}->{target}"
            yield Case(
                Key("yuv", "opencv", "", "uint8"),
                lambda p, v, c=change: p.yuv(v, c),
                [frame],
                wanted,
                layout,
            )
        forms = (("bt601", "full"), ("bt709", "limited"), ("bt709", "full"))
        for form in forms if name == "NV12" else forms[:1]:
            yield Case(
                Key("yuv", "itu", "", "uint8"),
                lambda p, v, n=name, f=form: p.yuv(v, f"{n}->RGB", *f, "itu"),
                [frame],
                itu(name, frame, *form),
                layout,
            )


@cache
def _measured() -> dict[Key, Measured]:
    rng = np.random.default_rng(5)
    cases = [*_yuv_cases()]
    (pixel,) = random_images(rng, ((1, 1),))
    photograph = photographs()[0][:40, :61].copy()
    wide = photograph.astype(np.uint16) * 256
    wide += rng.integers(0, 256, wide.shape, np.uint16)
    for x in (pixel, photograph, wide, photograph.astype(np.float32) / 255):
        cases += _color_cases(x)
    cases += _pillow_cases(photograph)
    return measure(cases)


def _check(key: Key) -> Measured:
    return _measured()[key]


CHECKS: Mapping[Key, Check] = {key: partial(_check, key) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
