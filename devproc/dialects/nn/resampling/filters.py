"""The input windows of resampling filters, as in Pillow, ATen and OpenCV.

Only index arithmetic, in plain Python, for shape rules and for the tap tables of the
reference, which add the weights. Floating-point steps follow the C sources in order and
precision, because rounding determines where a window begins.
"""

from __future__ import annotations

from ctypes import c_float
from functools import cache
from math import floor

from devproc.dialects.nn.resampling.opencv_filters import OPENCV_TAPS, opencv_windows

FILTER_SUPPORT = {
    "nearest": 0.5,
    "box": 0.5,
    "bilinear": 1.0,
    "hamming": 1.0,
    "bicubic": 2.0,
    "lanczos": 3.0,
}
"""Half width of each filter at scale 1 (Pillow, `Resample.c`)."""

PLAIN = ", no antialias"
"""Suffix of a mode: the filter keeps its width when the image shrinks."""

LIKE_MODES = {
    "pillow": tuple(FILTER_SUPPORT),
    "torchvision": (
        "nearest",
        "nearest-exact",
        "bilinear",
        "bicubic",
        f"bilinear{PLAIN}",
        f"bicubic{PLAIN}",
    ),
}
"""Library -> its separable modes."""

TAP_MODES = {**LIKE_MODES, "opencv": (*OPENCV_TAPS, "area", "area, enlarged")}
"""Library -> the modes that a tap table can have."""


def vertical_first(old: tuple[int, int], new: tuple[int, int], like: str) -> bool:
    """Whether the library resamples the height before the width.

    The order affects the result, which is rounded between passes. Pillow resamples the
    width first up to version 12; since 13 the order depends on the sizes.
    """
    rows, columns = old[0] - new[0], old[1] - new[1]
    return like == "pillow" and rows > 0 and rows > 2 * columns


@cache
def tap_count(
    in_size: int, out_size: int, mode: str, like: str, dtype: str = "float32"
) -> int:
    """Taps per output: the size of the widest window, at most that of the input."""
    found = windows(in_size, out_size, mode, like, dtype)
    return min(in_size, max(count for _, count in found))


@cache
def windows(
    in_size: int, out_size: int, mode: str, like: str, dtype: str = "float32"
) -> tuple[tuple[int, int], ...]:
    """First input index and number of taps of each output, for weights of this dtype.

    Without antialiasing a window may exceed the input; its indices are then clamped.
    """
    if like == "opencv":
        return opencv_windows(in_size, out_size, mode)
    if like == "torchvision":
        return _torchvision_windows(in_size, out_size, mode, dtype)
    if mode == "nearest":
        return _pillow_nearest(in_size, out_size)
    return _pillow_windows(in_size, out_size, mode)


def _pillow_windows(
    in_size: int, out_size: int, mode: str
) -> tuple[tuple[int, int], ...]:
    """`precompute_coeffs` of Pillow's `Resample.c`."""
    scale = in_size / out_size
    support = FILTER_SUPPORT[mode] * max(scale, 1.0)
    found: list[tuple[int, int]] = []
    for i in range(out_size):
        center = (i + 0.5) * scale
        first = max(int(center - support + 0.5), 0)
        found.append((first, min(int(center + support + 0.5), in_size) - first))
    return tuple(found)


def _pillow_nearest(in_size: int, out_size: int) -> tuple[tuple[int, int], ...]:
    """`ImagingScaleAffine` of Pillow's `Geometry.c`, which accumulates the position."""
    scale = in_size / out_size
    position = scale * 0.5
    found: list[tuple[int, int]] = []
    for _ in range(out_size):
        found.append((min(int(position), in_size - 1), 1))
        position += scale
    return tuple(found)


def read_rows(
    in_size: int, out_size: int, mode: str, like: str, dtype: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The inputs that occur in any window, in order, as `rows`; and the position in
    that list at which each window begins.

    The list is in descending order for bicubic windows of OpenCV, which sums their rows
    from the last to the first.
    """
    spans = windows(in_size, out_size, mode, like, dtype)
    width = max(count for _, count in spans)
    starts = [first for first, _ in spans]
    if like != "opencv":
        width = min(width, in_size)
        starts = [max(0, min(first, in_size - width)) for first in starts]
    found = sorted({first + tap for first in starts for tap in range(width)})
    if like == "opencv" and mode == "bicubic":
        found.reverse()
        starts = [first + width - 1 for first in starts]
    place = {row: position for position, row in enumerate(found)}
    rows = tuple(min(max(row, 0), in_size - 1) for row in found)
    return rows, tuple(place[first] for first in starts)


def _torchvision_windows(
    in_size: int, out_size: int, mode: str, dtype: str
) -> tuple[tuple[int, int], ...]:
    if mode.startswith("nearest"):
        half = 0.5 if mode == "nearest-exact" else 0.0
        return _aten_nearest(in_size, out_size, half)
    if mode.endswith(PLAIN):
        return _aten_plain_windows(in_size, out_size, mode, dtype)
    return _aten_windows(in_size, out_size, mode, dtype)


def aten_scale(in_size: int, out_size: int) -> float:
    """`area_pixel_compute_scale` in float32, without `align_corners`."""
    return single(in_size / out_size)


def _aten_windows(
    in_size: int, out_size: int, mode: str, dtype: str
) -> tuple[tuple[int, int], ...]:
    """`_compute_indices_min_size_weights_aa` of ATen's `UpSampleKernel.cpp`; in float64
    for the integer weights of uint8 images."""
    single = _single if dtype == "float32" else float
    scale = single(in_size / out_size)
    support = single(FILTER_SUPPORT[mode] * max(scale, 1.0))
    most = int(-(-support // 1)) * 2 + 1
    found: list[tuple[int, int]] = []
    for i in range(out_size):
        center = single(scale * (i + 0.5))
        first = max(int(single(center - support) + 0.5), 0)
        end = min(int(single(center + support) + 0.5), in_size)
        found.append((first, max(0, min(end - first, most))))
    return tuple(found)


def _aten_plain_windows(
    in_size: int, out_size: int, mode: str, dtype: str
) -> tuple[tuple[int, int], ...]:
    """`area_pixel_compute_source_index` of ATen's `UpSample.h`."""
    single = _single if dtype == "float32" else float
    scale, cubic = single(in_size / out_size), mode.startswith("bicubic")
    found: list[tuple[int, int]] = []
    for i in range(out_size):
        source = single(single(scale * (i + 0.5)) - 0.5)
        if cubic:
            found.append((floor(source) - 1, 4))
        else:
            found.append((min(floor(max(source, 0.0)), in_size - 1), 2))
    return tuple(found)


def _aten_nearest(
    in_size: int, out_size: int, half: float
) -> tuple[tuple[int, int], ...]:
    """`nearest_neighbor_compute_source_index` of ATen's `UpSample.h`; half an element
    further for `nearest-exact`."""
    scale = aten_scale(in_size, out_size)
    places = (int(single((i + half) * scale)) for i in range(out_size))
    return tuple((min(place, in_size - 1), 1) for place in places)


def single(value: float) -> float:
    """The value rounded to float32."""
    return c_float(value).value


_single = single
