"""Colours, dtypes and axes, run on both targets, beside NumPy, OpenCV and torchvision."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
import torch

import devproc
from devproc.exactness.bound import Key
from tests.exactness.measuring import Case
from tests.exactness.spaces import itu
from tests.steps.both_targets import TARGETS, assert_equal
from tests.torchvision_import import functional

KEY = Key("", "", "", "")
NUMBERS = np.array(
    [
        *(0.5, 1.5, 2.5, -0.5, -1.5, 127.5, -128.5, 255.5, 256, -1, 300, 65535.5),
        *(np.nextafter(np.float32(0.5), np.float32(0)), 8388609.0, 2147483648.0, -3e9),
        *(np.nan, np.inf, -np.inf, -0.0, 1e30),
    ],
    np.float32,
)
ROUNDED = {
    "truncate": np.trunc,
    "nearest_even": np.rint,
    "half_up": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
"""In float64, where the sum with a half is exact."""


def _casts() -> Iterator[Case]:
    finite = np.nan_to_num(NUMBERS, nan=0, posinf=1e30, neginf=-1e30).astype(np.float64)
    types = ("uint8", "int8", "uint16", "int16", "int32")
    for rounding, to in zip(ROUNDED, types, strict=True):
        range_ = np.iinfo(to)
        wanted = ROUNDED[rounding](finite).clip(range_.min, range_.max).astype(to)
        yield Case(
            KEY,
            lambda p, x, r=rounding, t=to: p.cast(x, t, r, saturate=True),
            [NUMBERS],
            wanted,
            "",
        )
    inside = NUMBERS[:6]
    for rounding, round_ in ROUNDED.items():
        wanted = round_(inside.astype(np.float64)).astype(np.int32)
        yield Case(
            KEY, lambda p, x, r=rounding: p.cast(x, "int32", r), [inside], wanted, ""
        )
    whole = np.array([-(2**40), -129, -1, 0, 127, 255, 70000, 2**40], np.int64)
    for to in ("uint8", "int8", "uint16", "int32"):
        wanted = whole.clip(np.iinfo(to).min, np.iinfo(to).max).astype(to)
        yield Case(
            KEY, lambda p, x, t=to: p.cast(x, t, saturate=True), [whole], wanted, ""
        )
    wide = np.array([0, 1, 255, 256, 65535], np.uint16)
    for to in ("float32", "int64", "uint8", "bool", "float16"):
        with np.errstate(over="ignore"):
            wanted = wide.astype(to)
        yield Case(KEY, lambda p, x, t=to: p.cast(x, t), [wide], wanted, "")


def _colors() -> Iterator[Case]:
    rng = np.random.default_rng(2)
    image = rng.integers(0, 256, (4, 5, 3), np.uint8)
    wide = rng.integers(0, 65536, (4, 5, 3), np.uint16)
    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    yield Case(KEY, lambda p, x: p.color(x, "RGB->GRAY"), [image], gray[..., None])
    planes, wanted = (
        np.moveaxis(wide, -1, 0).copy(),
        cv2.cvtColor(wide, cv2.COLOR_BGR2RGBA),
    )
    yield Case(
        KEY,
        lambda p, x: p.color(x, "BGR->RGBA"),
        [planes],
        np.moveaxis(wanted, -1, 0),
        "CHW",
    )
    wanted = cv2.cvtColor(gray, cv2.COLOR_GRAY2BGRA)
    yield Case(KEY, lambda p, x: p.color(x, "GRAY->BGRA"), [gray], wanted)
    frames = rng.integers(0, 256, (2, 6, 4), np.uint8)
    wanted = np.stack([cv2.cvtColor(f, cv2.COLOR_YUV2BGR_NV21) for f in frames])
    yield Case(KEY, lambda p, x: p.yuv(x, "NV21->BGR"), [frames], wanted, "NHW")
    frames = rng.integers(0, 256, (2, 3, 4, 2), np.uint8)
    wanted = np.stack([cv2.cvtColor(f, cv2.COLOR_YUV2RGB_YUY2) for f in frames])
    yield Case(KEY, lambda p, x: p.yuv(x, "YUYV->RGB"), [frames], wanted, "NHWC")
    for name in ("NV12", "I420"):
        frame = rng.integers(0, 256, (6, 4), np.uint8)
        wanted = cv2.cvtColor(frame, getattr(cv2, f"COLOR_YUV2RGB_{name}"))
        change = f"{name}->RGB"
        yield Case(KEY, lambda p, x, c=change: p.yuv(x, c), [frame], wanted, "HW")
    bright = functional.adjust_gamma(torch.from_numpy(image), 0.7, 1.2).numpy()
    yield Case(KEY, lambda p, x: p.gamma(x, 0.7, 1.2), [image], bright)
    real = np.array([np.nan, -np.inf, np.inf, -0.0, 0.5, 3], np.float32)
    yield Case(KEY, lambda p, x: p.clamp(x, -1, 1), [real], real.clip(-1, 1), "")
    wanted = wide.clip(40000, 50000)
    yield Case(KEY, lambda p, x: p.clamp(x, 40000, 50000), [wide], wanted)
    wanted = wide.astype(np.float32) * np.float32(0.25) + np.float32(3)
    yield Case(KEY, lambda p, x: p.scale(x, 0.25, 3), [wide], wanted)


def _normalized() -> Iterator[Case]:
    """Means of bytes, with a scale that says so; the numbers are exact in float32."""
    rng = np.random.default_rng(5)
    image = rng.integers(0, 256, (5, 3, 3), np.uint8)
    real = image.astype(np.float32)
    for x in (image, image.astype(np.uint16), real):
        wanted = (real - np.float32(127.5)) / np.float32(128)
        step = lambda p, v: p.normalize(v, 127.5, 128, scale=1)  # noqa: E731
        yield Case(KEY, step, [x], wanted)
    wanted = (real / np.float32(255) - np.float32(0.5)) / np.float32(0.25)
    step = lambda p, v: p.normalize(v, 0.5, 0.25, scale=1 / 255)  # noqa: E731
    yield Case(KEY, step, [real], wanted)
    yield Case(KEY, step, [image], wanted)


def _standard_frames() -> Iterator[Case]:
    """Bytes whose colours are clear of a rounding's middle."""
    rng = np.random.default_rng(4)
    frame = rng.integers(0, 256, (6, 4), np.uint8)
    for form in (("bt601", "full"), ("bt709", "limited")):
        yield Case(
            KEY,
            lambda p, x, f=form: p.yuv(x, "NV12->RGB", *f, "itu"),
            [frame],
            itu("NV12", frame, *form),
            "HW",
        )


