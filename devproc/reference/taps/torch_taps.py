"""Tap tables of `interpolate`: which elements of an axis make one, and their weights.

They follow from the sizes, in the precision of PyTorch's CPU kernels
(`UpSampleKernel.cpp`), because a rounding decides where a window begins.
"""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from math import nan
from typing import Any, TypeAlias

import numpy as np

from devproc.dialects.nn.resampling.resample import FRACTION_BITS
from devproc.ir.weights.table import Array
from devproc.reference.taps.taps import (
    aten_bicubic,
    far,
    near,
    normalized,
    shifted,
)

Kind: TypeAlias = type[np.floating[Any]]


def scale_of(old: int, new: int, given: float | None, kind: Kind) -> Any:
    """Input elements per output element; a scale factor given by the caller takes precedence."""
    if given is not None and given > 0:
        return kind(1.0 / given)
    return kind(old) / kind(new)


def _aligned_scale(old: int, new: int, kind: Kind) -> Any:
    """The same with `align_corners`: first and last elements coincide."""
    return kind(old - 1) / kind(new - 1) if new > 1 else kind(0)


def _source(
    old: int,
    new: int,
    given: float | None,
    align_corners: bool,
    cubic: bool,
    kind: Kind,
) -> Array:
    """The fractional input position of each output element."""
    place = np.arange(new).astype(kind)
    if align_corners:
        return place * _aligned_scale(old, new, kind)
    half = kind(0.5)
    source = (place + half) * scale_of(old, new, given, kind) - half
    return source if cubic else np.maximum(source, kind(0))


A = -0.75
"""The parameter of the cubic filter that interpolates."""


def interpolation_taps(
    old: int,
    new: int,
    given: float | None,
    align_corners: bool,
    cubic: bool,
    kind: Kind,
) -> tuple[Array, Array]:
    """First input index and weights of each output element; NaN: absent.

    Weights of elements outside of the input are added to those of the edge.
    """
    source = _source(old, new, given, align_corners, cubic, kind)
    whole = np.floor(source).astype(np.int64)
    if not cubic:
        whole = np.minimum(whole, old - 1)
    t = source - whole.astype(kind)
    if cubic:
        places = whole[:, None] + np.arange(-1, 3)
        columns = (far(t + 1, A), near(t, A), near(1 - t, A), far(2 - t, A))
        weights = np.stack(columns, axis=1)
    else:
        places = whole[:, None] + np.arange(2)
        weights = np.stack([1 - t, t], axis=1)
    places = np.clip(places, 0, old - 1)
    width = min(weights.shape[1], old)
    first = np.minimum(places[:, 0], old - width)
    taps = np.zeros((new, width), kind)
    rows = np.arange(new)
    for column in range(weights.shape[1]):
        np.add.at(taps, (rows, places[:, column] - first), weights[:, column])
    used = np.zeros(taps.shape, bool)
    used[rows[:, None], places - first[:, None]] = True
    return first, np.where(used, taps, kind(np.nan))


def antialiasing_taps(
    old: int,
    new: int,
    given: float | None,
    align_corners: bool,
    cubic: bool,
    kind: Kind,
) -> tuple[Array, Array]:
    """The same for a filter scaled to cover all inputs of an output, with A = -0.5."""
    if align_corners:
        scale = _aligned_scale(old, new, kind)
    else:
        scale = scale_of(old, new, given, kind)
    half, one = kind(0.5), kind(1)
    reach = (kind(2) if cubic else one) * (scale if scale >= 1 else one)
    inverse = one / scale if scale >= 1 else one
    center = scale * (np.arange(new).astype(kind) + half)
    first = np.maximum((center - reach + half).astype(np.int64), 0)
    end = np.minimum((center + reach + half).astype(np.int64), old)
    count = np.clip(end - first, 0, int(np.ceil(reach)) * 2 + 1)
    column = np.arange(int(count.max()))
    place = (first[:, None] + column).astype(kind)
    offset = (place - center[:, None] + half) * inverse
    linear = np.maximum(one - np.abs(offset), kind(0))
    inside = column < count[:, None]
    weights = normalized(aten_bicubic(offset) if cubic else linear, inside)
    return shifted(first, np.where(inside, weights, kind(nan)), old, nan)


def fixed_point(taps: Array) -> tuple[Array, int]:
    """The int16 weights for uint8 images, and their fractional bits, as many as fit."""
    taps = np.where(np.isnan(taps), 0.0, taps)
    most, bits = float(taps.max()), 0
    while bits < FRACTION_BITS and int(0.5 + most * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    scaled = taps * (1 << bits)
    rounded = np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5))
    return rounded.astype(np.int16), bits
