"""Tap tables of OpenCV's `resize`, in the order and precision of `resize.cpp`."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from devproc.dialects.nn.resampling import resample
from devproc.dialects.nn.resampling.opencv_filters import (
    area_span,
    opencv_place,
    opencv_windows,
)
from devproc.ir.weights.table import Array

FRACTION_BITS = 11
"""Fractional bits of the weights of uint8 images."""


def _cubic(x: Array) -> Array:
    a, one = np.float32(-0.75), np.float32(1)

    def near(x: Array) -> Array:
        return ((a + 2) * x - (a + 3)) * x * x + one

    before = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a
    at, after = near(x), near(one - x)
    return np.stack([before, at, after, one - before - at - after], axis=1)


HALF_ROOT = math.sqrt(0.5)
ROTATIONS = (
    (1.0, 0.0),
    (-HALF_ROOT, -HALF_ROOT),
    (0.0, 1.0),
    (HALF_ROOT, -HALF_ROOT),
    (-1.0, 0.0),
    (HALF_ROOT, HALF_ROOT),
    (0.0, -1.0),
    (-HALF_ROOT, HALF_ROOT),
)
"""Factors of sine and cosine: sin(y - k pi / 4) for the eight taps of a Lanczos window."""

LARGE = 1e30
"""The weight, before normalisation, of an input exactly at the sampling position."""


def _lanczos(x: Array) -> Array:
    rows: list[list[np.float32]] = []
    for place in x:
        start = -float(place + np.float32(3)) * math.pi * 0.25
        sine, cosine = math.sin(start), math.cos(start)
        weights: list[np.float32] = []
        for tap, (a, b) in enumerate(ROTATIONS):
            distance = float(np.float32(place + np.float32(3)) - np.float32(tap))
            y = -distance * math.pi * 0.25
            far = abs(distance) >= 1e-6
            weights.append(
                np.float32((a * sine + b * cosine) / (y * y) if far else LARGE)
            )
        total = np.float32(0)
        for weight in weights:
            total = total + weight
        scale = np.float32(1) / total
        rows.append([weight * scale for weight in weights])
    return np.array(rows, np.float32)


def _interpolating(
    in_size: int, out_size: int, mode: str, compact: bool
) -> tuple[Array, Array]:
    """The first element of each window, possibly outside of the input, and the weights."""
    places = [opencv_place(in_size, out_size, i, mode) for i in range(out_size)]
    whole = np.array([place for place, _ in places])
    part = np.array([part for _, part in places], np.float32)
    if mode == "bicubic":
        return whole - 1, _cubic(part)
    if mode == "lanczos":
        return whole - 3, _lanczos(part)
    if not compact:
        # Columns at the edge get full weight; rows split it between two copies of the edge.
        outside = (whole < 0) | (whole >= in_size - 1)
        whole = np.clip(whole, 0, in_size - 1)
        part = np.where(outside, np.float32(0), part)
    return whole, np.stack([np.float32(1) - part, part], axis=1)


def _areas(in_size: int, out_size: int) -> tuple[Array, Array]:
    """The same for the inputs that an output covers fully or partly; NaN: absent."""
    spans = [area_span(in_size, out_size, i) for i in range(out_size)]
    width = max(end - first for first, end, _, _ in spans)
    taps = np.full((out_size, width), np.nan, np.float32)
    step = 1.0 / (out_size / in_size)
    for row, (first, end, before, after) in enumerate(spans):
        cell = min(step, in_size - row * step)
        taps[row, : end - first] = 1.0 / cell
        if before is not None:
            taps[row, 0] = before
        if after is not None:
            taps[row, end - first - 1] = after
    return np.array([first for first, _, _, _ in spans]), taps


def _inside(first: Array, taps: Array, in_size: int) -> tuple[Array, Array]:
    """Windows clamped to the input: elements outside of it are replaced by the edge."""
    given, width = taps.shape[1], min(taps.shape[1], in_size)
    places = cast(Array, first[:, None] + np.arange(given))
    places = np.minimum(np.maximum(places, 0), in_size - 1)
    first = np.minimum(places[:, 0], in_size - width)
    moved = np.full((len(taps), width), np.nan, np.float32)
    for output in range(len(taps)):
        for place, weight in zip(
            places[output] - first[output], taps[output], strict=True
        ):
            if not np.isnan(weight):
                before = moved[output, place]
                moved[output, place] = weight if np.isnan(before) else before + weight
    return first, moved


def opencv_taps(
    in_size: int, out_size: int, mode: str, dtype: str, compact: bool
) -> tuple[Array, Array]:
    """First input index and weights of each output; NaN, or 0 of integers, is absent.

    `compact` is for rows, whose windows may repeat the edge; windows of columns lie inside
    of the input.
    """
    if mode == "nearest":
        windows = opencv_windows(in_size, out_size, mode)
        one = 1 << resample.FRACTION_BITS if dtype == "int32" else 1.0
        return np.array([first for first, _ in windows]), np.full((out_size, 1), one)
    if mode == "area":
        first, taps = _areas(in_size, out_size)
    else:
        first, taps = _interpolating(in_size, out_size, mode, compact)
    if dtype == "int32" and mode == "area":
        # The mean of a whole number of inputs is divided after the sums.
        taps = np.where(np.isnan(taps), taps, np.float32(1))
    elif dtype == "int32":
        taps = np.rint(taps * np.float32(1 << FRACTION_BITS))
    if not compact:
        first, taps = _inside(first, taps, in_size)
    elif mode == "bicubic":
        taps = taps[:, ::-1]
    if dtype == "int32":
        taps = np.where(np.isnan(taps), np.float32(0), taps)
    return first, taps
