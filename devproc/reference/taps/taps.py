"""The tap tables of Pillow and of ATen: which elements an output sums, and their weights.

Computed with NumPy in the order and precision of the C sources (Pillow's `Resample.c`,
ATen's `UpSampleKernel.cpp`).
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from devproc.dialects.nn.resampling.filters import (
    aten_scale,
    single,
    tap_count,
    windows,
)
from devproc.ir.weights.table import Array


def near(x: Array, a: float) -> Array:
    """The cubic filter up to one element away."""
    a = x.dtype.type(a)
    return ((a + 2) * x - (a + 3)) * x * x + 1


def far(x: Array, a: float) -> Array:
    """The cubic filter from one to two elements away, as ATen computes it."""
    a = x.dtype.type(a)
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def aten_bicubic(x: Array) -> Array:
    """ATen's antialiasing filter: A = -0.5."""
    x = np.abs(x)
    outer = np.where(x < 2, far(x, -0.5), x.dtype.type(0))
    return np.where(x < 1, near(x, -0.5), outer)


# Pillow's filters, in float64.


def _box(x: Array) -> Array:
    return np.where((x > -0.5) & (x <= 0.5), 1.0, 0.0)


def _bilinear(x: Array) -> Array:
    x = np.abs(x)
    return np.where(x < 1.0, 1.0 - x, 0.0)


def _sine(x: Array) -> Array:
    # NumPy's vector sine may differ from the C library's in the last bit.
    return np.array([math.sin(v) for v in x.ravel()]).reshape(x.shape)


def _cosine(x: Array) -> Array:
    return np.array([math.cos(v) for v in x.ravel()]).reshape(x.shape)


def _sinc(x: Array) -> Array:
    x = x * math.pi
    return np.where(x == 0.0, 1.0, _sine(x) / np.where(x == 0.0, 1.0, x))


# Pillow's literals are single precision: 0.54f and 0.46f.
_HAMMING = (single(0.54), single(0.46))


def _hamming(x: Array) -> Array:
    x = np.abs(x)
    window = _sinc(x) * (_HAMMING[0] + _HAMMING[1] * _cosine(x * math.pi))
    return np.where(x == 0.0, 1.0, np.where(x < 1.0, window, 0.0))


def _bicubic(x: Array) -> Array:
    x = np.abs(x)
    outer = (((x - 5) * x + 8) * x - 4) * -0.5
    return np.where(x < 1.0, near(x, -0.5), np.where(x < 2.0, outer, 0.0))


def _lanczos(x: Array) -> Array:
    return np.where((x >= -3.0) & (x < 3.0), _sinc(x) * _sinc(x / 3), 0.0)


PILLOW_FILTERS = {
    "box": _box,
    "bilinear": _bilinear,
    "hamming": _hamming,
    "bicubic": _bicubic,
    "lanczos": _lanczos,
}

ATEN_FILTERS = {"bilinear": _bilinear, "bicubic": aten_bicubic}


def tap_table(
    in_size: int, out_size: int, mode: str, like: str
) -> tuple[Array, Array, Array]:
    """First indices, tap counts, and weights of each output, before any shift."""
    spans = np.array(windows(in_size, out_size, mode, like), np.int64)
    first, count = spans[:, 0], spans[:, 1]
    width = tap_count(in_size, out_size, mode, like)
    column = np.arange(width)
    inside = column < count[:, None]
    if mode.startswith("nearest"):
        return first, count, inside.astype(np.float64)
    compute = _aten_weights if like == "torchvision" else _pillow_weights
    weights = compute(in_size, out_size, mode, first[:, None] + column)
    return first, count, normalized(weights, inside)


def normalized(weights: Array, inside: Array) -> Array:
    """Weights scaled to sum 1 over the taps `inside` of each window, the others zero."""
    weights = np.where(inside, weights, weights.dtype.type(0))
    # In order, as the C loops sum; np.sum would sum in pairs.
    total = np.add.accumulate(weights, axis=1)[:, -1:]
    return weights / np.where(total == 0, weights.dtype.type(1), total)


def _pillow_weights(in_size: int, out_size: int, mode: str, index: Array) -> Array:
    scale = in_size / out_size
    center = ((np.arange(out_size) + 0.5) * scale)[:, None]
    inverse = 1.0 / max(scale, 1.0)
    return PILLOW_FILTERS[mode]((index - center + 0.5) * inverse)


def _aten_weights(in_size: int, out_size: int, mode: str, index: Array) -> Array:
    scale = aten_scale(in_size, out_size)
    center = (scale * (np.arange(out_size) + 0.5)).astype(np.float32)[:, None]
    inverse = single(1.0 / scale) if scale >= 1.0 else 1.0
    offset = (index.astype(np.float32) - center).astype(np.float64)
    return ATEN_FILTERS[mode](((offset + 0.5) * inverse).astype(np.float32))


def shifted(
    first: Array, weights: Array, in_size: int, absent: float
) -> tuple[Array, Array]:
    """The table with every window shifted inside the input; absent taps come first."""
    width = weights.shape[1]
    moved = np.minimum(first, in_size - width)
    result = np.full_like(weights, absent)
    for row, shift in enumerate(cast(list[int], (first - moved).tolist())):
        result[row, shift:] = weights[row, : width - shift]
    return moved, result
