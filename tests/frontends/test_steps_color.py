"""Steps on colours, dtypes and axes: what they refuse."""

from __future__ import annotations

import pytest

from tests.frontends.refusals import Wrong, assert_refused

CAFFE = (123.675, 116.28, 103.53)

WRONG: dict[str, Wrong] = {
    "a mean of bytes": (
        lambda p, x: p.normalize(x, CAFFE, 1),
        r"uint8 \(8, 9, 3\) HWC is divided by 255 first, and mean \[123.675, 116.28, 103.53\]"
        r" with std \[1.0, 1.0, 1.0\] is not of numbers from 0 to 1; give scale=1 to"
        r" normalize pixels from 0 to 255 as they are, or divide mean and std by 255; scale",
    ),
    "a standard deviation of bytes": (
        lambda p, x: p.normalize(x, 0, 255),
        r"divided by 255 first, and mean .* with std \[255.0, .*give scale=1 to normalize",
    ),
    "a mean of uint16": (
        lambda p, x: p.normalize(p.cast(x, "uint16"), CAFFE, 1),
        r"divided by 65535 first.*give scale=1 to normalize pixels from 0 to 65535",
    ),
    "a scale of zero": (
        lambda p, x: p.normalize(x, 0.5, 0.5, scale=0),
        r"scale is 0; give a number to multiply with",
    ),
    "a scale without a reciprocal": (
        lambda p, x: p.normalize(x, 0.5, 0.5, scale=1e-320),
        r"scale is .*; give a number to multiply with",
    ),
    "a standard deviation of zero": (
        lambda p, x: p.normalize(x, 0.5, (1, 0, 1)),
        r"std must not be zero, got \[1.0, 0.0, 1.0\]; give the standard deviation of each"
        r" channel, 1 to leave a channel as it is$",
    ),
    "a mode misspelt": (
        lambda p, x: p.resize(x, (2, 2), mode="bilinaer"),
        r"pillow has no resize mode 'bilinaer'; one of nearest, box, bilinear, hamming,"
        r" bicubic, lanczos; did you mean 'bilinear'\?$",
    ),
    "a library misspelt": (
        lambda p, x: p.resize(x, (2, 2), "pilow"),
        r"unknown reference 'pilow'; one of .*; did you mean 'pillow'\?$",
    ),
    "a dtype misspelt": (
        lambda p, x: p.cast(x, "flaot32"),
        r"unknown dtype 'flaot32'; use one of .*; did you mean 'float32'\?$",
    ),
    "rounding unknown": (
        lambda p, x: p.cast(p.scale(x, 1), "uint8", "half_down"),
        r"unknown rounding 'half_down'; one of truncate, nearest_even, half_up, floor",
    ),
    "rounding of integers": (
        lambda p, x: p.cast(x, "int8", "floor"),
        r"there is nothing to round between uint8 \(8, 9, 3\) and int8 \(8, 9, 3\)",
    ),
    "saturated floats": (
        lambda p, x: p.cast(x, "float16", saturate=True),
        r"only integers saturate, not float16 \(8, 9, 3\)",
    ),
    "two factors for three channels": (
        lambda p, x: p.scale(x, (1, 2)),
        r"uint8 \(8, 9, 3\) HWC has 3 channels, but factor has 2 values",
    ),
    "an offset that is no number": (
        lambda p, x: p.scale(x, 1, "a"),  # pyright: ignore
        r"scale: offset is 'a'; give numbers",
    ),
    "scaled bools": (lambda p, x: p.scale(p.cast(x, "bool"), 2), r"is not numeric"),
    "clamp turned round": (
        lambda p, x: p.clamp(x, 9, 3),
        r"no number is between 9 and 3",
    ),
    "clamp of NaN": (
        lambda p, x: p.clamp(p.scale(x, 1), float("nan"), 1),
        r"no number is between nan and 1",
    ),
    "clamp beyond a byte": (
        lambda p, x: p.clamp(x, -1, 3),
        r"clamp of uint8 \(8, 9, 3\) HWC with -1, which its dtype does not have",
    ),
    "gamma below zero": (
        lambda p, x: p.gamma(x, -1),
        r"gamma must not be negative, got -1",
    ),
    "gamma of int64": (
        lambda p, x: p.gamma(p.cast(x, "int64"), 2),
        r"gamma takes uint8, uint16 or a float, got int64",
    ),
    "colours without an arrow": (
        lambda p, x: p.color(x, "RGB"),
        r"color: 'RGB' is no change of colours; write 'RGB->BGR'",
    ),
    "colours unknown": (
        lambda p, x: p.color(x, "RGB->HSV"),
        r"unknown target 'HSV'; one of RGB, BGR, GRAY, RGBA, BGRA",
    ),
    "colours of too many channels": (
        lambda p, x: p.color(x, "RGBA->RGB"),
        r"RGBA has 4 channels, got uint8 \(8, 9, 3\) HWC; give an image whose axis C",
    ),
    "colours that Pillow lacks": (
        lambda p, x: p.color(p.scale(x, 1), "RGB->GRAY", "pillow"),
        r"pillow converts uint8, got float32 \(8, 9, 3\) HWC",
    ),
    "colours of a plain tensor": (
        lambda p, x: p.color(p.input("y", "uint8", (3, 4), ""), "GRAY->RGB"),
        r"color needs axes H and W, got uint8 \(3, 4\)",
    ),
    "a frame of odd height": (
        lambda p, x: p.yuv(p.input("y", "uint8", (8, 4)), "NV12->RGB"),
        r"yuv of .*: uint8 \(8, 4\) HW is no NV12 frame of an even size; declare the frame",
    ),
    "a frame of odd width": (
        lambda p, x: p.yuv(p.input("y", "uint8", (4, 5, 2), "HWC"), "YUYV->RGB"),
        r"uint8 \(4, 5, 2\) HWC is no YUYV frame",
    ),
    "a frame of pixels": (
        lambda p, x: p.yuv(x, "I420->RGB"),
        r"I420 is uint8 with layout HW or NHW, got uint8 \(8, 9, 3\) HWC",
    ),
    "OpenCV's other matrix": (
        lambda p, x: p.yuv(p.input("y", "uint8", (6, 4)), "NV12->RGB", "bt709"),
        r"OpenCV has no conversion of limited bt709, only of limited bt601; like 'itu'",
    ),
    "a matrix of no standard": (
        lambda p, x: p.yuv(p.input("y", "uint8", (6, 4)), "NV12->RGB", "bt2020"),
        r"unknown matrix 'bt2020'; one of bt601, bt709",
    ),
    "stack of nothing": (
        lambda p, x: p.stack([]),
        r"stack of : stack needs at least one value; give a list",
    ),
    "stack of one value": (
        lambda p, x: p.stack(x),  # pyright: ignore
        r"stack: <Value uint8 \(8, 9, 3\) HWC> is no list; give a list of values",
    ),
    "stack of different sizes": (
        lambda p, x: p.stack([x, p.crop(x, 0, 0, 4, 4)]),
        r"got uint8 \(8, 9, 3\) HWC and uint8 \(4, 4, 3\) HWC",
    ),
    "select too far": (
        lambda p, x: p.select(x, 2, 3),
        r"index 3 is out of range for axis 2 of uint8 \(8, 9, 3\)",
    ),
    "select along a fourth axis": (
        lambda p, x: p.select(x, 3, 0),
        r"axis 3 is out of range for rank 3",
    ),
    "unstack along a fourth axis": (
        lambda p, x: p.unstack(x, -4),
        r"unstack: <Value uint8 \(8, 9, 3\) HWC> has no axis -4; give an axis",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_step_is_refused_at_its_line(name: str) -> None:
    assert_refused(WRONG[name], __file__)
