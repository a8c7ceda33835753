"""The input window of each output of OpenCV's `resize`, as in `resize.cpp`.

Only index arithmetic, in plain Python, as in `filters.py`. A window may exceed the
input; its indices are then clamped.
"""

from __future__ import annotations

from ctypes import c_float
from math import ceil, floor

OPENCV_TAPS = {"nearest": 1, "bilinear": 2, "bicubic": 4, "lanczos": 8}
"""Mode -> taps of a window, whether the image shrinks or grows."""

NEGLIGIBLE = 1e-3
"""`area` omits the first or last element of a window if less of it is covered."""

Windows = tuple[tuple[int, int], ...]


def opencv_windows(in_size: int, out_size: int, mode: str) -> Windows:
    """First input index and number of taps of each output."""
    if mode == "area":
        spans = [area_span(in_size, out_size, i) for i in range(out_size)]
        return tuple((first, end - first) for first, end, _, _ in spans)
    if mode == "nearest":
        step = 1.0 / (out_size / in_size)
        return tuple((min(floor(i * step), in_size - 1), 1) for i in range(out_size))
    taps = OPENCV_TAPS.get(mode, 2)
    before = taps // 2 - 1
    places = (opencv_place(in_size, out_size, i, mode) for i in range(out_size))
    return tuple((whole - before, taps) for whole, _ in places)


def opencv_place(
    in_size: int, out_size: int, index: int, mode: str
) -> tuple[int, float]:
    """The input element at or before an output, and the distance to it (float32)."""
    factor = out_size / in_size
    step = 1.0 / factor
    if mode == "area, enlarged":
        whole = floor(index * step)
        part = c_float((index + 1) - (whole + 1) * factor).value
        return whole, c_float(part - floor(part)).value if part > 0 else 0.0
    place = c_float((index + 0.5) * step - 0.5).value
    whole = floor(place)
    return whole, c_float(place - whole).value


def area_span(
    in_size: int, out_size: int, index: int
) -> tuple[int, int, float | None, float | None]:
    """First and end of the inputs that an output covers, and the weights (float32) of
    the first and the last input if they are covered partially."""
    step = 1.0 / (out_size / in_size)
    low = index * step
    high = low + step
    cell = min(step, in_size - low)
    last = min(floor(high), in_size - 1)
    first = min(ceil(low), last)
    before = after = None
    if first - low > NEGLIGIBLE:
        before = c_float((first - low) / cell).value
    if high - last > NEGLIGIBLE:
        after = c_float(min(high - last, 1.0, cell) / cell).value
    return first - (before is not None), last + (after is not None), before, after


def is_whole_step(in_size: int, out_size: int) -> bool:
    """Whether each output of `area` covers a whole number of inputs."""
    step = 1.0 / (out_size / in_size)
    return abs(step - round(step)) < 2.0**-52