def _axes() -> Iterator[Case]:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 65536, (2, 3, 4, 2)).astype(np.uint16)
    yield Case(KEY, lambda p, x, y: p.stack([x, y, x]), [a, b], np.stack([a, b, a]), "")
    batches, wanted = a.reshape(2, 3, 4), np.concatenate([a.reshape(2, 3, 4)] * 2)
    yield Case(KEY, lambda p, x: p.stack([x, x]), [batches], wanted, "NHW")
    yield Case(KEY, lambda p, x: p.select(x, -1, -2), [a], a[..., 0], "HWC")
    yield Case(KEY, lambda p, x: p.stack(p.unstack(x)[::-1]), [a], a[::-1], "NHW")
    yield Case(
        KEY,
        lambda p, x: p.layout(x, "HWC->NCHW"),
        [a],
        a.transpose(2, 0, 1)[None],
        "HWC",
    )


@pytest.mark.parametrize("target", TARGETS)
def test_steps_on_pixels(target: str) -> None:
    assert_equal(
        [*_casts(), *_colors(), *_normalized(), *_standard_frames(), *_axes()], target
    )


def test_uint16_passes_borders() -> None:
    """Inputs and outputs of uint16 stay that, and wrong dtypes are refused."""
    pipe = devproc.pipeline("depth")
    pipe.output("y", pipe.cast(pipe.input("x", "uint16", (3,), ""), "uint16"))
    program = devproc.compile(pipe, threads=1)
    x = np.array([0, 40000, 65535], np.uint16)
    np.testing.assert_array_equal(program(x=x)["y"], x)
    with pytest.raises(
        devproc.InputError, match=r"must be uint16 \(3\), got int16 \(3\)"
    ):
        program(x=x.astype(np.int16))
