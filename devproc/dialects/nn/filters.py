"""Which inputs a resampling filter looks at, as Pillow and ATen count them.

Only index arithmetic, in plain Python: shape rules need it, and so do the tap tables of
the reference, which add the weights. Floating-point steps are those of the C sources, in
their order and precision, because a rounding decides where a window begins.
"""

from __future__ import annotations

from ctypes import c_float
from functools import cache

FILTER_SUPPORT = {
    "nearest": 0.5,
    "box": 0.5,
    "bilinear": 1.0,
    "hamming": 1.0,
    "bicubic": 2.0,
    "lanczos": 3.0,
}
"""Half width of each filter at scale 1 (Pillow, `Resample.c`)."""

RESIZE_MODES = tuple(FILTER_SUPPORT)

LIKE_MODES = {
    "pillow": RESIZE_MODES,
    "torchvision": ("nearest", "bilinear", "bicubic"),
}
"""Reference library -> the modes it has."""

RESIZE_LIKES = tuple(LIKE_MODES)


def vertical_first(old: tuple[int, int], new: tuple[int, int], like: str) -> bool:
    """Whether the library resamples the height before the width.

    The order shows in the result, which is rounded between the passes. Pillow took the
    width first up to version 12; since 13 it depends on the sizes.
    """
    rows, columns = old[0] - new[0], old[1] - new[1]
    return like == "pillow" and rows > 0 and rows > 2 * columns


@cache
def tap_count(in_size: int, out_size: int, mode: str, like: str) -> int:
    """Taps of one output: those of the widest window."""
    return max(count for _, count in windows(in_size, out_size, mode, like))


@cache
def windows(
    in_size: int, out_size: int, mode: str, like: str
) -> tuple[tuple[int, int], ...]:
    """First input index and number of taps of each output."""
    if like == "torchvision":
        if mode == "nearest":
            return _aten_nearest(in_size, out_size)
        return _aten_windows(in_size, out_size, mode)
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
    """`ImagingScaleAffine` of Pillow's `Geometry.c`: the position is summed up."""
    scale = in_size / out_size
    position = scale * 0.5
    found: list[tuple[int, int]] = []
    for _ in range(out_size):
        found.append((min(int(position), in_size - 1), 1))
        position += scale
    return tuple(found)


def aten_scale(in_size: int, out_size: int) -> float:
    """`area_pixel_compute_scale` in float32, without `align_corners`."""
    return single(in_size / out_size)


def _aten_windows(
    in_size: int, out_size: int, mode: str
) -> tuple[tuple[int, int], ...]:
    """`_compute_indices_min_size_weights_aa` of ATen's `UpSampleKernel.cpp`."""
    scale = aten_scale(in_size, out_size)
    support = single(FILTER_SUPPORT[mode] * max(scale, 1.0))
    most = int(-(-support // 1)) * 2 + 1
    found: list[tuple[int, int]] = []
    for i in range(out_size):
        center = single(scale * (i + 0.5))
        first = max(int(single(center - support) + 0.5), 0)
        end = min(int(single(center + support) + 0.5), in_size)
        found.append((first, max(0, min(end - first, most))))
    return tuple(found)


def _aten_nearest(in_size: int, out_size: int) -> tuple[tuple[int, int], ...]:
    """`nearest_neighbor_compute_source_index` of ATen's `UpSample.h`."""
    scale = aten_scale(in_size, out_size)
    return tuple((min(int(single(i * scale)), in_size - 1), 1) for i in range(out_size))


def single(value: float) -> float:
    """The value rounded to float32."""
    return c_float(value).value
